"""What the exercise `tokenization` is graded by."""

from grader.judging.observed import attempt
from grader.judging.suite import observes, place, points


def each(function, *cases):
    """What a call on each case's arguments returns, or "fails"."""
    return [attempt(function, *case) for case in cases]


def assert_tokens(actual, expected):
    """A list of strings or pairs; a tuple, and lists as pairs, will do."""
    if not isinstance(actual, list | tuple):
        raise AssertionError(f"리스트를 돌려주어야 하는데 {type(actual).__name__}입니다.")
    found = [tuple(entry) if isinstance(entry, list) else entry for entry in actual]
    assert found == expected, f"{expected} 대신 {found}입니다."


def assert_text(actual, expected):
    """A string, shown by code points, since jamo and syllables look alike."""
    if not isinstance(actual, str):
        raise AssertionError(f"문자열을 돌려주어야 하는데 {type(actual).__name__}입니다.")
    if actual != expected:
        where = next((i for i, (a, e) in enumerate(zip(actual, expected)) if a != e), None)  # noqa: B905
        where = min(len(actual), len(expected)) if where is None else where
        raise AssertionError(
            f"{where}번째 글자부터 다릅니다: {code_points(expected[where : where + 4])} 대신 "
            f"{code_points(actual[where : where + 4])}입니다."
        )


def code_points(text):
    return " ".join(f"U+{ord(char):04X}" for char in text) or "(끝)"


# bpe_train --------------------------------------------------------------------------------------------------

NEWEST = ["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3


@points(0.75, "bpe_train", read="bpe-training", step="warm-up")
def test_most_frequent_pair_first(student):
    """가장 자주 이웃하는 쌍을 합치고, 합친 글에서 다시 세어 다음 쌍을 고릅니다. 같은 단어는 나온 횟수만큼 셉니다."""
    words = ["먹었다"] * 4 + ["웃었다"] * 2 + ["먹는다"]
    assert_tokens(student.bpe_train(words, 3), [("었", "다"), ("먹", "었다"), ("웃", "었다")])
    assert_tokens(student.bpe_train(["bab"] * 3 + ["ab"], 2), [("a", "b"), ("b", "ab")])


@points(0.5, "bpe_train", read="bpe-ties")
def test_ties_go_by_numbers(student):
    """횟수가 같으면 번호가 작은 쌍이 먼저입니다. 번호는 글자들이 코드 포인트의 차례로 받고, 합쳐진 기호가 그다음입니다."""
    assert_tokens(student.bpe_train(["가나다", "가나", "나다"], 2), [("가", "나"), ("나", "다")])
    assert_tokens(student.bpe_train(["다나", "나가"], 2), [("나", "가"), ("다", "나")])


@points(0.25, "bpe_train", read="bpe-ends")
def test_goes_on_until_no_pair_is_left(student):
    """한 번만 나온 쌍도 합칩니다. 합칠 쌍이 남지 않으면 num_merges번이 되기 전이라도 끝냅니다."""
    assert_tokens(student.bpe_train(["가나다", "가나", "라"], 9), [("가", "나"), ("가나", "다")])


def train_from_a_generator(train, words, num_merges):
    return train((word for word in words), num_merges)


@observes("bpe_train")
def observe_bpe_train(student):
    train = student.bpe_train

    def foreign():
        parts = [str(part) for pair in train(["xb", "yb", "zb"], 1) for part in pair]
        return bool(set("".join(parts)) - set("xyzb()', 0123456789"))

    def in_tuples(pairs):
        return [tuple(pair) for pair in pairs]

    def from_a_generator():
        found = place(student, train_from_a_generator)(train, ["가나", "나", "가나"], 1)
        return in_tuples(found) == [("가", "나")]

    def kind_of_entries():
        first = train(["aaaa"], 2)[0]
        return (
            "text" if isinstance(first, str) and first.count("a") == 2 else in_tuples([first]) == [("a", "a")]
        )

    counted = ["가나"] * 2 + ["다라"] + ["마바"] * 4 + ["사아"] * 3
    tied = ["라", "마나", "라다", "다가", "가나", "바가", "마다"]
    return [
        attempt(foreign),
        attempt(kind_of_entries),
        attempt(lambda: len(train(["가나가다나다가"] * 2, 4)) == 4),
        *each(
            train,
            (counted, 2),
            (["ca", "bd", "da", "bc", "ea", "be", "fa", "xy", "xy"], 1),
            (["abc"] * 3 + ["ab"] * 2 + ["cd"] * 2, 2),
            (["abcabdab"] * 2 + ["xy"] * 3, 2),
            (["xa"] * 5 + ["xab"] * 3 + ["ab"] * 4 + ["yz"] * 2, 3),
            (["aaa"] * 2 + ["bc"] * 3, 1),
            (tied, 1),
            (["가다", "가나", "가라"], 1),
            (["가나"] * 3 + ["가나다", "나다"], 2),
            (["가나"], 1),
            (["가나"], 3),
        ),
        attempt(lambda: in_tuples(train(["aaa"] * 2, 2)) == [("a", "a"), ("aa", "a")]),
        attempt(from_a_generator, otherwise=False),
    ]


### BEGIN HIDDEN TESTS
def library_merges(words, num_merges):
    """The merges that `tokenizers` learns, each sequence one word."""
    import json

    from tokenizers import Tokenizer, models, trainers

    tokenizer = Tokenizer(models.BPE())
    size = len(set("".join(words))) + num_merges
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False)
    tokenizer.train_from_iterator(words, trainer)
    return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


