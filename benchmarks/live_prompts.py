"""Texts that the live GPT continues: a hundred beginnings of strangers, with its guards and without.

    PYTHONPATH=. python benchmarks/live_prompts.py [--json FILE]

Three rules judge each text, at the widget's own settings (temperature 0.7, the top 40, its seed): nothing unknown
([UNK]) is shown; no mark stands more than three times on end and no three tokens come twice; it ends by itself within 60
tokens, after two words of its own or more.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/site", "assets", "assets/extensions", "chapters")]

import chromium  # noqa: E402
import live_engine  # noqa: E402

from grader.results import write_whole  # noqa: E402

PROMPTS = """
배우들의 | 이 영화는 | 마지막 장면에서 | 처음엔 기대 안 했는데 | 어릴 때 봤던 | 오늘 날씨가 너무 | 트랜스포머는 | 안녕하세요 | 나는 | 너는 누구니
인공지능은 | 한국의 수도는 | 서울은 | 사랑은 | 인생은 | 오늘 점심은 | 내일은 | 엄마가 | 아빠는 | 친구랑
학교에서 | 시험이 | 수학은 | 고양이가 | 강아지는 | 커피를 | 비가 오는 날 | 겨울에 | 여름 휴가 | 주말에는
감독은 | 감독님 | 주인공이 | 여주인공의 | 악역이 | 음악이 | 노래가 | 결말이 | 반전이 | 스토리가
연출이 | 영상미가 | 액션은 | 공포영화인데 | 코미디 영화라서 | 로맨스 | 애니메이션 | 드라마로 | 다큐멘터리 | 속편은
극장에서 | 집에서 | 혼자 봤는데 | 남자친구와 | 가족과 함께 | 아이들과 | 두 번 봤다 | 세 번째 | 다시 봐도 | 10년이 지나도
돈이 아깝다 | 시간이 | 지루해서 | 재미있게 | 감동적인 | 슬픈 | 무서운 | 웃긴 | 최고의 | 최악의
왜 | 정말 | 솔직히 | 그런데 | 하지만 | 만약 | 역시 | 와 | 음 | ㅋㅋㅋ
hello | The movie | ChatGPT | GPT | 123 | 2024년 | ??? | ... | 뷁 | 쀍뒑
옛날 옛적에 | 대통령은 | 축구는 | 우리나라 | 일본 | 미국 영화 | 할리우드 | 송강호 | 봉준호 감독 | 기생충
"""
WRITE = """prompts => {
  const gpt = new transformer.Gpt(decodeWeights(live.files.tiny_gpt));
  const tokenizer = new WordPiece(live.files.tiny_gpt.vocabulary);
  const sampler = new sampling.Sampler(tokenizer.tokens);
  const [CLS, SEP] = ["[CLS]", "[SEP]"].map((token) => tokenizer.ids.get(token));
  return [false, true].map((fresh) => prompts.map((prompt) => {
    const strange = fresh ? tokenizer.strange(prompt) : [];
    const known = WordPiece.words(prompt).filter((word) => !strange.includes(word));
    const ids = [CLS, ...known.flatMap((word) => tokenizer.encode(word))];
    const begin = ids.length, cache = gpt.newCache(), random = sampling.random(3);
    let ended = false;
    while (!ended && ids.length < begin + 60) {
      const logits = gpt.next(ids.length === begin ? ids : ids.slice(-1), cache);
      const without = fresh && !sampler.mayEnd(ids.slice(begin)) ? SEP : undefined;
      const id = sampler.draw(logits, ids, { temperature: 0.7, k: 40, fresh, without, random });
      ended = id === SEP;
      if (!ended) ids.push(id);
    }
    return { text: tokenizer.decode(ids), own: tokenizer.decode(ids.slice(begin)), ids: ids.slice(begin), ended };
  }));
}"""


def kept(text: dict) -> tuple[bool, bool, bool]:
    """Three flags: no [UNK], no repetition, an end after two words or more."""
    threes = list(zip(text["ids"], text["ids"][1:], text["ids"][2:], strict=False))
    again = len(set(threes)) < len(threes) or re.search(r"([^\w\s])(?:\s?\1){3}", text["own"])
    words = [word for word in text["own"].split() if re.search(r"\w", word)]
    return "[UNK]" not in text["text"], not again, text["ended"] and len(words) >= 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the texts and the counts here, too")
    args = parser.parse_args()
    prompts = [prompt.strip() for line in PROMPTS.strip().splitlines() for prompt in line.split("|")]
    assert len(prompts) == len(set(prompts)) == 100
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium.installed(), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(live_engine.lay_out(Path(folder)).as_uri())
        for script in ("coarse.js", "sampling.js"):
            page.add_script_tag(path=ROOT / "assets" / "static" / "live" / script)
        found = page.evaluate(WRITE, prompts)
        browser.close()
    measured = {}
    for name, texts in zip(("as it draws", "guarded"), found, strict=True):
        rules = [kept(text) for text in texts]
        counts = {"nothing unknown": 0, "no repetition": 1, "ends, two words": 2}
        measured[name] = {rule: sum(one[i] for one in rules) for rule, i in counts.items()}
        measured[name]["all three"] = sum(map(all, rules))
        print(f"{name:<12}", "  ".join(f"{rule} {count}" for rule, count in measured[name].items()))
    measured["texts"] = [[text["text"] for text in pair] for pair in zip(*found, strict=True)]
    if args.json:
        write_whole(args.json, json.dumps(measured, ensure_ascii=False, indent=1).encode())


if __name__ == "__main__":
    main()
