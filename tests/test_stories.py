"""The world of stories, the model that grows in it, and the table that the chapters show."""

import hashlib
import json
import math
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
import torch
from course_data.stories import grow, missing, units, writing
from course_data.stories.check import broken, shares
from course_data.stories.grow import Corpus, Counted, judge
from course_data.stories.kept import stamp
from course_data.stories.model import Model, Recipe
from course_data.stories.recipes import CONTROLS, ROWS, SMALL, WITHOUT
from course_data.stories.world import COUNTER, NUMBERS, SKILLS, floor, stories
from course_data.stories.writing import chosen, keeps, written

TABLE = json.loads(grow.RESULT.read_text(encoding="utf-8"))
LOSS = {name: row["loss"] for name, row in TABLE["rows"].items()}
CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus(training=200, held_out=25)


@pytest.fixture(scope="module")
def made():
    return stories(400, seed=3)


def test_the_world_is_the_same_on_every_machine():
    text = "".join(story.text for story in stories(100, seed=0))
    assert hashlib.sha256(text.encode()).hexdigest()[:12] == "f3343b6ac369"


def test_every_mark_is_on_a_syllable_that_its_skill_decides(made):
    seen = Counter()
    for story in made:
        for mark in story.marks:
            assert story.text[mark.at] not in mark.wrong, (story.text, mark)
            seen[mark.skill] += 1
    assert set(seen) == set(SKILLS) and min(seen.values()) > 20


def test_particles_fit_the_letters_that_unicode_takes_the_syllable_apart_into(made):
    with_final, without = set("은을과이"), set("는를와가여")
    for story in made:
        for mark in story.marks:
            if mark.skill == "particle" and mark.wrong in "은는을를과와가":
                letters = unicodedata.normalize("NFD", story.text[mark.at - 1])
                assert story.text[mark.at] in (with_final if len(letters) == 3 else without)


def test_sums_and_owners_are_what_the_sentences_say(made):
    texts = [story.text for story in made]
    bought = (
        r"(\S+) ([한두세네]) (\S+?)[과와] (\S+) ([한두세네]) \S+[을를] \S+\. 모두 (\d)(\S+?)(?:이었|였)다"
    )
    found = [re.search(bought, text) for text in texts]
    for first, n, counter, second, m, total, again in (match.groups() for match in found if match):
        assert NUMBERS.index(n) + NUMBERS.index(m) + 2 == int(total)
        assert COUNTER[first] == COUNTER[second] == counter == again
    owned = [match for text in texts for match in re.finditer(r"(\S+?)[은는] 이제 (\S+?)의 것", text)]
    for match in owned:
        gift = rf"(?:께서는|[은는]) (\S+?)(?:에게|께) {match[1]}[을를] (?:선물|주|드)"
        assert re.search(gift, match.string)[1] == match[2]
    assert sum(map(bool, found)) > 50 and len(owned) == 2 * len(made)


def test_the_floor_is_what_the_generators_choices_cost(made):
    """Of the days, the first children and the elder alone, counted in many stories: their entropy is part of the floor."""
    many = stories(3000, seed=5)
    openings = Counter(re.match(r"(\S+(?: \S+)? 날) ", story.text)[1] for story in many)
    shares = torch.tensor([count / len(many) for count in openings.values()])
    assert -(shares * shares.log()).sum().item() == pytest.approx(math.log(6), abs=0.01)
    assert 0.2 < floor(made) < 0.24


def test_counts_are_those_that_one_counts_by_hand(corpus):
    model = Counted(2, corpus, lean=0.0)
    text = "".join("\n" + "".join(corpus.syllables[i] for i in row[row >= 0][1:]) for row in corpus.train)
    pairs = Counter(zip(text, text[1:], strict=False))
    odds = model(torch.tensor([[corpus.number["께"]]]))[0, 0].exp()
    after = {b: n for (a, b), n in pairs.items() if a == "께"}
    for syllable, count in after.items():
        assert odds[corpus.number[syllable]] == pytest.approx(count / sum(after.values()), abs=1e-5)


@pytest.mark.parametrize("name", [*ROWS, "leak"])
def test_only_the_row_without_a_mask_sees_what_comes_after(corpus, name):
    torch.manual_seed(0)
    model = Model((ROWS | CONTROLS)[name], len(corpus.syllables), grow.LONGEST).eval()
    ids = torch.randint(len(corpus.syllables), (2, 12))
    other = ids.clone()
    other[:, 8:] = torch.randint(len(corpus.syllables), (2, 4))
    with torch.no_grad():
        same = torch.allclose(model(ids)[:, :8], model(other)[:, :8], atol=1e-5)
    assert same == (name != "leak")