ALPHABETS = ["abcde", "가나다라", "는은이가a", "zyx힣가!", "é가e어🙂", "\u1112\u1161\u11ab\u1100\u116e\u11a8"]


def draw_words(draw, alphabet, count, longest):
    """Random words, some of them several times."""
    words = ["".join(draw.choices(alphabet, k=draw.randint(1, longest))) for _ in range(count)]
    return words + draw.choices(words, k=count // 2)


def draws(rng):
    """Python's generator, seeded from the test's."""
    import random

    import torch

    return random.Random(int(torch.randint(2**31, (), generator=rng)))


@points(0.75, "bpe_train", read="bpe-ties")
def test_merges_are_the_librarys(student, rng):
    """병합마다 모든 쌍을 새로 세고, 횟수가 같으면 번호로 고릅니다. 새 기호가 낀 동점에서도 그렇습니다."""
    draw = draws(rng)
    words = ["xa"] * 5 + ["xab"] + ["ab"] * 3  # "a b" also stands in "xa b"
    assert_tokens(student.bpe_train(words, 3), library_merges(words, 3))
    for alphabet in ALPHABETS * 4:
        words = draw_words(draw, alphabet, draw.randint(2, 12), 6)
        number = draw.randint(1, 20)
        assert_tokens(student.bpe_train(words, number), library_merges(words, number))


@points(0.25, "bpe_train", read="bpe-overlap")
def test_repeated_letters(student, rng):
    """셀 때는 겹친 쌍도 세고, 합칠 때는 왼쪽부터 겹치지 않게 합칩니다. 'aaa'는 (a, a)가 두 번이고, 합치면 aa, a입니다."""
    draw = draws(rng)
    assert_tokens(student.bpe_train(["ㅋㅋㅋㅋㅋ", "하하", "하하", "하하"], 1), [("ㅋ", "ㅋ")])
    assert_tokens(student.bpe_train(["하아하아"], 2), [("하", "아"), ("하아", "하아")])
    expected = [("x", "a"), ("a", "b"), ("xa", "b")]
    assert_tokens(student.bpe_train(["xa"] * 5 + ["xab"] + ["ab"] * 3, 3), expected)
    for alphabet in ["a", "ㅋㅎ", "ab", "아하"] * 3:
        # In the order of their numbers, too, from the first word on: ties are another test's matter.
        words = [alphabet, *draw_words(draw, alphabet, draw.randint(1, 5), 12)]
        number = draw.randint(2, 12)
        assert_tokens(student.bpe_train(words, number), library_merges(words, number))


@points(0.25, "bpe_train", read="bpe-ends", step="robust")
def test_any_words(student):
    """words는 한 번만 훑을 수 있는 것일 수도 있습니다. 빈 단어, 한 글자 단어, 병합 0번도 됩니다."""
    train = place(student, train_from_a_generator)
    expected = [("나", "다"), ("가", "나다")]
    assert_tokens(train(student.bpe_train, ["가나다", "", "가나다", "나다", "라"], 5), expected)
    assert_tokens(student.bpe_train(["가나다", "나다"], 0), [])
    assert_tokens(student.bpe_train([], 3), [])


@points(0.25, "bpe_train", read="normalisation", step="robust")
def test_jamo_are_characters(student):
    """NFD로 적힌 한글은 자모가 글자입니다. 글을 정규화하지 말고 받은 문자열의 글자를 그대로 쓰십시오."""
    import unicodedata

    words = ["갔다", "봤다", "했다", "가다", "보다"]
    apart = [unicodedata.normalize("NFD", word) for word in words]
    for text in (words, apart):
        assert_tokens(student.bpe_train(text, 12), library_merges(text, 12))


### END HIDDEN TESTS


# bpe_encode -------------------------------------------------------------------------------------------------

LEARNT = [("었", "다"), ("는", "다"), ("먹", "었다"), ("먹", "는다")]


@points(0.75, "bpe_encode", read="bpe-rank", step="warm-up")
def test_earliest_merge_first(student):
    """합칠 수 있는 쌍이 여럿이면 리스트에서 가장 앞에 있는 것을 먼저 합칩니다. 왼쪽에 있는 것이 먼저가 아닙니다."""
    assert_tokens(student.bpe_encode("나가나", [("가", "나"), ("나", "가")]), ["나", "가나"])
    assert_tokens(student.bpe_encode("나가나", [("나", "가"), ("가", "나")]), ["나가", "나"])


@points(0.75, "bpe_encode", read="bpe-encoding")
def test_merged_symbols_merge_again(student):
    """합친 결과끼리도 다시 합칩니다. 같은 쌍이 여러 번 있으면 모두 합치고, 모르는 글자는 그대로 둡니다."""
    assert_tokens(student.bpe_encode("먹었다", LEARNT), ["먹었다"])
    assert_tokens(student.bpe_encode("걷는다", LEARNT), ["걷", "는다"])
    assert_tokens(student.bpe_encode("먹는다는다", LEARNT), ["먹는다", "는다"])


@observes("bpe_encode")
def observe_bpe_encode(student):
    encode = student.bpe_encode

    def added():
        """What stands in the tokens beside the word's characters."""
        text = "".join(encode("가나다", [("가", "나"), ("다", "가")]))
        return "##" if "##" in text else bool(set(text) - set("가나다"))

    def unknown():
        text = "".join(encode("ab?ab", [("a", "b")]))
        return "dropped" if text == "abab" else text == "ab?ab"

    return [
        attempt(added),
        *each(
            encode,
            ("가나다", [("가", "나"), ("다", "가")]),
            ("나가나", [("가", "나"), ("나", "가")]),
            ("나가나", [("나", "가"), ("가", "나")]),
            ("abc", [("b", "c"), ("ab", "c"), ("a", "d")]),
            ("abcd", [("a", "b"), ("c", "d"), ("b", "c")]),
            ("abxab", [("a", "b"), ("x", "y")]),
            ("먹었다", LEARNT),
            ("xab", [("x", "a"), ("a", "b")]),
        ),
        attempt(lambda: list(encode("aaa", [("a", "a")])) == ["aa", "a"], otherwise=False),
        attempt(unknown, otherwise=False),
        [attempt(list, found) for found in each(encode, ("", [("a", "b")]), ("ab", []))] == [[], ["a", "b"]],
    ]


### BEGIN HIDDEN TESTS
def library_encode(word, merges):
    """BPE by `tokenizers`, with every character in its vocabulary."""
    from tokenizers import models

    tokens = [*dict.fromkeys([*word, *(part for pair in merges for part in (*pair, "".join(pair)))])]
    model = models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges)
    return [token.value for token in model.tokenize(word)]


