"""Wrong answers that people give to the exercise `tokenization`."""

import unicodedata
from collections import Counter

from grader.judging.mistakes import right_answer, wrong

# bpe_train --------------------------------------------------------------------------------------------------


def _merge(symbols, left, right):
    merged, i = [], 0
    while i < len(symbols):
        if symbols[i : i + 2] == [left, right]:
            merged.append(left + right)
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged


def _pairs(split, counts):
    pairs = Counter()
    for word, symbols in split.items():
        for pair in zip(symbols, symbols[1:], strict=False):
            pairs[pair] += counts[word]
    return pairs


def _train(counts, num_merges, pick=None, merge=_merge, count=_pairs, end=""):
    """BPE with one part exchanged."""
    number = {symbol: i for i, symbol in enumerate(sorted({c for word in counts for c in word}))}
    split = {word: [*word, *([end] if end else [])] for word in counts}
    if end:
        number[end] = len(number)
    merges = []
    while len(merges) < num_merges and (pairs := count(split, counts)):
        if pick is None:
            best = min(pairs, key=lambda pair: (-pairs[pair], number[pair[0]], number[pair[1]]))
        else:
            best = pick(pairs, number)
        if best is None:
            break
        merges.append(best)
        number.setdefault("".join(best), len(number))
        split = {word: merge(symbols, *best) for word, symbols in split.items()}
    return merges


@wrong("bpe_train", read="bpe-training")
def counts_each_word_once(words, num_merges):
    """같은 단어를 한 번만 셌습니다. 단어가 나온 횟수만큼 그 안의 쌍을 세어야 합니다."""
    return _train(dict.fromkeys(words, 1), num_merges)


@wrong("bpe_train", read="bpe-ties")
def first_seen_wins(words, num_merges):
    """횟수가 같을 때 먼저 만난 쌍을 골랐습니다(Counter.most_common의 차례). 글의 순서가 아니라 번호로 골라야 합니다."""
    return _train(Counter(words), num_merges, lambda pairs, number: pairs.most_common(1)[0][0])


@wrong("bpe_train", read="bpe-ties")
def ties_by_strings(words, num_merges):
    """횟수가 같을 때 문자열의 차례로 골랐습니다. 합쳐진 기호의 번호는 모든 글자보다 뒤입니다."""
    return _train(
        Counter(words), num_merges, lambda pairs, number: min(pairs, key=lambda pair: (-pairs[pair], pair))
    )


@wrong("bpe_train", read="bpe-ties")
def highest_numbers_win(words, num_merges):
    """횟수가 같을 때 번호가 큰 쌍을 골랐습니다. max에 (횟수, 쌍)을 넣으면 이렇게 됩니다."""

    def pick(pairs, number):
        return max(pairs, key=lambda pair: (pairs[pair], number[pair[0]], number[pair[1]]))

    return _train(Counter(words), num_merges, pick)


@wrong("bpe_train", read="bpe-training")
def never_counts_again(words, num_merges):
    """합친 뒤에 다시 세지 않고 처음의 쌍에서 많은 차례로 골랐습니다. 합칠 때마다 새 이웃이 생깁니다."""
    counts = Counter(words)
    pairs = _pairs({word: list(word) for word in counts}, counts)
    return sorted(pairs, key=lambda pair: (-pairs[pair], pair))[:num_merges]


@wrong("bpe_train", read="bpe-ends")
def stops_at_single_pairs(words, num_merges):
    """한 번만 나온 쌍에서 멈추었습니다. 이 문제에서는 num_merges번이 되거나 쌍이 없을 때까지 합칩니다."""

    def pick(pairs, number):
        best = min(pairs, key=lambda pair: (-pairs[pair], number[pair[0]], number[pair[1]]))
        return best if pairs[best] > 1 else None

    return _train(Counter(words), num_merges, pick)


@wrong("bpe_train", read="bpe-training")
def counts_across_words(words, num_merges):
    """단어의 경계를 넘어 쌍을 셌습니다. 앞 단어의 끝 글자와 뒤 단어의 첫 글자는 이웃이 아닙니다."""
    return _train({"".join(words): 1}, num_merges)


