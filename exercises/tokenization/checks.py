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