@points(0.5, "bpe_encode", read="bpe-rank")
def test_tokens_are_the_librarys(student, rng):
    """배운 병합을 배운 차례로 적용하면 학습할 때의 나눗셈이 그대로 나옵니다. 새 단어도 같은 규칙으로 나눕니다."""
    assert_tokens(student.bpe_encode("ㅋㅋㅋ", [("ㅋ", "ㅋ")]), ["ㅋㅋ", "ㅋ"])
    assert_tokens(student.bpe_encode("가나다", [("나", "다"), ("가나", "다")]), ["가", "나다"])
    draw = draws(rng)
    for alphabet in [*ALPHABETS, "ab", "ㅋㅎ"]:
        words = draw_words(draw, alphabet, 12, 8)
        merges = library_merges(words, draw.randint(3, 25))
        for word in [*words[:2], *draw_words(draw, alphabet + "q훍", 2, 12)]:
            assert_tokens(student.bpe_encode(word, merges), library_encode(word, merges))


@points(0.25, "bpe_encode", read="bpe-encoding", step="robust")
def test_nothing_is_lost(student, rng):
    """토큰을 이어 붙이면 원래 단어가 됩니다. 병합이 없으면 글자 하나하나가, 빈 단어이면 빈 리스트가 나옵니다."""
    draw = draws(rng)
    merges = library_merges(["학교에서", "학교", "집에서", "에서"], 4)
    assert_tokens(student.bpe_encode("학교에서는", merges), library_encode("학교에서는", merges))
    for word in draw_words(draw, "학교에서집는zé🙂", 6, 9):
        assert "".join(student.bpe_encode(word, merges)) == word, "글자가 사라지거나 바뀌었습니다."
    assert_tokens(student.bpe_encode("학교", []), ["학", "교"])
    assert_tokens(student.bpe_encode("", merges), [])


