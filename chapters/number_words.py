"""The translation task of three chapters: a number's English words to its Korean words.

English counts by thousands, Korean by ten thousands (만), so the words do not line up one to one:
123,456 is "one hundred and twenty-three thousand, four hundred and fifty-six" and "십이만 삼천사백오십육".
"""

import random

from num2words import num2words

PAD, SOS, EOS = 0, 1, 2
SPECIAL = ["[PAD]", "[SOS]", "[EOS]"]


def english(number: int) -> list[str]:
    """The English words of a number: 21 -> ["twenty", "one"]."""
    return num2words(number).replace("-", " ").replace(",", "").split()


def korean(number: int) -> list[str]:
    """The Korean syllables of a number: 21 -> ["이", "십", "일"]."""
    return list(num2words(number, lang="ko").replace(" ", ""))


class Vocabulary:
    """Tokens and their ids; the special tokens come first."""

    def __init__(self, tokens):
        self.tokens = SPECIAL + sorted(set(tokens))
        self.ids = {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: list[str]) -> list[int]:
        return [self.ids[token] for token in tokens]

    def decode(self, ids: list[int]) -> list[str]:
        """The tokens up to the first EOS, without special ones."""
        if EOS in ids:
            ids = ids[: ids.index(EOS)]
        return [self.tokens[i] for i in ids if i >= len(SPECIAL)]


def draw(count: int, below: int, seed: int) -> list[int]:
    """Different numbers, half of them drawn evenly, half with an evenly drawn number of digits."""
    rng = random.Random(seed)
    digits = len(str(below - 1))
    numbers: set[int] = set()
    while len(numbers) < count:
        even = rng.random() < 0.5
        numbers.add(rng.randrange(below if even else min(below, 10 ** rng.randint(1, digits))))
    return rng.sample(sorted(numbers), count)
