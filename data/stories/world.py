"""A small world of Korean stories in which each part of a language model has something to do.

A story knows, for some of its syllables, which skill it takes to write them: `Mark.at` is the syllable's place in the text.
The choices that the generator itself makes bound what a model can reach: `Story.nats` is their cost, and the mean of it
over all syllables is the lowest loss possible.
"""

from __future__ import annotations

import math
import random
from typing import NamedTuple

FIRST = "민서지하도예유은수태"
SECOND = "준연호윤아진우현빈율"
ELDERS = ("할머니", "할아버지", "어머니", "아버지", "선생님", "삼촌")
PLACES = ("시장", "바닷가", "도서관", "공원", "학교", "강가", "꽃밭", "놀이터", "박물관", "산골")
DAYS = ("맑은 날", "비 오는 날", "눈 오는 날", "바람 부는 날", "더운 날", "추운 날")
THINGS = {  # by the word that counts them
    "개": ("사과", "배", "감", "귤", "빵", "공"),
    "권": ("책", "공책", "그림책", "수첩"),
    "송이": ("장미", "국화", "튤립", "나리"),
    "자루": ("연필", "색연필", "붓", "호미"),
    "마리": ("토끼", "병아리", "금붕어", "오리"),
    "장": ("종이", "엽서", "사진", "손수건"),
}
COUNTER = {thing: counter for counter, things in THINGS.items() for thing in things}
NUMBERS = ("한", "두", "세", "네")

SKILLS = ("particle", "quote", "honorific", "name", "counter", "place", "owner", "sum")


class Mark(NamedTuple):
    """A syllable that takes a skill: right if likelier than each of `wrong`, or, without them, than any other."""

    at: int
    skill: str
    wrong: str


def has_final(word: str) -> bool:
    """True if the last syllable ends in a consonant (받침)."""
    return (ord(word[-1]) - ord("가")) % 28 != 0