@wrong("bpe_train", read="bpe-training")
def adds_an_end_mark(words, num_merges):
    """단어의 끝에 </w> 같은 표시를 붙였습니다. 원래 논문과 달리 이 문제에는 끝 표시가 없습니다."""
    return _train(Counter(words), num_merges, end="</w>")


@wrong("bpe_train", read="bpe-training")
def returns_merged_strings(words, num_merges):
    """쌍이 아니라 합친 문자열을 돌려주었습니다. 나눌 때에는 무엇과 무엇을 합쳤는지가 필요합니다."""
    return ["".join(pair) for pair in _train(Counter(words), num_merges)]


@wrong("bpe_train", read="bpe-overlap", slip=True)
def merges_one_place_in_a_word(words, num_merges):
    """단어에서 처음 만난 자리만 합쳤습니다. 한 단어에 같은 쌍이 여러 번 있으면 모두 합칩니다."""

    def merge(symbols, left, right):
        for i in range(len(symbols) - 1):
            if symbols[i : i + 2] == [left, right]:
                return [*symbols[:i], left + right, *symbols[i + 2 :]]
        return symbols

    return _train(Counter(words), num_merges, merge=merge)


@wrong("bpe_train", read="bpe-overlap", slip=True)
def leaves_overlaps_uncounted(words, num_merges):
    """겹친 쌍을 한 번만 셌습니다. 'aaa'에서 (a, a)는 두 번입니다. 합칠 때만 겹치지 않게 합니다."""

    def count(split, counts):
        pairs = Counter()
        for word, symbols in split.items():
            i, last = 0, None
            while i < len(symbols) - 1:
                pair = (symbols[i], symbols[i + 1])
                if pair == last:
                    last = None
                else:
                    pairs[pair] += counts[word]
                    last = pair
                i += 1
        return pairs

    return _train(Counter(words), num_merges, count=count)


@wrong("bpe_train", read="bpe-overlap", slip=True)
def merges_by_replace(words, num_merges):
    """공백으로 이은 문자열에서 replace로 합쳤습니다. 'xa b'의 안에 있는 'a b'까지 바뀝니다. 기호의 리스트에서 합치십시오."""

    def merge(symbols, left, right):
        return " ".join(symbols).replace(f"{left} {right}", left + right).split(" ")

    def pick(pairs, number):
        return min(pairs, key=lambda pair: (-pairs[pair], number.get(pair[0], 99), number.get(pair[1], 99)))

    return _train(Counter(words), num_merges, pick, merge)


@wrong("bpe_train", read="bpe-ties")
def numbers_as_met(words, num_merges):
    """글자의 번호를 글에 나온 차례로 매겼습니다. 글자는 코드 포인트의 차례로 번호를 받습니다."""
    words = list(words)
    met = {char: i for i, char in enumerate(dict.fromkeys("".join(words)))}

    def pick(pairs, number):
        order = {**number, **met}
        return min(pairs, key=lambda pair: (-pairs[pair], order[pair[0]], order[pair[1]]))

    return _train(Counter(words), num_merges, pick)


@wrong("bpe_train", read="bpe-ties", slip=True)
def left_number_only(words, num_merges):
    """횟수가 같을 때 왼쪽 번호만 비교했습니다. 왼쪽도 같으면 오른쪽 번호가 작은 쌍이 먼저입니다."""

    def pick(pairs, number):
        return min(pairs, key=lambda pair: (-pairs[pair], number[pair[0]]))

    return _train(Counter(words), num_merges, pick)


@wrong("bpe_train", read="bpe-training", slip=True)
def goes_through_the_words_twice(words, num_merges):
    """words를 두 번 훑었거나 리스트로 여겼습니다. 제너레이터는 한 번만 훑을 수 있고 길이도 없습니다."""
    letters = {char for word in words for char in word}
    return _train(Counter(words), num_merges) if letters else []