### END HIDDEN TESTS


# wordpiece_encode -------------------------------------------------------------------------------------------


def vocabulary(*tokens):
    return {token: i for i, token in enumerate(tokens)}


SCHOOL = vocabulary(
    "[UNK]",
    "<모름>",
    "학",
    "학교",
    "##교",
    "##에",
    "##서",
    "##에서",
    "##는",
    "에서",
    "는",
    "학교에",
    "##학교",
)


@points(0.75, "wordpiece_encode", read="wordpiece", step="warm-up")
def test_longest_piece_first(student):
    """앞에서부터 가장 긴 토큰을 떼고, 둘째 조각부터는 '##'을 붙여 찾고 붙인 채로 돌려줍니다."""
    assert_tokens(student.wordpiece_encode("학교는", SCHOOL, "[UNK]"), ["학교", "##는"])
    assert_tokens(student.wordpiece_encode("학교에서는", SCHOOL, "[UNK]"), ["학교에", "##서", "##는"])


@points(0.75, "wordpiece_encode", read="wordpiece-unknown")
def test_unknown_part_makes_the_word_unknown(student):
    """어디서든 맞는 토큰이 없으면 뗀 조각을 모두 버리고 단어 전체가 unk 하나입니다."""
    assert_tokens(student.wordpiece_encode("학교에서", SCHOOL, "[UNK]"), ["학교에", "##서"])
    assert_tokens(student.wordpiece_encode("학교에서만", SCHOOL, "[UNK]"), ["[UNK]"])
    assert_tokens(student.wordpiece_encode("교학", SCHOOL, "<모름>"), ["<모름>"])


