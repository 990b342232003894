"""What the exercise `tokenization` is graded by."""

from grader.judging.suite import observes, place, points


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


@points(
    0.75,
    question="bpe_train",
    hint="가장 자주 이웃하는 쌍을 합치고, 합친 글에서 다시 세어 다음 쌍을 고릅니다. 같은 단어는 나온 횟수만큼 셉니다.",
    read="tokenization#bpe-training",
)
def test_most_frequent_pair_first(student):
    words = ["먹었다"] * 4 + ["웃었다"] * 2 + ["먹는다"]
    assert_tokens(student.bpe_train(words, 3), [("었", "다"), ("먹", "었다"), ("웃", "었다")])
    assert_tokens(student.bpe_train(["bab"] * 3 + ["ab"], 2), [("a", "b"), ("b", "ab")])


@points(
    0.5,
    question="bpe_train",
    hint="횟수가 같으면 번호가 작은 쌍이 먼저입니다. 번호는 글자들이 코드 포인트의 차례로 받고, 합쳐진 기호가 그다음입니다.",
    read="tokenization#bpe-ties",
)
def test_ties_go_by_numbers(student):
    assert_tokens(student.bpe_train(["가나다", "가나", "나다"], 2), [("가", "나"), ("나", "다")])
    assert_tokens(student.bpe_train(["다나", "나가"], 2), [("나", "가"), ("다", "나")])


@points(
    0.25,
    question="bpe_train",
    hint="한 번만 나온 쌍도 합칩니다. 합칠 쌍이 남지 않으면 num_merges번이 되기 전이라도 끝냅니다.",
    read="tokenization#bpe-ends",
)
def test_goes_on_until_no_pair_is_left(student):
    assert_tokens(student.bpe_train(["가나다", "가나", "라"], 9), [("가", "나"), ("가나", "다")])


@observes("bpe_train")
def observe_bpe_train(student):
    return [
        student.bpe_train(["가나다", "가나", "나다"], 3),
        student.bpe_train(["다나", "나가", "다라"], 3),
        student.bpe_train(NEWEST, 8),
        student.bpe_train(["xa"] * 5 + ["xab"] + ["ab"] * 3, 5),
        student.bpe_train(["aaaa", "aaa", "ba", "ba", "ba", "ba"], 4),
        student.bpe_train(["ab", "ca", "bd"] * 2, 9),
    ]




# bpe_encode -------------------------------------------------------------------------------------------------

LEARNT = [("었", "다"), ("는", "다"), ("먹", "었다"), ("먹", "는다")]


@points(
    0.75,
    question="bpe_encode",
    hint="합칠 수 있는 쌍이 여럿이면 리스트에서 가장 앞에 있는 것을 먼저 합칩니다. 왼쪽에 있는 것이 먼저가 아닙니다.",
    read="tokenization#bpe-rank",
)
def test_earliest_merge_first(student):
    assert_tokens(student.bpe_encode("나가나", [("가", "나"), ("나", "가")]), ["나", "가나"])
    assert_tokens(student.bpe_encode("나가나", [("나", "가"), ("가", "나")]), ["나가", "나"])


@points(
    0.75,
    question="bpe_encode",
    hint="합친 결과끼리도 다시 합칩니다. 같은 쌍이 여러 번 있으면 모두 합치고, 모르는 글자는 그대로 둡니다.",
    read="tokenization#bpe-encoding",
)
def test_merged_symbols_merge_again(student):
    assert_tokens(student.bpe_encode("먹었다", LEARNT), ["먹었다"])
    assert_tokens(student.bpe_encode("걷는다", LEARNT), ["걷", "는다"])
    assert_tokens(student.bpe_encode("먹는다는다", LEARNT), ["먹는다", "는다"])