@wrong("bpe_train", read="bpe-ends")
def another_number_of_merges(words, num_merges):
    """합친 횟수가 num_merges와 다릅니다. 쌍이 남아 있으면 꼭 num_merges번 합칩니다. 어휘의 크기가 아닙니다."""
    return _train(Counter(words), num_merges + 1)


@wrong("bpe_train", read="bpe-ends")
def fails_without_pairs(words, num_merges):
    """합칠 쌍이 하나도 남지 않은 글에서 오류가 납니다. 쌍이 없으면 그때까지 배운 것을 돌려줍니다."""

    def count(split, counts):
        if not (pairs := _pairs(split, counts)):
            raise ValueError("no pair")
        return pairs

    return _train(Counter(words), num_merges, count=count)


def _merge_overlapping(symbols, left, right):
    """Every place where the pair stands, also where it overlaps the one before."""
    merged, i = [], 0
    while i < len(symbols):
        fits = symbols[i : i + 2] == [left, right]
        merged.append(left + right if fits else symbols[i])
        i += 1 if not fits or symbols[i + 1 : i + 3] == [left, right] else 2
    return merged


@wrong("bpe_train", read="bpe-overlap", slip=True)
def merges_overlapping_pairs(words, num_merges):
    """'aaa'를 aa, a로 합치지 않았습니다. 왼쪽부터 합치고, 한 번 합친 글자는 다시 쓰지 않습니다."""
    return _train(Counter(words), num_merges, merge=_merge_overlapping)


# bpe_encode -------------------------------------------------------------------------------------------------


def _encode(word, merges, pick):
    rank = {tuple(pair): i for i, pair in enumerate(merges)}
    symbols = list(word)
    while found := [pair for pair in zip(symbols, symbols[1:], strict=False) if pair in rank]:
        symbols = _merge(symbols, *pick(found, rank))
    return symbols


@wrong("bpe_encode", read="bpe-rank")
def leftmost_pair_first(word, merges):
    """왼쪽에서 먼저 만난 쌍을 합쳤습니다. 합칠 수 있는 쌍 가운데 리스트에서 가장 앞에 있는 것이 먼저입니다."""
    return _encode(word, merges, lambda found, rank: found[0])


@wrong("bpe_encode", read="bpe-rank")
def first_rank_is_false(word, merges):
    """가장 먼저 배운 쌍을 한 번도 합치지 않았습니다. 그 쌍의 순위는 0이고, 0은 거짓입니다. in이나 is not None으로 물으십시오."""
    rank = {tuple(pair): i for i, pair in enumerate(merges)}
    return _encode(word, [pair for pair in rank if rank[pair]], _lowest)


@wrong("bpe_encode", read="bpe-rank")
def latest_pair_first(word, merges):
    """나중에 배운 쌍을 먼저 합쳤습니다. 먼저 배운 쌍이 먼저입니다."""
    return _encode(word, merges, lambda found, rank: max(found, key=rank.get))


@wrong("bpe_encode", read="bpe-rank")
def longest_token_first(word, merges):
    """WordPiece처럼 앞에서부터 가장 긴 토큰을 떼었습니다. BPE는 배운 차례대로 이웃을 합칩니다."""
    tokens = {"".join(pair) for pair in merges}
    pieces, start = [], 0
    while start < len(word):
        ends = range(len(word), start, -1)
        end = next((end for end in ends if word[start:end] in tokens), start + 1)
        pieces.append(word[start:end])
        start = end
    return pieces


@wrong("bpe_encode", read="bpe-encoding")
def one_place_for_each_merge(word, merges):
    """병합마다 한 자리에서만 합쳤습니다. 같은 쌍이 여러 번 있으면 모두 합칩니다."""
    symbols = list(word)
    for left, right in merges:
        for i in range(len(symbols) - 1):
            if symbols[i : i + 2] == [left, right]:
                symbols[i : i + 2] = [left + right]
                break
    return symbols