@observes("wordpiece_encode")
def observe_wordpiece_encode(student):
    encode = student.wordpiece_encode

    def split(word, *tokens):
        return attempt(encode, word, vocabulary("[UNK]", *tokens, "?"), "?")

    def unknown():
        found = list(encode("z", vocabulary("a", "?", "[UNK]"), "?"))
        return found[0] if found in (["?"], ["[UNK]"]) else "another"

    def stuck():
        """The pieces before a part that only a token without "##" fits, whether or not unk follows."""
        found = split("학교에서", "학교", "에서")
        return found[:-1] if list(found[1:]) == ["?"] else found

    return [
        split("ab", "a", "ab", "##b"),
        attempt(unknown, otherwise="another"),
        split("학교에서", "학교", "에서", "##에서"),
        split("학교에서", "학교", "##에서"),
        attempt(stuck),
        split("abc", "a", "ab", "##b", "##bc", "##c"),
        split("abcd", "ab", "##c", "##cd", "##d"),
        split("ab", "##a", "##b"),
        split("abzc", "ab", "##c"),
        split("axy", "a", "ax", "##xy"),
        attempt(list, split("", "a")) == [],
    ]


### BEGIN HIDDEN TESTS
def encode_by_a_set(encode, word, tokens):
    return encode(word, set(tokens))


def library_wordpiece(word, vocab, unk):
    from tokenizers import models

    return [token.value for token in models.WordPiece(vocab=vocab, unk_token=unk).tokenize(word)]