@observes("bpe_encode")
def observe_bpe_encode(student):
    encode = student.bpe_encode
    return [
        encode("나가나", [("가", "나"), ("나", "가")]),
        encode("나가나", [("나", "가"), ("가", "나")]),
        encode("먹는다는다?", LEARNT),
        encode("먹었다", LEARNT),
        encode("aaaaab", [("a", "a"), ("a", "b"), ("aa", "aa")]),
        encode("abcd", [("a", "b"), ("c", "d"), ("b", "c"), ("ab", "cd")]),
        encode("abc", [("b", "c"), ("a", "b"), ("ab", "d")]),
        encode("abcabc", [("b", "c"), ("a", "bc")]),
        encode("abc", [("b", "c"), ("a", "bc"), ("a", "b")]),
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


@points(
    0.75,
    question="wordpiece_encode",
    hint="앞에서부터 가장 긴 토큰을 떼고, 둘째 조각부터는 '##'을 붙여 찾고 붙인 채로 돌려줍니다.",
    read="tokenization#wordpiece",
)
def test_longest_piece_first(student):
    assert_tokens(student.wordpiece_encode("학교는", SCHOOL, "[UNK]"), ["학교", "##는"])
    assert_tokens(student.wordpiece_encode("학교에서는", SCHOOL, "[UNK]"), ["학교에", "##서", "##는"])


@points(
    0.75,
    question="wordpiece_encode",
    hint="어디서든 맞는 토큰이 없으면 뗀 조각을 모두 버리고 단어 전체가 unk 하나입니다.",
    read="tokenization#wordpiece-unknown",
)
def test_unknown_part_makes_the_word_unknown(student):
    assert_tokens(student.wordpiece_encode("학교에서", SCHOOL, "[UNK]"), ["학교에", "##서"])
    assert_tokens(student.wordpiece_encode("학교에서만", SCHOOL, "[UNK]"), ["[UNK]"])
    assert_tokens(student.wordpiece_encode("교학", SCHOOL, "<모름>"), ["<모름>"])


@observes("wordpiece_encode")
def observe_wordpiece_encode(student):
    encode = student.wordpiece_encode
    letters = vocabulary(
        "?", "[UNK]", "a", "ab", "abc", "##b", "##bc", "##cd", "##d", "##e", "##a", "c", "de"
    )
    return [
        encode("학교에서는", SCHOOL, "<모름>"),
        encode("학교에서만", SCHOOL, "<모름>"),
        encode("교학", SCHOOL, "<모름>"),
        encode("학교", SCHOOL, "<모름>"),
        encode("abcd", letters, "?"),
        encode("abcde", letters, "?"),
        encode("abcda", letters, "?"),
        encode("abzcd", letters, "?"),
        encode("az", vocabulary("?", "a", "##z", "az"), "?"),
        encode("axy", vocabulary("?", "a", "ax", "##xy"), "?"),
        encode("abcdef", vocabulary("?", "ab", "##cd", "##ef"), "?"),
        encode("", letters, "?"),
    ]




# decompose_jamo ---------------------------------------------------------------------------------------------


@points(
    0.5,
    question="decompose_jamo",
    hint="0xAC00을 뺀 수를 588로 나눈 몫이 첫소리, 그 나머지를 28로 나눈 몫이 가운뎃소리, 나머지가 끝소리입니다.",
    read="tokenization#jamo",
)
def test_syllables_come_apart(student):
    assert_text(student.decompose_jamo("각"), "\u1100\u1161\u11a8")
    assert_text(student.decompose_jamo("나무A"), "\u1102\u1161\u1106\u116eA")


@observes("decompose_jamo")
def observe_decompose_jamo(student):
    texts = ["각", "나무", "한글 Aé!", "힣", "가뷁", "ㄱㅏ\u1100", "\uabff\ud7a4"]
    return [student.decompose_jamo(text) for text in texts]




# compose_jamo -----------------------------------------------------------------------------------------------


@points(
    0.5,
    question="compose_jamo",
    hint="첫소리 뒤의 가운뎃소리를 합치고, 끝소리 없는 음절 뒤의 끝소리를 합칩니다. 그 음절은 처음부터 완성되어 있었을 수도 있습니다.",
    read="tokenization#compose",
)
def test_jamo_come_together(student):
    assert_text(student.compose_jamo("\u1112\u1161\u11ab\u1100\u1173\u11af A"), "한글 A")
    assert_text(student.compose_jamo("\u1102\u1161\u1106\u116e"), "나무")
    assert_text(student.compose_jamo("가\u11a8"), "각")


@observes("compose_jamo")
def observe_compose_jamo(student):
    texts = [
        "\u1112\u1161\u11ab\u1100\u1173\u11af A",
        "\u1102\u1161\u1106\u116e",
        "가\u11a8",
        "각\u11a8",
        "가\u11a7",
        "\u1100\u1100\u1161 \u1161 \u11a8 \u1100",
        "ㄱㅏ",
        "e\u0301",
        "\u1100\u1161\u11a8\u11a9",
        "\u1112\u1175\u11c2",
    ]
    return [student.compose_jamo(text) for text in texts]