@wrong("bpe_encode", read="bpe-encoding")
def merges_characters_only(word, merges):
    """글자끼리만 합치고 끝냈습니다. 합쳐진 기호도 다시 이웃과 합칠 수 있습니다."""
    symbols = list(word)
    for left, right in merges:
        if len(left) == len(right) == 1:
            symbols = _merge(symbols, left, right)
    return symbols


@wrong("bpe_encode", read="bpe-encoding")
def drops_unknown_characters(word, merges):
    """어느 병합에도 없는 글자를 버렸습니다. 토큰을 이어 붙이면 원래 단어가 되어야 합니다."""
    known = set("".join(part for pair in merges for part in pair))
    return _encode([c for c in word if c in known], merges, lambda found, rank: min(found, key=rank.get))


@wrong("bpe_encode", read="wordpiece")
def marks_continuations(word, merges):
    """둘째 토큰부터 '##'을 붙였습니다. 그것은 WordPiece의 표시이고 BPE에는 없습니다."""
    first, *rest = _encode(word, merges, lambda found, rank: min(found, key=rank.get)) or [""]
    return [first, *("##" + token for token in rest)]


@wrong("bpe_encode", read="bpe-overlap")
def merges_encoded_by_replace(word, merges):
    """이어 쓴 문자열에서 찾아 합쳤습니다. 'aaab'의 'ab'처럼 토큰의 경계를 넘는 자리까지 합쳐집니다."""
    text = " ".join(word)
    for left, right in merges:
        text = text.replace(f"{left} {right}", left + right)
    return text.split(" ")


@wrong("bpe_encode", read="bpe-overlap", slip=True)
def equal_pairs_from_the_right(word, merges):
    """'aaa'를 aa, a로 합치지 않았습니다. 왼쪽부터 합치고, 한 번 합친 글자는 다시 쓰지 않습니다."""
    rank = {tuple(pair): i for i, pair in enumerate(merges)}
    symbols = list(word)
    while found := [i for i in range(len(symbols) - 1) if tuple(symbols[i : i + 2]) in rank]:
        i = min(found, key=lambda i: (rank[tuple(symbols[i : i + 2])], -i))
        symbols[i : i + 2] = ["".join(symbols[i : i + 2])]
    return symbols


@wrong("bpe_encode", read="bpe-encoding")
def merges_only_once(word, merges):
    """한 번 합치고 멈추었습니다. 합칠 수 있는 쌍이 없을 때까지 되풀이하십시오."""
    rank = {tuple(pair): i for i, pair in enumerate(merges)}
    symbols = list(word)
    found = [pair for pair in zip(symbols, symbols[1:], strict=False) if pair in rank]
    return _merge(symbols, *min(found, key=rank.get)) if found else symbols


def _lowest(found, rank):
    return min(found, key=rank.get)


@wrong("bpe_encode", read="bpe-encoding")
def replaces_unknown_characters(word, merges):
    """어느 병합에도 없는 글자를 그대로 두지 않았습니다. 다른 것으로 바꾸거나 오류를 내지 않습니다."""
    known = set("".join(part for pair in merges for part in pair))
    return _encode([c if c in known else "[UNK]" for c in word], merges, _lowest)


@wrong("bpe_encode", read="bpe-encoding", slip=True)
def one_token_for_no_word(word, merges):
    """빈 단어나 빈 병합에서 결과가 틀립니다. 빈 단어는 빈 리스트이고, 병합이 없으면 글자 하나하나가 토큰입니다."""
    return _encode(word, merges, _lowest) or [""]


# wordpiece_encode -------------------------------------------------------------------------------------------


def _pieces(word, vocab, ends, prefix="##"):
    """Greedy pieces and where they end; `ends(start)` are the ends to try, in order."""
    pieces, start = [], 0
    while start < len(word):
        mark = prefix if start else ""
        end = next((end for end in ends(start) if mark + word[start:end] in vocab), None)
        if end is None:
            break
        pieces.append(mark + word[start:end])
        start = end
    return pieces, start


def _longest(word):
    return lambda start: range(len(word), start, -1)


