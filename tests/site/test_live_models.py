"""The book's models in the browser: they compute what torch computes, work from disk, and are small."""

import random
from base64 import b64decode

import live_engine
import number_words
import plots
import pytest
import torch
from course_data import TINY_BERT, load_sentences
from live_model import WIDGETS, size_of
from transformers import AutoTokenizer

TOLERANCE = 1e-3  # of a logit
LARGEST = 7_000_000  # bytes that one button loads


@pytest.fixture(scope="module")
def engine(browser, tmp_path_factory):
    """A page from disk with the engine and all weights."""
    page = browser.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(live_engine.lay_out(tmp_path_factory.mktemp("engine")).as_uri())
    page.evaluate(
        """() => {
          window.bert = new transformer.Bert(decodeWeights(live.files.tiny_bert));
          window.gpt = new transformer.Gpt(decodeWeights(live.files.tiny_gpt));
          window.translator = new transformer.Translator(decodeWeights(live.files.number_translator));
          window.packed = (numbers) =>
            btoa(Array.from(new Uint8Array(Float32Array.from(numbers).buffer), (b) => String.fromCharCode(b)).join(""));
          window.tokenizer = new WordPiece(live.files.tiny_bert.vocabulary);
        }"""
    )
    yield page
    page.close()
    assert problems == []


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(TINY_BERT)


def sentences(count: int) -> list[str]:
    return random.Random(0).sample(load_sentences("test")[0], count)


def numbers_of(base64: str) -> torch.Tensor:
    """What the page's `packed` sends: thousands of numbers as JSON would take longer than computing them."""
    return torch.frombuffer(bytearray(b64decode(base64)), dtype=torch.float32)


def differences(pairs) -> float:
    return max((numbers_of(ours) - theirs.flatten()).abs().max().item() for ours, theirs in pairs)


@torch.no_grad()
def test_bert_fills_blanks_and_attends_as_torch_does(engine, tokenizer):
    model = live_engine.with_rounded_weights(live_engine.bert())
    logits, maps = [], []
    for text in sentences(50):
        ids = tokenizer(text)["input_ids"]
        at = len(ids) // 2
        ids[at] = tokenizer.mask_token_id
        ours = engine.evaluate(
            """([ids, at]) => {
              const { hidden, maps } = bert.read(ids);
              const weights = maps.flat().flatMap((map) => [...map.data]);
              return [packed(bert.fill(hidden, at)), packed(weights)];
            }""",
            [ids, at],
        )
        theirs = model(torch.tensor([ids]), output_attentions=True)
        logits.append((ours[0], theirs.logits[0, at]))
        maps.append((ours[1], torch.cat(theirs.attentions)))
    assert differences(logits) < TOLERANCE
    assert differences(maps) < 1e-4


@torch.no_grad()
def test_gpt_gives_torchs_logits_with_the_cache_and_without(engine, tokenizer):
    model = live_engine.with_rounded_weights(live_engine.gpt(), transposed=True)
    pairs = []
    for text in sentences(50):
        ids = tokenizer(text)["input_ids"][:-1]
        theirs = model(torch.tensor([ids])).logits[0, -1]
        whole, in_pieces = engine.evaluate(
            """(ids) => {
              const cache = gpt.newCache();
              gpt.next(ids.slice(0, 3), cache);
              let last;
              for (const id of ids.slice(3)) last = gpt.next([id], cache);
              return [packed(gpt.next(ids)), packed(last)];
            }""",
            ids,
        )
        pairs += [(whole, theirs), (in_pieces, theirs)]
    assert differences(pairs) < TOLERANCE


@torch.no_grad()
def test_the_translator_gives_torchs_logits(engine):
    model = live_engine.with_rounded_weights(live_engine.translator())
    pairs = []
    for n in range(10):
        torch.manual_seed(n)
        source, target = torch.randint(3, 35, (1, n + 2)), torch.randint(0, 17, (1, n + 1))
        ours = engine.evaluate(
            "([source, target]) => packed(translator.write(target, translator.read(source)).logits.data)",
            [source[0].tolist(), target[0].tolist()],
        )
        pairs.append((ours, model(source, target, source > 0)))
    assert differences(pairs) < TOLERANCE


def compare_tokens(engine, tokenizer, texts: list[str]) -> None:
    ours = engine.evaluate("texts => texts.map((text) => tokenizer.encode(text))", texts)
    theirs = tokenizer(texts, add_special_tokens=False)["input_ids"]
    assert [pair for pair in zip(texts, ours, theirs, strict=True) if pair[1] != pair[2]] == []


def odd_texts(count: int) -> list[str]:
    """Sentences with what people type and what they do not: marks, other scripts, emoji, spaces, broken words."""
    rng = random.Random(0)
    odd = "!?.,~…ㅋㅠ~!@#[](){}<>|^`'\"-_=+ \t\n\u3000\u200b\u00ad中文ñéÅΩ1234😀👍🏽각\u1100\u1161\0\ufffd\x07。、「」«»"
    words = " ".join(load_sentences("train")[0]).split()
    special = ["[MASK]", "[SEP]", "[CLS]", "[mask]", "가" * 101, "영화" * 40]
    return [
        "".join(
            rng.choice([rng.choice(words), rng.choice(odd), " ", rng.choice(special)])
            for _ in range(rng.randrange(12))
        )
        for _ in range(count)
    ]


def test_wordpiece_gives_the_librarys_tokens(engine, tokenizer):
    compare_tokens(engine, tokenizer, [*load_sentences("test")[0], *odd_texts(500)])