@points(0.5, "wordpiece_encode", read="wordpiece-greedy")
def test_pieces_are_the_librarys(student, rng):
    """한 번 뗀 조각을 되돌리지 않습니다. 다르게 나누면 맞출 수 있었더라도, 막히면 단어 전체가 unk입니다."""
    draw = draws(rng)
    for alphabet in [*ALPHABETS, "ab", "ㅋ"]:
        words = draw_words(draw, alphabet, 6, 7)
        cuts = [word[i:j] for word in words for i in range(len(word)) for j in range(i + 1, len(word) + 1)]
        chosen = draw.choices(cuts, k=len(cuts) // 2) + draw.sample(alphabet, len(alphabet) // 2)
        tokens = [draw.choice(["", "##"]) + piece for piece in chosen]
        tokens += ["##" + char for char in alphabet[1:]]
        unk = draw.choice(["[UNK]", "<unk>"])
        vocab = vocabulary(*dict.fromkeys([unk, *tokens]))
        for word in words[:5]:
            assert_tokens(student.wordpiece_encode(word, vocab, unk), library_wordpiece(word, vocab, unk))
    vocab = vocabulary("?", "a", "ax", "##xy")
    assert_tokens(student.wordpiece_encode("axy", vocab, "?"), ["?"])
    assert_tokens(student.wordpiece_encode("ax", vocab, "?"), ["ax"])


@points(0.25, "wordpiece_encode", read="wordpiece-unknown", step="robust")
def test_whole_words_and_no_word(student):
    """unk는 부르는 쪽이 정하고, 주지 않으면 [UNK]입니다. 단어 전체가 어휘에 있으면 그대로 한 토큰입니다. 빈 단어는 빈 리스트입니다."""
    import unicodedata

    assert_tokens(student.wordpiece_encode("학교", SCHOOL), ["학교"])
    assert_tokens(student.wordpiece_encode("집", SCHOOL), ["[UNK]"])
    assert_tokens(student.wordpiece_encode("집", SCHOOL, "<모름>"), ["<모름>"])
    assert_tokens(student.wordpiece_encode("", SCHOOL, "<모름>"), [])
    found = place(student, encode_by_a_set)(student.wordpiece_encode, "학교는", ["학교", "##는"])
    assert_tokens(found, ["학교", "##는"])
    apart = unicodedata.normalize("NFD", "학교")
    assert_tokens(student.wordpiece_encode(apart, SCHOOL, "<모름>"), ["<모름>"])


### END HIDDEN TESTS


# decompose_jamo ---------------------------------------------------------------------------------------------


@points(0.5, "decompose_jamo", read="jamo", step="warm-up")
def test_syllables_come_apart(student):
    """0xAC00을 뺀 수를 588로 나눈 몫이 첫소리, 그 나머지를 28로 나눈 몫이 가운뎃소리, 나머지가 끝소리입니다."""
    assert_text(student.decompose_jamo("각"), "\u1100\u1161\u11a8")
    assert_text(student.decompose_jamo("나무A"), "\u1102\u1161\u1106\u116eA")
    assert_text(student.decompose_jamo("흥"), "\u1112\u1173\u11bc")


FINALS = [("값", "\u11b9"), ("닭", "\u11b0"), ("힝", "\u11bc"), ("있", "\u11bb")]


@observes("decompose_jamo")
def observe_decompose_jamo(student):
    take_apart = student.decompose_jamo

    def sounds(place, right):
        """Whether these syllables' sounds at a place are right."""
        return attempt(
            lambda: "".join(take_apart(char)[place] for char in "마힐뷁쐐있") == right, otherwise=False
        )

    def parts():
        found = take_apart("나")
        return "compatibility" if any("ㄱ" <= char <= "ㅣ" for char in found) else len(found)

    def final():
        return {"\u11a9": "the next", "": "none"}.get(take_apart("각")[2:], True)

    return [
        attempt(parts),
        sounds(0, "\u1106\u1112\u1107\u110a\u110b"),
        sounds(1, "\u1161\u1175\u1170\u116b\u1175"),
        attempt(lambda: all(take_apart(char)[2:] == final for char, final in FINALS), otherwise=False),
        attempt(final),
        *each(take_apart, ("Ab !",), ("é",), ("ㄱㅏ\u1100",)),
        [attempt(lambda char=char: len(take_apart(char))) for char in "가힣"] == [2, 3],
        attempt(take_apart, "\uabff\ud7a4") == "\uabff\ud7a4",
    ]


### BEGIN HIDDEN TESTS
SYLLABLES = "".join(chr(code) for code in range(0xAC00, 0xD7A4))


@points(0.25, "decompose_jamo", read="jamo")
def test_all_syllables(student):
    """음절 11,172개를 모두 풀 수 있어야 합니다. 처음은 가(U+AC00), 마지막은 힣(U+D7A3)입니다. 끝소리가 없으면 두 글자입니다."""
    import unicodedata

    assert_text(student.decompose_jamo(SYLLABLES), unicodedata.normalize("NFD", SYLLABLES))


@points(0.25, "decompose_jamo", read="jamo-others", step="robust")
def test_other_characters_stay(student):
    """음절이 아닌 글자는 그대로 둡니다. é, が, 호환용 자모 ㄱ, 이미 풀린 자모도 그렇습니다."""
    others = "Aé が ㄱㅏ \u1100\u1161 漢 🙂 \u3400\ud7b0\uabff\ud7a4"
    text = f"한{others}글"
    expected = f"\u1112\u1161\u11ab{others}\u1100\u1173\u11af"
    assert_text(student.decompose_jamo(text), expected)
    assert_text(student.decompose_jamo("가") + student.decompose_jamo(""), "\u1100\u1161")


### END HIDDEN TESTS


# compose_jamo -----------------------------------------------------------------------------------------------


@points(0.5, "compose_jamo", read="compose", step="warm-up")
def test_jamo_come_together(student):
    """첫소리 뒤의 가운뎃소리를 합치고, 끝소리 없는 음절 뒤의 끝소리를 합칩니다. 그 음절은 처음부터 완성되어 있었을 수도 있습니다."""
    assert_text(student.compose_jamo("\u1112\u1161\u11ab\u1100\u1173\u11af A"), "한글 A")
    assert_text(student.compose_jamo("\u1102\u1161\u1106\u116e"), "나무")
    assert_text(student.compose_jamo("가\u11a8"), "각")


@observes("compose_jamo")
def observe_compose_jamo(student):
    compose = student.compose_jamo

    def all_give(*pairs):
        return all(attempt(compose, text) == right for text, right in pairs)

    def all_stay(*texts):
        return all_give(*zip(texts, texts, strict=True))

    def loses(*texts):
        """Whether something is missing that can only stay or become a syllable with what follows it."""
        return any(len(compose(text)) < least for text, least in texts)

    return [
        *each(compose, ("\u1112\u1161\u11abA",), ("\u1102\u1161A",), ("\u1102\u1161\u1106\u116eA",)),
        attempt(compose, "가\u11a8A"),
        "fails" in each(compose, ("A\u1100",), ("A\u1102\u1161",), ("가",), ("",)),
        attempt(loses, ("A\u1161 A\u11a8B", 6)),
        attempt(loses, ("A\u1102B", 3), ("\u1102\u1106\u1161A", 3), ("A\u1102", 2)),
        all_stay("각\u11a9"),
        all_give(("\u1100\u1161\u11a8\u11a9", "각\u11a9")),
        all_give(
            ("\u1100\u1161A", "가A"), ("\u1112\u1175A", "히A"), ("가\u11a8A", "각A"), ("가\u11c2A", "갛A")
        ),
        *each(compose, ("가\u11a7A",), ("ㄱㅏA",), ("e\u0301A",)),
        all_stay(
            "\u1113\u1161A", "\u1100\u1176A", "\u1100\u1160A", "가\u11c3A", "\uabe4\u11a8A", "\ud7a4\u11a8A"
        ),
    ]


### BEGIN HIDDEN TESTS
@points(0.25, "compose_jamo", read="compose")
def test_all_syllables_come_back(student):
    """풀었던 음절 11,172개가 모두 제자리로 돌아와야 합니다."""
    import unicodedata

    assert_text(student.compose_jamo(unicodedata.normalize("NFD", SYLLABLES)), SYLLABLES)


@points(0.5, "compose_jamo", read="compose-alone")
def test_mixtures_as_nfc(student, rng):
    """자모, 음절, 다른 글자가 어떻게 섞여 있어도 NFC와 같은 결과여야 합니다. 바로 옆에 있는 것끼리만 합칩니다."""
    import unicodedata

    draw = draws(rng)
    # Both ends of each range and their neighbours, old jamo, compatibility jamo, and what is no Hangul.
    alphabet = (
        "\u10ff\u1100\u1105\u1112\u1113\u115f\u1160\u1161\u116a\u1175\u1176\u11a7\u11a8\u11b5\u11c2\u11c3"
        "가각갛까히힣ㄱㅏA \ud7a4\ud7b0\ua960"
    )
    for _ in range(20):
        text = "".join(draw.choices(alphabet, k=60)) + "A"  # how a text may end is another test's matter
        assert_text(student.compose_jamo(text), unicodedata.normalize("NFC", text))


@points(0.25, "compose_jamo", read="jamo-others", step="robust")
def test_only_hangul_is_composed(student):
    """한글이 아닌 글자와 짝이 없는 자모는 그대로 둡니다. 한글만 모으고, e와 악센트는 합치지 않습니다."""
    text = "e\u0301 か\u3099 ㄱㅏ \u1161\u11a8 \u1100 🙂"
    assert_text(student.compose_jamo(text + "\u1100\u1161"), text + "가")
    assert_text(student.compose_jamo("가\u11a8") + student.compose_jamo(""), "각")


### END HIDDEN TESTS