@wrong("wordpiece_encode", read="wordpiece")
def forgets_the_mark(word, vocab, unk="[UNK]"):
    """둘째 조각부터 붙는 '##' 없이 찾았습니다. '에서'와 '##에서'는 서로 다른 토큰입니다."""
    pieces, end = _pieces(word, vocab, _longest(word), prefix="")
    return pieces if end == len(word) else [unk]


@wrong("wordpiece_encode", read="wordpiece")
def strips_the_mark(word, vocab, unk="[UNK]"):
    """'##'을 붙여 찾고는 결과에서 떼었습니다. 결과의 토큰은 어휘에 있는 것이어야 하므로 '##'을 붙인 채로 둡니다."""
    pieces, end = _pieces(word, vocab, _longest(word))
    return [piece.removeprefix("##") for piece in pieces] if end == len(word) else [unk]


@wrong("wordpiece_encode", read="wordpiece")
def shortest_piece_first(word, vocab, unk="[UNK]"):
    """가장 짧은 토큰부터 떼었습니다. 가장 긴 것이 먼저입니다."""
    pieces, end = _pieces(word, vocab, lambda start: range(start + 1, len(word) + 1))
    return pieces if end == len(word) else [unk]


@wrong("wordpiece_encode", read="wordpiece-unknown")
def keeps_the_first_pieces(word, vocab, unk="[UNK]"):
    """막힌 뒤에 앞 조각을 남겼습니다. WordPiece는 뗀 조각을 모두 버리고 단어 전체를 unk 하나로 바꿉니다."""
    pieces, end = _pieces(word, vocab, _longest(word))
    return pieces if end == len(word) else [*pieces, unk]


@wrong("wordpiece_encode", read="wordpiece-unknown")
def unknown_character_by_character(word, vocab, unk="[UNK]"):
    """모르는 글자만 unk로 바꾸고 계속 나누었습니다. WordPiece는 단어 전체를 unk 하나로 바꿉니다."""
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if mark + word[start:end] in vocab), None)
        pieces.append(unk if end is None else mark + word[start:end])
        start = end or start + 1
    return pieces


@wrong("wordpiece_encode", read="wordpiece-greedy", slip=True)
def backtracks(word, vocab, unk="[UNK]"):
    """막힌 뒤에 앞 조각을 되돌려 다르게 나누었습니다. 탐욕 방법은 되돌아가지 않습니다."""

    def split(start):
        if start == len(word):
            return []
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocab and (rest := split(end)) is not None:
                return [mark + word[start:end], *rest]
        return None

    found = split(0)
    return [unk] if found is None else found


@wrong("wordpiece_encode", read="wordpiece-unknown")
def hard_coded_unknown(word, vocab, unk="[UNK]"):
    """unk의 값을 [UNK]로 못 박았습니다. 부르는 쪽이 준 것을 돌려주어야 합니다."""
    pieces, end = _pieces(word, vocab, _longest(word))
    return pieces if end == len(word) else ["[UNK]"]


@wrong("wordpiece_encode", read="wordpiece-greedy")
def from_the_end(word, vocab, unk="[UNK]"):
    """뒤에서부터 떼었습니다. 단어의 앞에서부터 가장 긴 토큰을 찾습니다."""
    pieces, end = [], len(word)
    while end:
        marked = (("##" if start else "") + word[start:end] for start in range(end))
        piece = next((piece for piece in marked if piece in vocab), None)
        if piece is None:
            return [unk]
        pieces.insert(0, piece)
        end -= len(piece.removeprefix("##"))
    return pieces


@wrong("wordpiece_encode", read="wordpiece")
def whole_words_only(word, vocab, unk="[UNK]"):
    """단어 전체가 어휘에 있을 때만 알아봅니다. 없으면 조각으로 나누어야 합니다."""
    return [word] if word in vocab else [unk] if word else []