class Story:
    """One story; two children and an elder meet, give, buy and talk, and go home."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.text = ""
        self.marks: list[Mark] = []
        self.nats = 0.0
        self.met: set[str] = set()
        self.given: list[tuple[str, str]] = []
        self.write()

    def write(self) -> None:
        a = self.pick(FIRST) + self.pick(SECOND)
        b = self.pick([s for s in FIRST if s != a[0]]) + self.pick([s for s in SECOND if s != a[1]])
        self.children = a, b
        self.elder = self.pick(ELDERS)
        self.place = self.pick(PLACES)
        self.meet(a, b)
        self.sentence(f"그곳에는 {self.elder}께서 계셨다")
        for event in self.shuffled([self.give, self.give, self.pick([self.buy, self.talk])]):
            event()
        for thing, owner in self.shuffled(self.given):
            self.topic(thing)
            self.say("이제 ")
            self.person(owner, skill="owner")
            self.sentence("의 것이었다")
        if self.pick([True, False]):
            self.say("두 아이는 ")
        else:
            p, q = self.pick([(a, b), (b, a)])
            self.person(p)
            self.particle(p, "과와")
            self.say(" ")
            self.person(q)
            self.particle(q, "은는")
            self.say(" ")
        self.say(self.place, "place")
        self.sentence("에서 집으로 돌아왔다", last=True)

    # Choices, and what they cost

    def pick(self, options):
        options = list(options)
        self.nats += math.log(len(options))
        return self.rng.choice(options)

    def shuffled(self, items: list) -> list:
        orders = math.factorial(len(items)) / math.prod(
            math.factorial(items.count(item)) for item in set(items)
        )
        self.nats += math.log(orders)
        return self.rng.sample(items, len(items))

    # Pieces of sentences

    def say(self, text: str, skill: str | None = None, wrong: str = "") -> None:
        """Append the text; its first syllable takes the skill."""
        if skill:
            self.marks.append(Mark(len(self.text), skill, wrong))
        self.text += text

    def sentence(self, text: str, last: bool = False) -> None:
        self.say(text + ".")
        self.say("\n" if last else " ", "quote", "”")

    def particle(self, word: str, pair: str) -> None:
        """The one of the pair (after a consonant, after a vowel) that fits the word."""
        right, wrong = pair if has_final(word) else pair[::-1]
        self.say(right, "particle", wrong)

    def person(self, name: str, skill: str | None = None) -> None:
        self.say(name[0], skill)
        self.say(name[1:], "name" if name in self.children and name in self.met else None)
        self.met.add(name)

    def topic(self, word: str) -> None:
        if word == self.elder:
            self.say(f"{word}께서는 ")
            return
        self.person(word) if word in self.children else self.say(word)
        self.particle(word, "은는")
        self.say(" ")

    def to(self, name: str) -> None:
        self.person(name)
        self.say("께 " if name == self.elder else "에게 ")

    def object(self, thing: str) -> None:
        self.say(thing)
        self.particle(thing, "을를")
        self.say(" ")

    # Events

    def meet(self, a: str, b: str) -> None:
        self.say(self.pick(DAYS) + " ")
        how = self.pick(["went", "met", "played"])
        if how == "played":
            self.say(f"{self.place}에서 ")
        self.person(a)
        self.particle(a, "은는" if how == "met" else "과와")
        self.say(f" {self.place}에서 " if how == "met" else " ")
        self.person(b)
        self.particle(b, {"went": "은는", "met": "을를", "played": "이가"}[how])
        self.sentence({"went": f" {self.place}에 갔다", "met": " 만났다", "played": " 놀았다"}[how])

    def pair(self) -> tuple[str, str, str]:
        """Giver, receiver, and which of them is the elder: 'from', 'to' or 'none'."""
        (a, b), elder = self.children, self.elder
        giver, taker = self.pick([(a, b), (b, a), (a, elder), (b, elder), (elder, a), (elder, b)])
        return giver, taker, "from" if giver == elder else "to" if taker == elder else "none"

    def give(self) -> None:
        giver, taker, honour = self.pair()
        thing = self.pick([thing for thing in COUNTER if thing not in [given for given, _ in self.given]])
        self.topic(giver)
        self.to(taker)
        self.object(thing)
        if self.pick([True, False]):
            self.say("선물")
            ending, wrong = {
                "from": ("하셨다", "했해"),
                "to": ("해 드렸다", "했하"),
                "none": ("했다", "하해"),
            }[honour]
            self.say(ending, "honorific", wrong)
        elif honour == "to":
            self.say("드렸다", "honorific", "주")
        else:
            self.say("주", "honorific", "드")
            ending, wrong = ("셨다", "었") if honour == "from" else ("었다", "셨")
            self.say(ending, "honorific", wrong)
        self.sentence("")
        self.given.append((thing, taker))

    def buy(self) -> None:
        buyer = self.pick([*self.children, self.elder])
        counter = self.pick(THINGS)
        first = self.pick(THINGS[counter])
        second = self.pick([thing for thing in THINGS[counter] if thing != first])
        n, m = self.pick(range(1, 5)), self.pick(range(1, 5))
        self.topic(buyer)
        self.say(f"{first} {NUMBERS[n - 1]} ")
        self.say(counter, "counter")
        self.particle(counter, "과와")
        self.say(f" {second} {NUMBERS[m - 1]} ")
        self.say(counter, "counter")
        self.particle(counter, "을를")
        self.say(" ")
        ending, wrong = ("사셨다", "샀") if buyer == self.elder else ("샀다", "사")
        self.say(ending, "honorific", wrong)
        self.sentence("")
        self.say("모두 ")
        self.say(str(n + m), "sum")
        self.say(counter, "counter")
        ending, wrong = ("이었다", "였") if has_final(counter) else ("였다", "이")
        self.say(ending, "particle", wrong)
        self.sentence("")

    def talk(self) -> None:
        speaker, listener, honour = self.pair()
        thing = self.pick(COUNTER)
        self.topic(speaker)
        self.to(listener)
        self.say("“")
        how = self.pick(["like", "want", "saw"])
        if how == "saw":
            self.say("어제 ")
        else:
            pronoun, wrong = ("저는 ", "나") if honour == "to" else ("나는 ", "저")
            self.say(pronoun, "honorific", wrong)
        self.say(thing)
        self.particle(thing, "이가" if how == "want" else "을를")
        self.say({"like": " 좋아", "want": " 갖고 싶", "saw": " 보았"}[how])
        plain = {"like": "해", "want": "어", "saw": "어"}[how]
        down = {"like": "한단다", "want": "구나", "saw": "단다"}[how]
        if honour == "from":
            self.say(down, "honorific", plain)
        else:
            self.say(plain, "honorific", down[0])
            if honour == "to":
                self.say("요", "honorific", ".")
            else:
                self.marks.append(Mark(len(self.text), "honorific", "요"))
        self.say(".")
        self.say("”라고 말", "quote", " \n")
        ending, wrong = {"from": ("씀하셨다", "했"), "to": ("씀드렸다", "했"), "none": ("했다", "씀")}[honour]
        self.say(ending, "honorific", wrong)
        self.sentence("")


def stories(count: int, seed: int) -> list[Story]:
    """`count` stories; the same for the same seed on every machine."""
    rng = random.Random(seed)
    return [Story(rng) for _ in range(count)]


def floor(made: list[Story]) -> float:
    """The lowest loss possible, in nats a syllable: what the generator's own choices cost."""
    return sum(story.nats for story in made) / sum(len(story.text) for story in made)
