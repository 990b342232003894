"""What the figure of the small model without a part says: what data/stories/missing.json holds."""

import json

from browsing import ROOT
from test_figures import figure  # noqa: F401 (a fixture)

TABLE = json.loads((ROOT / "data" / "stories" / "missing.json").read_text(encoding="utf-8"))
WITHOUT = TABLE["without"]


def test_a_part_taken_away_shows_its_skills_and_a_story_with_what_is_broken(figure):  # noqa: F811
    element = figure("missing-part")
    status, story = element.locator(".lf-status"), element.locator(".mp-story")
    skills = [skill for skill in WITHOUT["nothing"]["skills"] if skill != "quote"]
    bars = (
        "e => e.bars.map(({ bar, number }) => [Number(bar.getAttribute('width')) / 232, number.textContent])"
    )
    for part, one in WITHOUT.items():
        element.evaluate("(e, part) => e.set({ part })", part)
        for (width, said), skill in zip(element.evaluate(bars), skills, strict=True):
            assert abs(width - one["skills"][skill]) < 0.001
            assert said == f"{one['skills'][skill] * 100 + 1e-9:.0f}%"
        assert f"손실은 {one['loss']:.2f}" in status.inner_text()
        assert ("훔쳐본" in status.inner_text()) == (one["loss"] < TABLE["floor"]) == (part == "mask")
        marked = story.locator("mark").evaluate_all("all => all.map((m) => m.firstChild.textContent)")
        text, broken = one["stories"][0]["text"], one["stories"][0]["broken"]
        assert set(marked) <= {text[start:end] for start, end, _ in broken}
        assert bool(marked) == bool(broken)
    element.get_by_label("위치", exact=True).first.check(force=True)
    element.get_by_role("button", name="다른 글").click()
    assert story.inner_text().startswith(WITHOUT["positions"]["stories"][1]["text"][:8])


def test_a_guess_is_answered_and_the_next_text_gives_nothing_away(figure):  # noqa: F811
    element = figure("missing-part", width=390)
    status, marks = element.locator(".lf-status"), element.locator(".mp-story mark")
    element.get_by_label("맞혀 보기").check(force=True)
    asked = element.evaluate("e => e.asked.map(({ part }) => part)")
    assert len(set(asked)) >= 4 and "nothing" not in asked
    for number, part in enumerate(asked[:6]):
        assert f"문제 {number + 1} / {len(asked)}" in status.inner_text()
        assert marks.count() == 0 and not element.locator(".lf-stage svg").is_visible()
        guessed = sorted(set(asked))[number % 2]
        element.evaluate("(e, guess) => e.set({ guess })", guessed)
        assert status.inner_text().startswith("맞습니다" if guessed == part else "아닙니다")
        assert marks.count() > 0 and element.locator(".lf-stage svg").is_visible()
        element.get_by_role("button", name="다음 문제").click()
    assert element.get_by_role("radio", checked=True).count() == 1, "a guess is left over"  # the task's
