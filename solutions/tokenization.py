# %% [markdown]
# # 연습: 토큰화
#
# **난이도** 2/3 · **시간** 70분 · **배점** 10점 · **먼저 읽을 장** [토큰화](../../chapters/tokenization.md)
#
# BPE를 학습하고, 배운 병합으로 단어를 나누고, WordPiece로도 나눕니다. 마지막으로 한글 음절을 자모로 풀고 다시 모읍니다. 결과는
# 모두 문자열이나 문자열의 리스트입니다. 텐서는 나오지 않습니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.

# %%
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

# %% [markdown]
# ## 문제 1. BPE 학습
#
# 단어마다 글자로 나누어 놓고, **가장 자주 이웃하는 쌍**을 하나로 합치는 일을 `num_merges`번 되풀이합니다. 합친 쌍을 차례대로
# 돌려줍니다.
#
# - `words`에 같은 단어가 여러 번 나오면 그 횟수만큼 셉니다. `words`는 한 번만 훑을 수 있는 것(제너레이터)일 수도 있습니다.
# - 쌍은 한 단어 안에서만 셉니다. 단어의 끝을 나타내는 표시는 붙이지 않습니다.
# - 셀 때는 겹친 것도 셉니다: `"aaa"`에서 `(a, a)`는 두 번입니다. 합칠 때는 왼쪽부터, 겹치지 않게 합칩니다: `aa`, `a`.
# - **횟수가 같을 때**: 기호마다 번호가 있습니다. 글자들이 코드 포인트의 차례로 0, 1, 2 …를 받고, 합쳐서 생긴 기호는 생긴
#   차례대로 그다음 번호를 받습니다. 횟수가 같으면 왼쪽 번호가 작은 쌍, 왼쪽도 같으면 오른쪽 번호가 작은 쌍을 고릅니다.
#   `tokenizers` 라이브러리의 규칙과 같습니다.
# - 한 번만 나온 쌍도 합칩니다. 합칠 쌍이 하나도 남지 않으면 `num_merges`번이 되기 전이라도 끝냅니다.
#
# ```text
# bpe_train(["가나다", "가나", "나다"], 2)  →  [("가", "나"), ("나", "다")]
#
# 처음에는 (가, 나)와 (나, 다)가 두 번씩입니다. 번호는 가 0, 나 1, 다 2이므로 (0, 1)이 (1, 2)보다 먼저입니다.
# 그다음에는 (가나, 다)와 (나, 다)가 한 번씩입니다. 가나는 3번이므로 (1, 2)가 (3, 2)보다 먼저입니다.
# ```


# %% bpe_train tags=["question"]
def bpe_train(words: Iterable[str], num_merges: int) -> list[tuple[str, str]]:
    """Learn which neighbours to merge; no end-of-word mark.

    Sennrich et al. 2016, section 3.2.

    Args:
        words: the text's words; a word that occurs k times counts k times.
        num_merges: how many merges to learn at most.

    Returns:
        The merged pairs (left, right) in the order in which they were made; fewer where
        no pair is left. Of pairs that are equally frequent the one with the lowest
        numbers goes first: characters are numbered in code point order, then merged
        symbols as they are made.
    """
    ### BEGIN SOLUTION
    counts = Counter(words)
    number = {symbol: i for i, symbol in enumerate(sorted(set("".join(counts))))}
    split = {word: list(word) for word in counts}
    merges = []
    while len(merges) < num_merges:
        pairs = Counter()
        for word, symbols in split.items():
            for pair in zip(symbols, symbols[1:], strict=False):
                pairs[pair] += counts[word]
        if not pairs:
            break
        # The most frequent; of these, the one with the lowest numbers.
        left, right = min(pairs, key=lambda p: (-pairs[p], number[p[0]], number[p[1]]))
        merges.append((left, right))
        number.setdefault(left + right, len(number))
        split = {word: _merge(symbols, left, right) for word, symbols in split.items()}
    return merges


def _merge(symbols: list[str], left: str, right: str) -> list[str]:
    """Join `left` and `right` where they are neighbours, from the left, no overlap."""
    merged, i = [], 0
    while i < len(symbols):
        if symbols[i : i + 2] == [left, right]:
            merged.append(left + right)
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. BPE로 나누기
#
# 단어를 글자로 나누고, `merges`에 있는 이웃한 쌍 가운데 **리스트에서 가장 앞에 있는 쌍**을 합칩니다. 합칠 쌍이 없을 때까지
# 되풀이합니다. 어느 병합에도 없는 글자는 그대로 둡니다.
#
# ```text
# bpe_encode("나가나", [("가", "나"), ("나", "가")])  →  ["나", "가나"]
# ```
#
# 왼쪽에서 먼저 만나는 것은 `(나, 가)`이지만 `(가, 나)`가 리스트의 앞에 있습니다.