@wrong("wordpiece_encode", read="wordpiece")
def single_letters_overlooked(word, vocab, unk="[UNK]"):
    """한 글자짜리 조각을 찾아보지 않았습니다. 끝은 시작의 바로 다음 글자까지 줄어듭니다."""
    pieces, end = _pieces(word, vocab, lambda start: range(len(word), start + 1, -1))
    return pieces if end == len(word) else [unk]


@wrong("wordpiece_encode", read="wordpiece")
def looks_up_without_the_mark(word, vocab, unk="[UNK]"):
    """이어지는 조각을 ## 없이 찾았습니다. 어휘에는 ##가 붙은 채로 들어 있습니다."""
    pieces, end = _pieces(word, vocab, _longest(word), prefix="")
    marked = [piece if i == 0 else "##" + piece for i, piece in enumerate(pieces)]
    return marked if end == len(word) else [unk]


@wrong("wordpiece_encode", read="wordpiece", slip=True)
def falls_back_on_unmarked_tokens(word, vocab, unk="[UNK]"):
    """이어지는 조각을 '##' 없는 토큰에서도 찾았습니다. 첫 조각이 아니면 '##'이 붙은 토큰만 맞습니다."""
    pieces, end = _pieces(word, {*vocab, *("##" + token for token in vocab)}, _longest(word))
    return pieces if end == len(word) else [unk]


@wrong("wordpiece_encode", read="wordpiece-unknown")
def nothing_for_unknown_words(word, vocab, unk="[UNK]"):
    """나눌 수 없는 단어에서 unk 하나를 담은 리스트를 돌려주지 않았습니다."""
    pieces, end = _pieces(word, vocab, _longest(word))
    return pieces if end == len(word) else []


@wrong("wordpiece_encode", read="wordpiece-unknown", slip=True)
def no_word_is_unknown(word, vocab, unk="[UNK]"):
    """빈 단어의 결과가 틀립니다. 빈 단어는 빈 리스트입니다."""
    pieces, end = _pieces(word, vocab, _longest(word))
    return pieces if word and end == len(word) else [unk]


# decompose_jamo ---------------------------------------------------------------------------------------------


SYLLABLES = range(0xAC00, 0xD7A4)