def test_a_few_steps_beat_the_shares_of_the_syllables(corpus):
    alone, _ = judge(Counted(1, corpus), corpus)
    model = grow.train(Recipe(past="mean", steps=60, rate=1e-2), corpus)
    loss, skills = judge(model, corpus)
    assert loss < alone - 0.5 and set(skills) == set(SKILLS)


def test_writing_ends_with_the_story_and_repeats_with_its_seed(corpus):
    counts = Counted(4, corpus)
    text = grow.write(counts, corpus, length=400)
    assert text == grow.write(counts, corpus, length=400) != grow.write(counts, corpus, length=400, seed=1)
    assert text.endswith(".") and "\n" not in text


def test_the_table_is_of_todays_code():
    assert list(grow.kept()) == ["counted", *ROWS, *CONTROLS], "python -m course_data.stories.grow"
    assert TABLE["floor"] == pytest.approx(floor(Corpus().held_stories), abs=1e-3)


def better(first: str, second: str) -> bool:
    """Whether each seed's loss in the first row is below each seed's in the second."""
    return max(TABLE["rows"][first]["losses"]) < min(TABLE["rows"][second]["losses"])


def test_what_the_chapters_say_of_their_rows():
    mark = {name: row["skills"] for name, row in TABLE["rows"].items()}
    assert min(mark["lstm"]["honorific"], mark["lstm"]["counter"]) > 0.99 and mark["lstm"]["name"] < 0.12
    assert better("lstm", "mean") and better("one_head", "mean") and better("lstm", "one_head")
    assert mark["one_head"]["counter"] > 1.9 * mark["mean"]["counter"]
    assert abs(LOSS["four_heads"] - LOSS["lstm"]) < 0.02 and mark["four_heads"]["name"] > 0.33
    assert better("four_heads", "one_head") and better("four_heads", "no_positions")
    assert abs(LOSS["no_positions"] - LOSS["mean"]) < 0.01
    assert max(mark["four_heads"]["place"], mark["four_heads"]["owner"]) < 0.2
    assert better("four_heads", "plain") and mark["plain"]["counter"] < mark["four_heads"]["counter"] / 3
    assert better("residual", "plain") and min(mark["residual"]["name"], mark["residual"]["place"]) > 0.8
    alone = mark[
        "plain_no_feed_forward"
    ]  # three layers of attention, a token's own vector beside what it saw
    assert better("plain_no_feed_forward", "plain") and LOSS["plain_no_feed_forward"] < LOSS["four_heads"]
    assert alone["place"] > 0.75 and mark["no_feed_forward"]["name"] > 3 * alone["name"]
    assert mark["no_feed_forward"]["sum"] < 0.56 * mark["residual"]["sum"]
    assert better("norm", "no_norm") and better("norm", "residual") and better("residual", "no_norm")
    assert better("wider", "norm") and better("schedule", "wider")
    assert min(mark["wider"]["name"], mark["wider"]["sum"]) > 0.75
    assert LOSS["leak"] < TABLE["floor"] / 10 < TABLE["floor"] < LOSS["schedule"] < TABLE["floor"] + 0.02