# %% bpe_encode tags=["question"]
def bpe_encode(word: str, merges: Sequence[tuple[str, str]]) -> list[str]:
    """Split a word as training would have: the earliest learnt merge first.

    Args:
        word: any characters, also such as no merge knows.
        merges: pairs (left, right), the earliest learnt first, as `bpe_train` returns
            them.

    Returns:
        The word's tokens, which joined give the word; [] for an empty word.
    """
    ### BEGIN SOLUTION
    rank = {tuple(pair): i for i, pair in enumerate(merges)}
    symbols = list(word)
    while True:
        pairs = zip(symbols, symbols[1:], strict=False)
        known = [pair for pair in pairs if pair in rank]
        if not known:
            return symbols
        left, right = min(known, key=rank.get)
        symbols = _merge(symbols, left, right)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. WordPiece로 나누기
#
# 단어의 앞에서부터 `vocab`에 있는 **가장 긴** 토큰을 떼어 냅니다. 단어의 첫 조각이 아닌 것은 `##`을 붙여서 찾고, 결과에도 `##`을
# 붙인 채로 넣습니다.
#
# 어디서든 맞는 토큰이 없으면 그때까지 뗀 조각을 모두 버리고 **단어 전체**를 `[unk]` 하나로 바꿉니다. 한 번 뗀 조각을 되돌려
# 다르게 나누어 보지는 않습니다. `unk`의 값은 부르는 쪽이 정합니다.
#
# ```text
# vocab = {"[UNK]": 0, "학교": 1, "학": 2, "##에": 3, "##에서": 4}
# wordpiece_encode("학교에서", vocab)  →  ["학교", "##에서"]
# wordpiece_encode("학교는", vocab)    →  ["[UNK]"]
# ```


# %% wordpiece_encode tags=["question"]
def wordpiece_encode(
    word: str, vocab: Collection[str], unk: str = "[UNK]"
) -> list[str]:
    """Split a word greedily into the longest tokens of a vocabulary, as BERT does.

    Args:
        word: one word, without spaces.
        vocab: the known tokens (a dictionary of token numbers will do); "##" marks one
            that continues a word.
        unk: what stands for a word that cannot be split.

    Returns:
        The tokens, all but the first with "##"; [unk] where some part is not in the
        vocabulary; [] for an empty word.
    """
    ### BEGIN SOLUTION
    pieces, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(len(word), start, -1)  # the longest piece first
        end = next((e for e in ends if prefix + word[start:e] in vocab), None)
        if end is None:
            return [unk]
        pieces.append(prefix + word[start:end])
        start = end
    return pieces
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 음절을 자모로
#
# 완성형 한글 음절은 U+AC00 `가`부터 U+D7A3 `힣`까지 11,172개이고, 첫소리 19개, 가운뎃소리 21개, 끝소리 28개(없음 포함)의 차례로
# 놓여 있습니다. 그래서 나눗셈만으로 자모를 알 수 있습니다.
#
# $$
# \text{코드 포인트} = \mathrm{AC00}_{16} + 588 \cdot \text{첫소리} + 28 \cdot \text{가운뎃소리} + \text{끝소리}
# $$
#
# 번호는 0부터 셉니다. 쓸 자모는 이어 쓰면 음절이 되는 **조합용 자모**입니다. 첫소리는 U+1100부터, 가운뎃소리는 U+1161부터입니다.
# 끝소리는 1번이 U+11A8이고, 0번은 끝소리가 없다는 뜻이므로 아무 글자도 넣지 않습니다.
#
# 음절이 아닌 글자는 그대로 두고 문자열을 돌려줍니다. `unicodedata`를 쓰지 말고 산수로 하십시오. `unicodedata.normalize`는 한글이
# 아닌 글자도 바꿉니다.
#
# ```text
# decompose_jamo("각A")  →  "\u1100\u1161\u11a8A"
# ```