@pytest.mark.exhaustive
def test_wordpiece_gives_the_librarys_tokens_on_a_great_many(engine, tokenizer):
    compare_tokens(engine, tokenizer, odd_texts(50_000))


def test_numbers_are_read_as_num2words_reads_them(engine):
    engine.add_script_tag(path=live_engine.LIVE / "numbers.js")
    rng = random.Random(0)
    numbers = [*range(200), *(10**k + d for k in range(2, 7) for d in (-1, 0, 1, 10, 100))]
    numbers += [rng.randrange(10 ** rng.randint(1, 7)) for _ in range(300)]
    ours = engine.evaluate(
        "numbers => numbers.map((n) => [numberWords.english(n), numberWords.korean(n)])", numbers
    )
    assert ours == [[number_words.english(n), number_words.korean(n)] for n in numbers]


def test_a_map_is_the_table_that_the_books_cells_write(engine):
    weights = torch.softmax(3 * torch.randn(2, 3, 12, generator=torch.Generator().manual_seed(0)), -1)
    queries, keys = ["가", "나", "<다>"], [f"k{i}" for i in range(12)]
    expected = plots.attention_map(weights, queries, keys, heads=["a", "b"])
    engine.add_script_tag(path=live_engine.LIVE / "live.js")
    engine.add_script_tag(path=live_engine.LIVE / "attention_table.js")
    same = engine.evaluate(
        """([weights, queries, keys, markup]) => {
          const heads = weights.map((map, i) => ({
            name: "ab"[i],
            map: transformer.matrix(queries.length, keys.length, Float32Array.from(map)),
          }));
          const theirs = document.createElement("template");
          theirs.innerHTML = markup;
          theirs.content.querySelectorAll("script, style").forEach((other) => other.remove());
          return live.attentionMap(heads, queries, keys).isEqualNode(theirs.content.firstChild);
        }""",
        [weights.flatten(1).tolist(), queries, keys, expected._repr_html_()],
    )
    assert same


@pytest.mark.parametrize("name", WIDGETS)
def test_what_a_button_loads_is_small(name):
    assert size_of(name) <= LARGEST


def test_the_sentiment_widgets_figures_are_measured():
    """What it says of its accuracy on the course's sentences is what its 8 bits get there."""
    script = (live_engine.LIVE / "sentiment.js").read_text(encoding="utf-8")
    texts, labels = load_sentences("test")
    for adapter in ("few", "many"):
        share = f"{100 * live_engine.accuracy(adapter, texts, labels):.1f}%"
        assert script.count(f"504문장 {share}") == 1, (adapter, share)


def test_no_coarse_word_is_drawn_whole_or_in_pieces(engine):
    """However likely the model finds it: nine in ten shares are a coarse word's, and its pieces'."""
    for script in ("coarse.js", "sampling.js"):
        engine.add_script_tag(path=str(live_engine.LIVE / script))
    drawn = engine.evaluate(
        """() => {
          const sampler = new sampling.Sampler(["[CLS]", "시", "##발", "##작", "새끼", "##끼", "영화", "10", "##년"]);
          const random = sampling.random(1);
          const after = (ids, likely) => {
            const logits = new Float32Array(9);
            for (const id of likely) logits[id] = 9;
            const settings = { temperature: 1, k: 0, fresh: false, random };
            return new Set(Array.from({ length: 200 }, () => sampler.tokens[sampler.draw(logits, ids, settings)]));
          };
          return [after([0, 6], [4, 6]), after([0, 6, 1], [2, 3]), after([0, 7], [8])].map((set) => [...set]);
        }"""
    )
    assert "새끼" not in drawn[0] and "영화" in drawn[0]
    assert "##발" not in drawn[1] and "##작" in drawn[1]
    assert "##년" in drawn[2]  # ten years are none


def test_a_mark_follows_no_mark(engine):
    """Nor does a sign follow: '^ ^ ^ * ^ ^' is what it has read most after a greeting."""
    for script in ("coarse.js", "sampling.js"):
        engine.add_script_tag(path=str(live_engine.LIVE / script))
    drawn = engine.evaluate(
        """() => {
          const sampler = new sampling.Sampler(["[CLS]", "^", "♥", "~", "!", "영화"]);
          const settings = { temperature: 1, k: 0, fresh: true, random: sampling.random(1) };
          return [1, 2, 3, 4].map((mark) => sampler.draw(Float32Array.of(0, 9, 9, 9, 9, 0), [5, mark], settings));
        }"""
    )
    assert drawn == [5] * 4


def test_words_that_the_models_never_read_are_named(engine):
    """In pieces they are letters at random, and so is what the GPT writes after them."""
    texts = ["hello 영화", "The movie", "GPT가 OST [MASK]", "😀 2024년 3D", "뷁"]
    named = engine.evaluate("texts => texts.map((text) => tokenizer.strange(text))", texts)
    assert named == [["hello"], ["The"], [], ["😀"], ["뷁"]]


def test_a_text_ends_after_two_words_of_its_own(engine):
    """A piece that continues the prompt's last word is none, nor is a mark."""
    for script in ("coarse.js", "sampling.js"):
        engine.add_script_tag(path=str(live_engine.LIVE / script))
    may_end = engine.evaluate(
        """() => {
          const sampler = new sampling.Sampler(["[CLS]", "[SEP]", "영화", "##에서", "!", "10", "ㅋㅋ"]);
          return [[], [3, 2], [2, 3, 4], [4, 4], [2, 2], [3, 5, 4, 6]].map((own) => sampler.mayEnd(own));
        }"""
    )
    assert may_end == [False, False, False, False, True, True]