def test_each_row_of_the_table_stands_in_the_chapter_that_adds_it():
    shown = {}
    for page in CHAPTERS.glob("*.md"):
        for names in re.findall(r"^:::\{so-far\} (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            for name in names.split():
                shown.setdefault(name, page.stem)
    assert shown.keys() >= TABLE["rows"].keys() - {
        "plain",
        "residual",
    }  # those two stand in add_norm, above norm


def test_the_rules_hold_in_every_story_of_the_world(made):
    assert [check for story in made for check in broken(story.text)] == []


def test_a_syllable_against_a_skill_breaks_a_rule(made):
    """Each marked syllable, replaced by a wrong one; where the word stays one of the world's, the rule is the skill's."""
    named = Counter()
    for story in made[:100]:
        for mark in story.marks:
            wrong = next(s for s in mark.wrong or "준민" if s != story.text[mark.at])
            found = broken(story.text[: mark.at] + wrong + story.text[mark.at + 1 :])
            assert found, (mark, story.text)
            named[mark.skill, found[0].rule] += 1
    for skill in ("particle", "name", "counter", "place", "owner"):
        assert named[skill, skill] > 0.6 * sum(n for (of, _), n in named.items() if of == skill)


STORY = (
    "맑은 날 민준은 공원에서 서연을 만났다. 그곳에는 할머니께서 계셨다. 민준은 할머니께 책을 드렸다. "
    "서연은 민준에게 공을 주었다. 서연은 책 두 권과 수첩 세 권을 샀다. 모두 5권이었다. "
    "책은 이제 할머니의 것이었다. 공은 이제 민준의 것이었다. 민준과 서연은 공원에서 집으로 돌아왔다."
)


@pytest.mark.parametrize(
    ("right", "wrong", "rule"),
    [
        ("책을 드렸다", "책를 드렸다", "particle"),
        ("책을 드렸다", "책을 주었다", "honorific"),
        ("할머니께 책", "할머니에게 책", "honorific"),
        ("두 권과", "두 마리와", "counter"),
        ("서연은 민준에게", "서준은 민준에게", "name"),
        ("서연은 민준에게", "민준은 민준에게", "name"),
        ("모두 5권", "모두 6권", "sum"),
        ("이제 할머니의", "이제 서연의", "owner"),
        ("공원에서 집으로", "시장에서 집으로", "place"),
        ("5권이었다", "5권이다", "sentence"),
        ("돌아왔다.", "돌아", "sentence"),
    ],
)
def test_a_rule_that_a_text_breaks_is_named(right, wrong, rule):
    assert broken(STORY) == [] and STORY.count(right) == 1
    assert {check.rule for check in broken(STORY.replace(right, wrong))} == {rule}
    assert 0 < shares([STORY.replace(right, wrong)])["all"] < 0.05


@pytest.mark.parametrize("recipe", [SMALL, WITHOUT["residual"], WITHOUT["mask"], WITHOUT["attention"]])
def test_kept_keys_write_what_the_whole_model_would(corpus, recipe):
    """Greedily: what is written is at each place the likeliest syllable by the model that reads all of it anew."""
    torch.manual_seed(0)
    model = Model(recipe, len(corpus.syllables), corpus.longest).eval()
    assert keeps(model) == (recipe in (SMALL, WITHOUT["residual"]))
    text = written(model, corpus, 2, temperature=0)[0][:20]
    ids = [corpus.number["\n"]]
    for syllable in text:
        with torch.no_grad():
            assert corpus.syllables[model(torch.tensor([ids]))[0, -1].argmax()] == syllable
        ids.append(corpus.number[syllable])


def test_what_is_chosen_is_drawn_from_the_head_of_the_distribution():
    scores = torch.tensor([0.5, 0.2, 0.25, 0.05]).log().expand(4000, 4)
    draw = torch.Generator().manual_seed(0)
    assert set(chosen(scores, 0, 1.0, draw).tolist()) == {0}
    shares = torch.bincount(chosen(scores, 1.0, 0.7, draw), minlength=4) / 4000
    torch.testing.assert_close(shares, torch.tensor([2 / 3, 0, 1 / 3, 0]), atol=0.03, rtol=0)
    assert torch.bincount(chosen(scores, 2.0, 1.0, draw), minlength=4)[3] > 4000 * 0.09


@pytest.mark.parametrize("unit", ["jamo", "syllables", "merges", "words"])
def test_tokens_of_any_unit_join_to_the_text_again(unit):
    texts = [story.text for story in stories(300, seed=0)]
    cut = units.cutters(texts)[unit]
    for text in texts[:50]:
        assert unicodedata.normalize("NFC", "".join(cut(text))) == text
    lengths = {name: len(cutter(texts[0])) for name, cutter in units.cutters(texts).items()}
    assert lengths["jamo"] > lengths["syllables"] > lengths["merges"] > lengths["words"]


@pytest.mark.parametrize(
    ("module", "modules"),
    [
        (writing, ("check", "writing")),
        (units, ("check", "writing", "units")),
        (missing, ("check", "writing", "missing")),
    ],
)
def test_what_is_kept_is_of_todays_code(module, modules):
    table = json.loads(module.RESULT.read_text(encoding="utf-8"))
    assert table["digest"] == stamp(*modules), f"python -m {module.__name__}"