# %% decompose_jamo tags=["question"]
def decompose_jamo(text: str) -> str:
    """Take Hangul syllables apart into conjoining jamo.

    The Unicode Standard, section 3.12.

    Args:
        text: any text.

    Returns:
        The text with two or three jamo for each precomposed syllable, all else
        unchanged.
    """
    ### BEGIN SOLUTION
    parts = []
    for char in text:
        index = ord(char) - 0xAC00
        if not 0 <= index < 11_172:
            parts.append(char)
            continue
        parts += [chr(0x1100 + index // 588), chr(0x1161 + index % 588 // 28)]
        if index % 28:
            parts.append(chr(0x11A7 + index % 28))
    return "".join(parts)
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. 자모를 음절로
#
# 반대로 모읍니다. 왼쪽부터 읽으며 두 가지 규칙을 되풀이합니다.
#
# - 첫소리(U+1100–U+1112) 바로 뒤에 가운뎃소리(U+1161–U+1175)가 오면 끝소리 없는 음절이 됩니다.
# - **끝소리 없는 음절** 바로 뒤에 끝소리(U+11A8–U+11C2)가 오면 끝소리 있는 음절이 됩니다. 이 음절은 방금 모은 것일 수도, 처음부터
#   글에 완성되어 있던 것일 수도 있습니다.
#
# 나머지는 그대로 둡니다. 짝이 없는 자모, 이미 끝소리가 있는 음절 뒤의 끝소리, `ㄱ` `ㅏ`(U+3131, U+314F) 같은 호환용 자모, 옛한글
# 자모, 한글이 아닌 글자가 그렇습니다. 여기서도 `unicodedata`를 쓰지 않습니다.
#
# ```text
# compose_jamo("\u1100\u1161\u11a8A")  →  "각A"
# compose_jamo("가\u11a8")             →  "각"
# compose_jamo("\u1100A")              →  "\u1100A"
# ```


# %% compose_jamo tags=["question"]
def compose_jamo(text: str) -> str:
    """Join conjoining jamo into Hangul syllables, as normalisation form C does.

    Args:
        text: any text; jamo, syllables and other characters may be mixed.

    Returns:
        The text with each L V, L V T and LV T composed, all else unchanged.
    """
    ### BEGIN SOLUTION
    parts = []
    for char in text:
        last = ord(parts[-1]) if parts else 0
        code = ord(char)
        if 0x1100 <= last <= 0x1112 and 0x1161 <= code <= 0x1175:
            parts[-1] = chr(0xAC00 + (last - 0x1100) * 588 + (code - 0x1161) * 28)
        elif (
            0xAC00 <= last <= 0xD7A3
            and (last - 0xAC00) % 28 == 0
            and 0x11A8 <= code <= 0x11C2
        ):
            parts[-1] = chr(last + code - 0x11A7)
        else:
            parts.append(char)
    return "".join(parts)
    ### END SOLUTION


# %% [markdown]
# ## 내 문장 나누기
#
# 이 책의 문장 320개로 여러분의 BPE를 학습시키고, 아무 문장이나 나눕니다. 그 옆에 작은 한국어 BERT의 어휘로 나눈 WordPiece와 자모의 수를
# 적습니다. 점수는 없습니다.
#
# - 먼저 배운 병합은 어떤 글자들입니까? 조사입니까, 어미입니까?
# - `split_sentence`에 여러분의 문장을 넣어 보십시오. 병합을 30번만 배우면(`num_merges=30`) 몇 조각이 됩니까?


# %%
def split_sentence(sentence: str, num_merges: int = 300) -> None:
    """Split a sentence by BPE learnt from the course's sentences, and by WordPiece."""
    from course_data import TINY_BERT, load_sentences

    texts, _ = load_sentences("train")
    merges = bpe_train((word for text in texts for word in text.split()), num_merges)
    print("first merges", " ".join(left + right for left, right in merges[:12]))
    lines = (TINY_BERT / "vocab.txt").read_text(encoding="utf-8").splitlines()
    vocab = set(lines)
    words = sentence.split()
    for name, encode in {
        "BPE": lambda word: bpe_encode(word, merges),
        "WordPiece": lambda word: wordpiece_encode(word, vocab),
    }.items():
        pieces = [encode(word) for word in words]
        print(f"{name:12}", " | ".join(" ".join(word) for word in pieces))
    jamo = decompose_jamo(sentence)
    again = compose_jamo(jamo) == sentence
    print("jamo        ", len(jamo), "of", len(sentence), "letters; back again:", again)


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    split_sentence("이 영화는 정말 재미있었습니다")

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 횟수가 같은 쌍, 빈 단어, NFD로 적힌 한글, 11,172개 음절 모두처럼 이 글에 적힌 약속을 그대로 시험합니다.