def _decompose(text, one, syllables=SYLLABLES):
    """Each syllable by `one(first, middle, last)`, numbers of its sounds."""
    parts = []
    for char in text:
        index = ord(char) - 0xAC00
        inside = ord(char) in syllables
        parts.append(one(index // 588, index % 588 // 28, index % 28) if inside else char)
    return "".join(parts)


@wrong("decompose_jamo", read="jamo")
def always_a_final(text):
    """끝소리가 없는 음절에도 U+11A7을 붙였습니다. 끝소리 번호가 0이면 아무것도 붙이지 않습니다."""
    return _decompose(
        text, lambda first, middle, last: chr(0x1100 + first) + chr(0x1161 + middle) + chr(0x11A7 + last)
    )


@wrong("decompose_jamo", read="jamo")
def final_one_too_far(text):
    """끝소리가 한 칸 밀렸습니다. 끝소리 번호는 1부터 U+11A8입니다."""
    return _decompose(
        text,
        lambda first, middle, last: (
            chr(0x1100 + first) + chr(0x1161 + middle) + (chr(0x11A8 + last) if last else "")
        ),
    )


FIRSTS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
MIDDLES = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
LASTS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"


@wrong("decompose_jamo", read="jamo-others")
def compatibility_jamo(text):
    """호환용 자모(ㄱ, U+3131부터)를 썼습니다. 첫소리와 끝소리를 구별하지 못해 다시 모을 수 없습니다. 조합용 자모를 쓰십시오."""
    return _decompose(
        text, lambda first, middle, last: (FIRSTS[first] + MIDDLES[middle] + LASTS[last]).strip()
    )


@wrong("decompose_jamo", read="jamo-others")
def drops_other_characters(text):
    """한글 음절이 아닌 글자를 버렸습니다. 나머지는 그대로 두어야 합니다."""
    return _decompose("".join(char for char in text if "가" <= char <= "힣"), _conjoin)


def _conjoin(first, middle, last):
    return chr(0x1100 + first) + chr(0x1161 + middle) + (chr(0x11A7 + last) if last else "")


@wrong("decompose_jamo", read="jamo-others", slip=True)
def normalises_everything(text):
    """한글이 아닌 글자까지 풀었습니다. unicodedata.normalize는 é도 e와 악센트로 나눕니다."""
    return unicodedata.normalize("NFD", text)


@wrong("decompose_jamo", read="jamo")
def forgets_the_final(text):
    """끝소리를 빠뜨렸습니다. 28로 나눈 나머지가 끝소리입니다."""
    return _decompose(text, lambda first, middle, last: _conjoin(first, middle, 0))


@wrong("decompose_jamo", read="jamo", slip=True)
def last_syllable_left_out(text):
    """'가'나 '힣'을 빠뜨렸습니다. 음절은 U+AC00부터 U+D7A3까지이고, range는 끝을 넣지 않습니다."""
    return "".join(_decompose(char, _conjoin) if char != "\ud7a3" else char for char in text)


@wrong("decompose_jamo", read="jamo")
def wrong_first_sound(text):
    """첫소리가 틀렸습니다. AC00을 뺀 수를 588(21 × 28)로 나눈 몫이 번호이고, 0번이 U+1100입니다."""
    return _decompose(
        text, lambda first, middle, last: _conjoin((first * 588 + middle * 28) // 560, middle, last)
    )


@wrong("decompose_jamo", read="jamo")
def wrong_middle_sound(text):
    """가운뎃소리가 틀렸습니다. 588로 나눈 나머지를 28로 나눈 몫이 번호이고, 0번이 U+1161입니다."""
    return _decompose(
        text, lambda first, middle, last: _conjoin(first, (middle * 28 + last) // 21 % 21, last)
    )


@wrong("decompose_jamo", read="jamo")
def wrong_last_sound(text):
    """끝소리의 번호가 틀렸습니다. 28로 나눈 나머지가 번호입니다."""
    return _decompose(text, lambda first, middle, last: _conjoin(first, middle, (middle * 28 + last) % 27))


@wrong("decompose_jamo", read="jamo-others", slip=True)
def no_end_of_syllables(text):
    """음절이 아닌 글자까지 음절로 여겼습니다. 음절은 U+AC00부터 U+D7A3까지입니다."""
    return _decompose(text, _conjoin, range(0xAC00, 0x110000))


# compose_jamo -----------------------------------------------------------------------------------------------


@right_answer("compose_jamo")
def _compose(
    text,
    may_take_final=lambda last: (last - 0xAC00) % 28 == 0,
    before_finals=0x11A7,
    firsts=range(0x1100, 0x1113),
    middles=range(0x1161, 0x1176),
    finals=range(0x11A8, 0x11C3),
    syllables=SYLLABLES,
):
    parts = []
    for char in text:
        last = ord(parts[-1]) if parts else 0
        code = ord(char)
        if last in firsts and code in middles:
            parts[-1] = chr(0xAC00 + (last - 0x1100) * 588 + (code - 0x1161) * 28)
        elif last in syllables and may_take_final(last) and code in finals:
            parts[-1] = chr(last + code - before_finals)
        else:
            parts.append(char)
    return "".join(parts)


@wrong("compose_jamo", read="compose")
def leaves_finals(text):
    """끝소리를 모으지 않았습니다. 끝소리 없는 음절 바로 뒤의 끝소리도 그 음절에 들어갑니다."""
    return _compose(text, lambda last: False)


@wrong("compose_jamo", read="compose-alone")
def jamo_only(text):
    """처음부터 완성되어 있던 음절 뒤의 끝소리를 모으지 않았습니다. 가 + 끝소리 ㄱ은 각입니다."""
    composed, start = [], 0
    for i, char in enumerate(text + " "):
        if not 0x1100 <= ord(char) <= 0x11FF:
            composed += [_compose(text[start:i]), char]
            start = i + 1
    return "".join(composed)[:-1]


@wrong("compose_jamo", read="compose-alone")
def second_final(text):
    """이미 끝소리가 있는 음절에 끝소리를 더하거나 그 끝소리를 버렸습니다. 들어갈 자리가 없으므로 그대로 둡니다."""
    return _compose(text, lambda last: last + 28 <= 0xD7A3)


@wrong("compose_jamo", read="jamo", slip=True)
def swallows_the_filler(text):
    """U+11A7을 끝소리로 여겨 없앴습니다. 끝소리는 U+11A8부터입니다."""
    return _compose(text, finals=range(0x11A7, 0x11C3))


@wrong("compose_jamo", read="compose-alone")
def drops_lonely_jamo(text):
    """짝이 없는 자모를 버렸습니다. 모을 수 없는 것은 그대로 둡니다."""
    return "".join(char for char in _compose(text) if not 0x1100 <= ord(char) <= 0x11FF)


@wrong("compose_jamo", read="jamo-others")
def composes_compatibility_jamo(text):
    """호환용 자모(ㄱ, U+3131부터)까지 모았습니다. 조합용 자모만 모읍니다."""
    table = {ord(c): 0x1100 + i for i, c in enumerate(FIRSTS)}
    table |= {ord(c): 0x1161 + i for i, c in enumerate(MIDDLES)}
    return _compose(text.translate(table))


@wrong("compose_jamo", read="jamo-others", slip=True)
def composes_everything(text):
    """한글이 아닌 글자까지 합쳤습니다. unicodedata.normalize는 e와 악센트도 é로 합칩니다."""
    return unicodedata.normalize("NFC", text)


@wrong("compose_jamo", read="jamo")
def final_one_too_near(text):
    """끝소리가 한 칸 밀렸습니다. U+11A8이 끝소리 1번이므로 0x11A7을 뺍니다."""
    return _compose(text, before_finals=0x11A8)


@wrong("compose_jamo", read="compose")
def three_at_a_time(text):
    """자모를 세 개씩 묶었습니다. 끝소리가 없는 음절은 자모가 둘입니다."""
    ranges = [("\u1100", "\u1112"), ("\u1161", "\u1175"), ("\u11a8", "\u11c2")]
    parts, i = [], 0
    while i < len(text):
        group = text[i : i + 3]
        fits = len(group) == 3 and all(a <= c <= b for c, (a, b) in zip(group, ranges, strict=True))
        parts.append(_compose(group) if fits else text[i])
        i += 3 if fits else 1
    return "".join(parts)


@wrong("compose_jamo", read="compose", slip=True)
def reads_past_the_end(text):
    """글의 끝에서 오류가 납니다. 다음 글자가 없을 수도 있고 글이 비어 있을 수도 있습니다."""
    return _compose(text) if ord(text[-1]) not in range(0x1100, 0x1113) else text[len(text)]


@wrong("compose_jamo", read="compose-alone")
def loses_waiting_initials(text):
    """가운뎃소리를 기다리던 첫소리를 잃었습니다. 뒤에 가운뎃소리가 오지 않으면 그대로 두고, 글의 끝에 남은 것도 넣습니다."""
    return "".join(char for char in _compose(text) if not 0x1100 <= ord(char) <= 0x1112)


@wrong("compose_jamo", read="compose")
def ends_of_the_ranges_left_out(text):
    """자모의 범위에서 처음이나 마지막 하나를 빠뜨렸습니다. range는 끝을 넣지 않습니다."""
    return _compose(text, middles=range(0x1161, 0x1175), finals=range(0x11A8, 0x11C2))


@wrong("compose_jamo", read="jamo-others", slip=True)
def composes_old_jamo(text):
    """범위를 넘은 글자까지 모았습니다. 옛한글 자모와, 가와 힣 사이가 아닌 글자는 그대로 둡니다."""
    ranges = {"firsts": range(0x1100, 0x1160), "middles": range(0x1160, 0x11A8)}
    return _compose(text, finals=range(0x11A8, 0x1200), **ranges)
