"""Wrong answers that people give to the exercise `decoding`."""

import torch

from grader.judging.mistakes import right_answer, wrong

# greedy_decode ----------------------------------------------------------------------------------------------


@right_answer("greedy_decode")
def _greedy(
    step, start, max_new_tokens, eos_id, *, view=None, fill=None, prompt_counts=False, stop=torch.all
):
    """The right loop with its parts exchangeable."""
    ids = start
    finished = torch.zeros(len(start), dtype=torch.bool)
    if prompt_counts:
        finished = (start == eos_id).any(dim=1)
    for _ in range(max_new_tokens):
        if stop is not None and stop(finished):
            break
        following = step(ids if view is None else view(ids)).argmax(dim=-1)
        following = following.masked_fill(finished, eos_id if fill is None else fill)
        ids = torch.cat([ids, following[:, None]], dim=1)
        finished = finished | (following == eos_id)
    return ids


@wrong("greedy_decode", read="stopping-at-eos")
def writes_on_behind_eos(step, start, max_new_tokens, eos_id):
    """EOS 뒤에도 계속 이어 썼습니다. 끝난 문장의 뒤는 EOS로 채우십시오."""
    ids = start
    finished = torch.zeros(len(start), dtype=torch.bool)
    for _ in range(max_new_tokens):
        if finished.all():
            break
        following = step(ids).argmax(dim=-1)
        ids = torch.cat([ids, following[:, None]], dim=1)
        finished = finished | (following == eos_id)
    return ids


@wrong("greedy_decode", read="stopping-at-eos")
def fills_with_zero(step, start, max_new_tokens, eos_id):
    """끝난 문장의 뒤를 EOS가 아니라 0으로 채웠습니다."""
    return _greedy(step, start, max_new_tokens, eos_id, fill=0)


@wrong("greedy_decode", read="stopping-at-eos", slip=True)
def eos_of_the_prompt(step, start, max_new_tokens, eos_id):
    """프롬프트 안의 EOS를 끝으로 셌습니다. 생성한 토큰만 보십시오."""
    return _greedy(step, start, max_new_tokens, eos_id, prompt_counts=True)


@wrong("greedy_decode", read="stopping-at-eos")
def stops_with_the_first(step, start, max_new_tokens, eos_id):
    """한 문장이 끝나자 모두 멈추었습니다. any가 아니라 all입니다."""
    return _greedy(step, start, max_new_tokens, eos_id, stop=torch.any)


@wrong("greedy_decode", read="stopping-at-eos", slip=True)
def never_stops_early(step, start, max_new_tokens, eos_id):
    """모두 끝났는데도 max_new_tokens까지 step을 불렀습니다. 값은 맞지만 계산을 버립니다."""
    return _greedy(step, start, max_new_tokens, eos_id, stop=None)


@wrong("greedy_decode", read="greedy-decoding")
def drops_the_prompt(step, start, max_new_tokens, eos_id):
    """생성한 토큰만 돌려주었습니다. 결과는 프롬프트로 시작합니다."""
    return _greedy(step, start, max_new_tokens, eos_id)[:, start.shape[1] :]


@wrong("greedy_decode", read="greedy-decoding")
def shows_only_the_last(step, start, max_new_tokens, eos_id):
    """step에 마지막 토큰만 넘겼습니다. 모델은 앞의 토큰을 모두 보아야 합니다."""
    return _greedy(step, start, max_new_tokens, eos_id, view=lambda ids: ids[:, -1:])


@wrong("greedy_decode", read="greedy-decoding")
def shows_only_the_prompt(step, start, max_new_tokens, eos_id):
    """step에 언제나 프롬프트만 넘겼습니다. 방금 쓴 토큰이 다음 토큰에 영향을 주지 못합니다."""
    return _greedy(step, start, max_new_tokens, eos_id, view=lambda ids: ids[:, : start.shape[1]])


@wrong("greedy_decode", read="greedy-decoding", slip=True)
def row_by_row(step, start, max_new_tokens, eos_id):
    """문장을 하나씩 따로 이어 썼습니다. step에는 걸음마다 문장 전부를 한 배치로 넘깁니다. 배치의 크기만큼 느려집니다."""
    rows = []
    for row in start:
        ids = row[None]
        for _ in range(max_new_tokens):
            ids = torch.cat([ids, step(ids).argmax(-1)[:, None].to(ids.dtype)], dim=1)
            if ids[0, -1] == eos_id:
                break
        rows.append(ids[0])
    longest = max(map(len, rows))
    return torch.stack([torch.nn.functional.pad(row, (0, longest - len(row)), value=eos_id) for row in rows])


@wrong("greedy_decode", read="greedy-decoding")
def limit_counts_the_prompt(step, start, max_new_tokens, eos_id):
    """max_new_tokens를 전체 길이로 보았습니다. 프롬프트는 세지 않고 새로 쓰는 토큰만 셉니다."""
    return _greedy(step, start, max(0, max_new_tokens - start.shape[1]), eos_id)


@wrong("greedy_decode", read="stopping-at-eos")
def forgets_who_has_finished(step, start, max_new_tokens, eos_id):
    """끝난 문장을 걸음마다 새로 정했습니다. 모델이 EOS 뒤에 다른 토큰을 내면 끝난 문장이 되살아납니다. 한 번 끝난 문장은 계속 끝난 것으로 기억하십시오."""
    ids = start
    finished = torch.zeros(len(start), dtype=torch.bool)
    for _ in range(max_new_tokens):
        if finished.all():
            break
        best = step(ids).argmax(dim=-1)
        ids = torch.cat([ids, best.masked_fill(finished, eos_id)[:, None]], dim=1)
        finished = best == eos_id
    return ids


@wrong("greedy_decode", read="stopping-at-eos", slip=True)
def asks_once_more(step, start, max_new_tokens, eos_id):
    """모두 끝났는데도 step을 한 번 더 부른 다음에 멈추었습니다. step을 부르기 전에 확인하십시오."""
    ids = _greedy(step, start, max_new_tokens, eos_id)
    if ids.shape[1] < start.shape[1] + max_new_tokens:
        step(ids)
    return ids


@wrong("greedy_decode", read="greedy-decoding")
def one_token_less(step, start, max_new_tokens, eos_id):
    """생성한 토큰이 하나 많거나 적습니다. EOS가 나오지 않으면 꼭 max_new_tokens개를 생성합니다."""
    return _greedy(step, start, max_new_tokens - 1, eos_id)


@wrong("greedy_decode", read="stopping-at-eos", slip=True)
def stops_before_the_eos(step, start, max_new_tokens, eos_id):
    """마지막 EOS를 붙이기 전에 멈추었습니다. EOS도 생성한 토큰이므로 붙인 다음에 멈춥니다."""
    ids = _greedy(step, start, max_new_tokens, eos_id)
    return ids[:, :-1] if (ids[:, -1] == eos_id).all() else ids


# beam_search ------------------------------------------------------------------------------------------------


@right_answer("beam_search", lambda search: lambda *asked, alpha=1.0: search(*(*asked, alpha)[:6]).search())
class _Beam:
    """The right search with its parts exchangeable; `settings` of a subclass's instance are its mistakes."""

    def __init__(self, step, start, beam_size, max_new_tokens, eos_id, alpha):
        if self.check(beam_size, max_new_tokens):
            raise ValueError("no beam")
        self.step, self.start, self.size, self.steps = step, start, beam_size, max_new_tokens
        self.eos, self.alpha, self.finished = eos_id, alpha, []

    def check(self, beam_size, max_new_tokens):
        return beam_size < 1 or max_new_tokens < 1

    def first(self):
        return self.start, torch.zeros(1, dtype=torch.float64)

    def log_p(self, ids):
        return self.step(ids).double().log_softmax(dim=-1)

    def candidates(self, log_p, ids):
        """Every extension's total, its beam and its token, best first."""
        totals = log_p[:, None] + self.log_p(ids)
        best, index = totals.flatten().sort(descending=True)
        return best, index // totals.shape[-1], index % totals.shape[-1]

    def score(self, total, length):
        return total / length**self.alpha

    def done(self):
        return False

    def finishing(self, ends):
        return ends[: self.size].nonzero().flatten()

    def going_on(self, ends):
        return (~ends).nonzero().flatten()[: self.size]

    def finish(self, rows, totals, length):
        pairs = zip(rows, totals.tolist(), strict=True)
        self.finished += [(row, self.score(total, length)) for row, total in pairs]

    def last(self, ids, log_p, length):
        self.finish(ids, log_p, length)

    def result(self):
        return sorted(self.finished, key=lambda pair: -pair[1])[: self.size]

    def search(self):
        ids, log_p = self.first()
        for length in range(1, self.steps + 1):
            best, beam, token = self.candidates(log_p, ids)
            ends = token == self.eos
            extended = torch.cat([ids[beam], token[:, None]], dim=1)
            rows = self.finishing(ends)
            self.finish(extended[rows], best[rows], length)
            kept = self.going_on(ends)
            ids, log_p = extended[kept], best[kept]
            if not len(ids) or self.done():
                return self.result()
        self.last(ids, log_p, self.steps)
        return self.result()


def _search(mistake, *arguments):
    return mistake(*arguments).search()


@wrong("beam_search", read="beam-pooling")
def one_child_each(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """가설마다 자기 후보에서 하나씩 골랐습니다. 모든 가설의 후보를 한데 모아 상위 K개를 고르십시오."""

    class OneChild(_Beam):
        def candidates(self, log_p, ids):
            best, beam, token = super().candidates(log_p, ids)
            if len(ids) == 1 and ids.shape[1] == self.start.shape[1]:
                return best, beam, token
            first = torch.tensor([int((beam == b).nonzero()[0]) for b in range(len(ids))])
            first = first.sort().values
            return best[first], beam[first], token[first]

    return _search(OneChild, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-finished", slip=True)
def ends_by_the_prompt(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """프롬프트에 있는 EOS까지 보고 끝난 것으로 여겼습니다. 새로 고른 토큰이 EOS일 때만 끝납니다."""

    class ByThePrompt(_Beam):
        def finishing(self, ends):
            return super().finishing(ends | (self.start == self.eos).any())

        def going_on(self, ends):
            return super().going_on(ends | (self.start == self.eos).any())

    return _search(ByThePrompt, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-pooling")
def starts_with_copies(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """첫 걸음에 같은 가설 K개로 시작했습니다. 같은 후보가 K번씩 나와 빔이 복사본으로 찹니다."""

    class Copies(_Beam):
        def first(self):
            return self.start.expand(self.size, -1), torch.zeros(self.size, dtype=torch.float64)

    return _search(Copies, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-log-probabilities")
def adds_logits(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """로그 확률이 아니라 로짓을 더했습니다. 가설마다 로짓의 크기가 달라 비교할 수 없습니다. log_softmax를 먼저 취하십시오."""

    class Logits(_Beam):
        def log_p(self, ids):
            return self.step(ids).double()

    return _search(Logits, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-log-probabilities")
def forgets_the_past(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """마지막 토큰의 로그 확률만 보았습니다. 가설의 로그 확률은 생성한 토큰 모두의 합입니다."""

    class Forgets(_Beam):
        def candidates(self, log_p, ids):
            return super().candidates(torch.zeros_like(log_p), ids)

    return _search(Forgets, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-length-penalty")
def no_length_penalty(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """길이로 나누지 않았습니다. 점수는 log p / len^α입니다."""
    return _search(_Beam, step, start, beam_size, max_new_tokens, eos_id, 0.0)


@wrong("beam_search", read="beam-length-penalty")
def counts_the_prompt(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """프롬프트까지 길이에 셌습니다. 생성한 토큰만 세십시오."""

    class CountsPrompt(_Beam):
        def score(self, total, length):
            return super().score(total, length + self.start.shape[1])

    return _search(CountsPrompt, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-length-penalty")
def leaves_eos_uncounted(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """EOS를 길이에서 뺐습니다. EOS도 생성한 토큰이고 그 로그 확률도 합에 들어 있습니다."""

    class Uncounted(_Beam):
        def finish(self, rows, totals, length):
            for row, total in zip(rows, totals.tolist(), strict=True):
                n = length - int(row[-1] == self.eos)
                self.finished.append((row, self.score(total, max(n, 1))))

    return _search(Uncounted, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-length-penalty")
def penalty_of_gnmt(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """Wu 등(2016)의 길이 벌점 ((5+len)/6)^α을 썼습니다. 이 문제의 점수는 log p / len^α입니다."""

    class Gnmt(_Beam):
        def score(self, total, length):
            return total / ((5 + length) / 6) ** self.alpha

    return _search(Gnmt, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-finished")
def shrinking_beam(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """완성으로 빠진 자리를 메우지 않았습니다. 빔이 줄어들어 나중에 앞설 가설을 잃습니다."""

    class Shrinking(_Beam):
        def going_on(self, ends):
            return (~ends[: self.size]).nonzero().flatten()

    return _search(Shrinking, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-early-stop")
def stops_when_full(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """완성이 K개 모이자 멈추었습니다. 남은 가설이 더 좋은 점수로 끝날 수 있습니다."""

    class Full(_Beam):
        def done(self):
            return len(self.finished) >= self.size

    return _search(Full, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-early-stop")
def stops_at_the_first(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """첫 완성에서 멈추었습니다. 먼저 끝난 문장이 가장 좋은 문장은 아닙니다."""

    class First(_Beam):
        def done(self):
            return bool(self.finished)

    return _search(First, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-finished")
def drops_the_unfinished(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """끝나지 않은 가설을 버렸습니다. max_new_tokens개를 생성하면 남은 가설도 완성입니다."""

    class Drops(_Beam):
        def last(self, ids, log_p, length):
            pass

    return _search(Drops, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-finished")
def ignores_eos(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """EOS를 보지 않고 끝까지 이어 썼습니다. EOS로 끝난 가설은 빔을 떠나야 합니다."""

    class Ignores(_Beam):
        def finishing(self, ends):
            return torch.tensor([], dtype=torch.int64)

        def going_on(self, ends):
            return torch.arange(min(self.size, len(ends)))

    return _search(Ignores, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-finished", slip=True)
def finishes_anywhere(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """상위 K개 밖에서 EOS로 끝난 후보도 완성으로 받았습니다. 완성은 상위 K개 가운데에서만 나옵니다."""

    class Anywhere(_Beam):
        def finishing(self, ends):
            return ends[: 2 * self.size].nonzero().flatten()

    return _search(Anywhere, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-log-probabilities")
def worst_first(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """점수가 낮은 것이 앞에 있습니다. 로그 확률은 0에 가까울수록 좋습니다."""

    class WorstFirst(_Beam):
        def result(self):
            return super().result()[::-1]

    return _search(WorstFirst, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-log-probabilities")
def adds_probabilities(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """확률에 로그를 취하지 않았습니다. 가설의 점수는 로그 확률의 합에서 나옵니다."""

    class Probabilities(_Beam):
        def log_p(self, ids):
            return self.step(ids).double().softmax(dim=-1)

    return _search(Probabilities, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="decoding-beam-search")
def returns_no_prompt(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """결과의 ids에 프롬프트가 없습니다. 프롬프트부터 돌려주고, 길이를 셀 때만 뺍니다."""

    class NoPrompt(_Beam):
        def result(self):
            return [(ids[self.start.shape[1] :], score) for ids, score in super().result()]

    return _search(NoPrompt, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-length-penalty")
def ignores_alpha(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """alpha를 쓰지 않고 언제나 길이로 나누었습니다. 길이의 α제곱으로 나눕니다."""
    return _search(_Beam, step, start, beam_size, max_new_tokens, eos_id, 1.0)


@wrong("beam_search", read="beam-cost", slip=True)
def asks_row_by_row(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """step을 가설마다 따로 불렀습니다. 걸음마다 가설 전부를 한 배치로 한 번만 부르십시오."""

    class RowByRow(_Beam):
        def log_p(self, ids):
            return torch.cat([super(RowByRow, self).log_p(row[None]) for row in ids])

    return _search(RowByRow, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-pooling", slip=True)
def masks_the_copies(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """첫 걸음에 프롬프트를 K행으로 복사해 step에 넘겼습니다. 처음에는 가설이 하나뿐이므로 한 행이면 됩니다."""

    class Masked(_Beam):
        def log_p(self, ids):
            if ids.shape[1] == self.start.shape[1]:
                return super().log_p(ids.expand(self.size, -1))[:1]
            return super().log_p(ids)

    return _search(Masked, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-finished")
def drops_the_unfinished_when_some_end(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """완성이 있으면 끝나지 않은 가설을 버렸습니다. max_new_tokens개를 생성하면 남은 가설도 모두 완성이고, 점수로 함께 비교합니다."""

    class DropsWhenSomeEnd(_Beam):
        def last(self, ids, log_p, length):
            if not self.finished:
                super().last(ids, log_p, length)

    return _search(DropsWhenSomeEnd, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-early-stop", slip=True)
def stops_by_the_present_score(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """남은 가설의 지금 점수가 완성보다 낮다고 멈추었습니다. 길이로 나누면 길어지면서 점수가 오를 수도 있습니다. 앞으로 얻을 수 있는 가장 좋은 점수와 비교하십시오."""

    class Present(_Beam):
        def candidates(self, log_p, ids):
            length = ids.shape[1] - self.start.shape[1]
            known = super().result()
            if length and len(known) == self.size and self.score(log_p[0].item(), length) <= known[-1][1]:
                raise StopIteration
            return super().candidates(log_p, ids)

        def search(self):
            try:
                return super().search()
            except StopIteration:
                return self.result()

    return _search(Present, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="beam-pooling")
def asks_for_too_many(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """후보가 고르려는 수보다 적을 수 있습니다. 어휘가 작으면 topk가 오류를 냅니다. 있는 만큼만 고르십시오."""

    class TooMany(_Beam):
        def candidates(self, log_p, ids):
            best, beam, token = super().candidates(log_p, ids)
            best.topk(2 * self.size)
            return best, beam, token

    return _search(TooMany, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="decoding-beam-search", slip=True)
def refuses_no_beam(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """1보다 작은 beam_size와 max_new_tokens를 받아들였습니다. ValueError를 내야 합니다."""

    class RefusesNothing(_Beam):
        def check(self, beam_size, max_new_tokens):
            return False

    return _search(RefusesNothing, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="decoding-beam-search", slip=True)
def checks_only_the_steps(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """1보다 작은 beam_size를 받아들였습니다. ValueError를 내야 합니다."""

    class OnlySteps(_Beam):
        def check(self, beam_size, max_new_tokens):
            return max_new_tokens < 1

    return _search(OnlySteps, step, start, beam_size, max_new_tokens, eos_id, alpha)


@wrong("beam_search", read="decoding-beam-search", slip=True)
def checks_only_the_beam(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    """1보다 작은 max_new_tokens를 받아들였습니다. ValueError를 내야 합니다."""

    class OnlyBeam(_Beam):
        def check(self, beam_size, max_new_tokens):
            return beam_size < 1

    return _search(OnlyBeam, step, start, beam_size, max_new_tokens, eos_id, alpha)


# sample_next ------------------------------------------------------------------------------------------------


def _check(temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError("cannot be")


def _keep_best(logits, top_k):
    """All but the best k are minus infinity."""
    if top_k is None or top_k >= logits.shape[-1]:
        return logits
    kept = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, logits.topk(top_k).indices, True)
    return logits.masked_fill(~kept, float("-inf"))


def _keep_nucleus(logits, top_p):
    if top_p is None:
        return logits
    ordered, index = logits.softmax(-1).sort(-1, descending=True)
    kept = ordered.cumsum(-1) - ordered < top_p
    return logits.masked_fill(~torch.zeros_like(kept).scatter(-1, index, kept), float("-inf"))


def _draw(logits, generator):
    flat = logits.softmax(-1).reshape(-1, logits.shape[-1])
    return flat.multinomial(1, generator=generator).reshape(logits.shape[:-1])


def _sample(logits, temperature, top_k, top_p, generator):
    """The right draw, nothing refused."""
    if temperature == 0:
        return logits.argmax(-1)
    top_k = None if top_k is None else max(top_k, 1)
    return _draw(_keep_nucleus(_keep_best(logits / temperature, top_k), top_p or None), generator)


@wrong("sample_next", read="decoding-temperature")
def times_temperature(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """로짓에 온도를 곱했습니다. 나누어야 합니다. 낮은 온도에서 분포가 뾰족해집니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    return _draw(_keep_nucleus(_keep_best(logits * temperature, top_k), top_p), generator)


@wrong("sample_next", read="decoding-temperature")
def ignores_temperature(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """온도를 쓰지 않았습니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    return _draw(_keep_nucleus(_keep_best(logits, top_k), top_p), generator)


@wrong("sample_next", read="decoding-temperature", slip=True)
def divides_by_zero(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """온도 0에서 로짓을 0으로 나누었습니다. 온도가 0이면 가장 큰 것을 고르십시오."""
    _check(temperature, top_k, top_p)
    return _draw(_keep_nucleus(_keep_best(logits / temperature, top_k), top_p), generator)


@wrong("sample_next", read="decoding-sampling")
def always_the_best(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """뽑지 않고 언제나 가장 큰 것을 골랐습니다. 그것은 탐욕 디코딩입니다."""
    _check(temperature, top_k, top_p)
    return logits.argmax(-1)


@wrong("sample_next", read="decoding-nucleus")
def drops_the_crossing_token(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """top_p에서 합이 p를 넘게 하는 토큰을 버렸습니다. 그 토큰까지 남깁니다. 첫 토큰이 p보다 크면 남는 것이 없게 됩니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    logits = _keep_best(logits / temperature, top_k)
    if top_p is not None:
        ordered, index = logits.softmax(-1).sort(-1, descending=True)
        kept = ordered.cumsum(-1) <= top_p
        kept[..., 0] = True
        logits = logits.masked_fill(~torch.zeros_like(kept).scatter(-1, index, kept), float("-inf"))
    return _draw(logits, generator)


@wrong("sample_next", read="decoding-nucleus")
def forgets_to_unsort(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """정렬한 차례로 만든 마스크를 정렬하지 않은 로짓에 썼습니다. 토큰의 번호로 되돌려야 합니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    logits = _keep_best(logits / temperature, top_k)
    if top_p is not None:
        ordered = logits.softmax(-1).sort(-1, descending=True).values
        logits = logits.masked_fill(ordered.cumsum(-1) - ordered >= top_p, -1e9)
    return _draw(logits, generator)


@wrong("sample_next", read="decoding-nucleus")
def threshold_on_each(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """확률이 p보다 큰 토큰만 남겼습니다. top-p는 큰 것부터 더한 합이 p에 이를 때까지 남깁니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    logits = _keep_best(logits / temperature, top_k)
    if top_p is not None:
        probabilities = logits.softmax(-1)
        kept = (probabilities > top_p) | (probabilities == probabilities.amax(-1, keepdim=True))
        logits = logits.masked_fill(~kept, float("-inf"))
    return _draw(logits, generator)


@wrong("sample_next", read="decoding-top-k")
def zero_instead_of_minus_infinity(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """버릴 로짓을 -inf가 아니라 0으로 바꾸었습니다. exp(0)은 1이므로 버린 토큰이 다시 나옵니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    logits = _keep_nucleus(_keep_best(logits / temperature, top_k), top_p)
    return _draw(logits.masked_fill(logits == float("-inf"), 0.0), generator)


@wrong("sample_next", read="decoding-top-k", slip=True)
def uniform_among_the_kept(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """남은 토큰에서 고르게 뽑았습니다. 남은 것끼리의 확률에 따라 뽑아야 합니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    logits = _keep_nucleus(_keep_best(logits / temperature, top_k), top_p)
    if top_k is not None or top_p is not None:
        logits = logits.masked_fill(logits > float("-inf"), 0.0)
    return _draw(logits, generator)


@wrong("sample_next", read="decoding-sampling-order", slip=True)
def nucleus_before_top_k(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """top-p를 top-k보다 먼저 적용했습니다. top-k로 남긴 것에서 확률을 다시 구한 다음 top-p를 적용합니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    return _draw(_keep_best(_keep_nucleus(logits / temperature, top_p), top_k), generator)


@wrong("sample_next", read="decoding-sampling-order", slip=True)
def temperature_at_the_end(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """top-p를 온도보다 먼저 적용했습니다. 온도로 나눈 다음의 확률에서 남길 것을 정합니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    return _draw(_keep_nucleus(_keep_best(logits, top_k), top_p) / temperature, generator)


@wrong("sample_next", read="decoding-sampling", slip=True)
def ignores_the_generator(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """generator를 쓰지 않았습니다. 같은 시드로도 결과를 되풀이할 수 없습니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    return _draw(_keep_nucleus(_keep_best(logits / temperature, top_k), top_p), None)


@wrong("sample_next", read="decoding-sampling")
def keeps_the_last_axis(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """어휘의 축이 크기 1로 남았습니다. multinomial의 결과에서 그 축을 없애십시오."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1, keepdim=True)
    return _draw(_keep_nucleus(_keep_best(logits / temperature, top_k), top_p), generator)[..., None]


@wrong("sample_next", read="decoding-nucleus")
def may_drop_them_all(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """top_p에서 합이 p를 넘게 하는 토큰을 버렸습니다. 첫 토큰이 혼자 p를 넘으면 남는 것이 없습니다. 그 토큰까지 남깁니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    logits = _keep_best(logits / temperature, top_k)
    if top_p is not None:
        ordered, index = logits.softmax(-1).sort(-1, descending=True)
        kept = ordered.cumsum(-1) <= top_p
        logits = logits.masked_fill(~torch.zeros_like(kept).scatter(-1, index, kept), float("-inf"))
    return _draw(logits, generator)


@wrong("sample_next", read="decoding-nucleus")
def returns_the_place_in_order(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """정렬한 차례의 자리를 토큰의 번호로 돌려주었습니다. 뽑은 자리를 정렬할 때 받은 번호로 되돌리십시오 (gather)."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    ordered = (logits / temperature).sort(-1, descending=True).values
    return _draw(_keep_nucleus(_keep_best(ordered, top_k), top_p), generator)


@wrong("sample_next", read="decoding-top-k")
def ignores_top_k(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """top_k를 쓰지 않았습니다. 로짓이 큰 top_k개만 남기십시오."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    return _draw(_keep_nucleus(logits / temperature, top_p), generator)


@wrong("sample_next", read="decoding-nucleus")
def ignores_top_p(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """top_p를 쓰지 않았습니다. 큰 것부터 더한 확률이 p에 이르는 토큰까지만 남기십시오."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    return _draw(_keep_best(logits / temperature, top_k), generator)


@wrong("sample_next", read="decoding-top-k")
def keeps_the_least_likely(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """가장 작은 k개를 남겼습니다. top-k는 가장 큰 k개를 남깁니다(descending=True)."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    logits = logits / temperature
    if top_k is not None and top_k < logits.shape[-1]:
        kept = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, (-logits).topk(top_k).indices, True)
        logits = logits.masked_fill(~kept, float("-inf"))
    return _draw(_keep_nucleus(logits, top_p), generator)


@wrong("sample_next", read="decoding-sampling-order", slip=True)
def greedy_asks_nothing(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """temperature가 0이면 다른 인자를 확인하지 않았습니다. 있을 수 없는 top_k와 top_p는 언제나 ValueError입니다."""
    if temperature == 0:
        return logits.argmax(-1)
    _check(temperature, top_k, top_p)
    return _draw(_keep_nucleus(_keep_best(logits / temperature, top_k), top_p), generator)


@wrong("sample_next", read="decoding-sampling")
def one_draw_for_the_whole_batch(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """난수를 한 번만 뽑아 모든 행에 썼습니다. 행마다 따로 뽑아야 합니다."""
    _check(temperature, top_k, top_p)
    if temperature == 0:
        return logits.argmax(-1)
    logits = _keep_nucleus(_keep_best(logits / temperature, top_k), top_p)
    number = torch.rand((), generator=generator)
    return (logits.softmax(-1).cumsum(-1) > number).int().argmax(-1)


@wrong("sample_next", read="decoding-sampling")
def changes_the_logits(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """받은 로짓을 그 자리에서 바꾸었습니다. 부른 쪽의 값이 달라집니다. 새 텐서를 만들어 고치십시오."""
    _check(temperature, top_k, top_p)
    found = _sample(logits, temperature, top_k, top_p, generator)
    if temperature != 0:
        logits /= temperature
    return found


@wrong("sample_next", read="sampling-shape", slip=True)
def squeezes_every_axis(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """크기가 1인 축까지 없앴습니다. 어휘의 축만 없애고 앞에 붙은 축은 그대로 두십시오."""
    _check(temperature, top_k, top_p)
    return _sample(logits, temperature, top_k, top_p, generator).squeeze()


@wrong("sample_next", read="sampling-shape", slip=True)
def takes_two_axes(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """앞에 붙은 축이 둘이면 오류가 납니다. multinomial은 축을 둘까지만 받습니다. 행으로 펴서 뽑은 다음 모양을 되돌리십시오."""
    _check(temperature, top_k, top_p)
    if temperature != 0:
        logits.softmax(-1).multinomial(1)
    return _sample(logits, temperature, top_k, top_p, generator)


@wrong("sample_next", read="decoding-sampling-order", slip=True)
def refuses_nothing(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """아무것도 거절하지 않았습니다. 음수 온도, 1보다 작은 top_k, (0, 1] 밖의 top_p는 ValueError입니다."""
    return _sample(logits, temperature, top_k, top_p, generator)


@wrong("sample_next", read="decoding-temperature", slip=True)
def takes_any_temperature(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """음수 온도를 받아들였습니다. ValueError를 내야 합니다."""
    _check(0, top_k, top_p)
    return _sample(logits, temperature, top_k, top_p, generator)


@wrong("sample_next", read="decoding-top-k", slip=True)
def takes_any_top_k(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """1보다 작은 top_k를 받아들였습니다. ValueError를 내야 합니다."""
    _check(temperature, None, top_p)
    return _sample(logits, temperature, top_k, top_p, generator)


@wrong("sample_next", read="decoding-nucleus", slip=True)
def takes_any_top_p(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """(0, 1] 밖의 top_p를 받아들였습니다. ValueError를 내야 합니다."""
    _check(temperature, top_k, None)
    return _sample(logits, temperature, top_k, top_p, generator)


@wrong("sample_next", read="decoding-sampling-order", slip=True)
def zero_is_off(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """0을 쓰지 않겠다는 뜻으로 받아들였습니다. 쓰지 않는 값은 None이고, 0은 ValueError입니다. 참·거짓이 아니라 None인지 확인하십시오."""
    _check(temperature, top_k or None, top_p or None)
    return _sample(logits, temperature, top_k, top_p, generator)


@wrong("sample_next", read="decoding-nucleus", slip=True)
def top_p_may_be_zero(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """top_p가 0이어도 받아들였습니다. 0보다 커야 하며, 아니면 ValueError입니다."""
    _check(temperature, top_k, top_p or None)
    return _sample(logits, temperature, top_k, top_p, generator)


@wrong("sample_next", read="decoding-top-k", slip=True)
def top_k_beyond_the_vocabulary(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """어휘보다 큰 top_k에서 오류가 납니다. 그때는 모두 남기십시오."""
    _check(temperature, top_k, top_p)
    if top_k is not None and temperature != 0:
        logits.topk(top_k)
    return _sample(logits, temperature, top_k, top_p, generator)


# KVCache ----------------------------------------------------------------------------------------------------


@right_answer("KVCache")
class _Cache:
    """The right cache, its steps laid open."""

    axis = -2

    def __init__(self):
        self.keys, self.values = {}, {}

    def join(self, old, new):
        return torch.cat([old, new], dim=self.axis)

    def update(self, layer, key, value):
        if layer in self.keys:
            key, value = self.join(self.keys[layer], key), self.join(self.values[layer], value)
        self.keys[layer], self.values[layer] = key, value
        return key, value

    def reorder(self, rows):
        for layer in self.keys:
            self.keys[layer], self.values[layer] = self.keys[layer][rows], self.values[layer][rows]


@wrong("KVCache", read="decoding-cache")
class JoinsTheBatch(_Cache):
    """시간 축이 아니라 배치 축에 이어 붙였습니다. 시간은 뒤에서 둘째 축(-2)입니다."""

    axis = 0


@wrong("KVCache", read="decoding-cache")
class JoinsTheHeads(_Cache):
    """헤드 축에 이어 붙였습니다. (batch, heads, n, d_k)에서 시간은 뒤에서 둘째 축(-2)입니다."""

    axis = 1


@wrong("KVCache", read="decoding-cache")
class JoinsTheFeatures(_Cache):
    """특징 축(d_k)에 이어 붙였습니다. 시간은 뒤에서 둘째 축(-2)입니다."""

    axis = -1


@wrong("KVCache", read="decoding-cache", slip=True)
class CountsTheAxisFromTheFront(_Cache):
    """시간 축을 앞에서 세었습니다. 헤드의 축이 없거나 둘이면 다른 축에 붙습니다. 시간은 뒤에서 둘째 축(-2)입니다."""

    axis = 2


@wrong("KVCache", read="decoding-cache")
class StoresOnlyTheFirst(_Cache):
    """처음 것만 저장했습니다. 걸음마다 이어 붙인 것을 다시 저장하십시오."""

    def update(self, layer, key, value):
        if layer in self.keys:
            return self.join(self.keys[layer], key), self.join(self.values[layer], value)
        return super().update(layer, key, value)


@wrong("KVCache", read="decoding-cache-reorder", slip=True)
class NeverReorders(_Cache):
    """reorder가 아무것도 바꾸지 않습니다. 다시 고른 키와 값을 저장해야 합니다."""

    def reorder(self, rows):
        for layer in self.keys:
            self.keys[layer].index_select(0, rows)


@wrong("KVCache", read="decoding-cache")
class ReturnsOnlyTheNew(_Cache):
    """새 키와 값만 돌려주었습니다. 지금까지 모은 것을 모두 돌려주어야 질의가 과거를 봅니다."""

    def update(self, layer, key, value):
        super().update(layer, key, value)
        return key, value


@wrong("KVCache", read="decoding-cache")
class NewestFirst(_Cache):
    """새것을 앞에 붙였습니다. 오래된 것이 앞에 있어야 위치와 마스크가 맞습니다."""

    def join(self, old, new):
        return torch.cat([new, old], dim=-2)


@wrong("KVCache", read="decoding-cache")
class RemembersOneStep(_Cache):
    """이어 붙인 것을 돌려주기만 하고 저장하지 않았습니다. 다음 걸음에서 그 앞의 것이 사라집니다."""

    def update(self, layer, key, value):
        new = key, value
        key, value = super().update(layer, key, value)
        self.keys[layer], self.values[layer] = new
        return key, value


@wrong("KVCache", read="decoding-cache-layers")
class OneStoreForAllLayers(_Cache):
    """모든 층이 한 저장소를 나누어 씁니다. 층마다 따로 모으십시오."""

    def update(self, layer, key, value):
        return super().update(0, key, value)


@wrong("KVCache", read="decoding-cache-layers")
class SharedByAllCaches(_Cache):
    """저장소를 클래스에 두었습니다. 모든 캐시가 그것을 나누어 씁니다. __init__에서 만드십시오."""

    keys, values = {}, {}

    def __init__(self):
        pass


@wrong("KVCache", read="decoding-cache")
class ValueFirst(_Cache):
    """키와 값을 바꾸어 돌려주었습니다. (키, 값)의 차례입니다."""

    def update(self, layer, key, value):
        return super().update(layer, key, value)[::-1]


@wrong("KVCache", read="decoding-cache-reorder", slip=True)
class ReordersOnlyKeys(_Cache):
    """reorder에서 키만 다시 골랐습니다. 값도 같은 차례로 골라야 합니다."""

    def reorder(self, rows):
        for layer in self.keys:
            self.keys[layer] = self.keys[layer][rows]


@wrong("KVCache", read="decoding-cache-reorder", slip=True)
class ReordersOnlyTheFirstLayer(_Cache):
    """reorder에서 첫 층만 다시 골랐습니다. 모든 층을 골라야 합니다."""

    def reorder(self, rows):
        for layer in self.keys:
            if layer == 0:
                self.keys[layer], self.values[layer] = self.keys[layer][rows], self.values[layer][rows]


@wrong("KVCache", read="decoding-cache-reorder", slip=True)
class ReordersTime(_Cache):
    """시간 축에서 골랐습니다. reorder는 배치의 행을 고릅니다."""

    def reorder(self, rows):
        for layer in self.keys:
            self.keys[layer] = self.keys[layer][..., rows, :]
            self.values[layer] = self.values[layer][..., rows, :]


@wrong("KVCache", read="decoding-cache-reorder", slip=True)
class SendsTheRows(_Cache):
    """행을 거꾸로 옮겼습니다. 새 행 i는 옛 행 rows[i]입니다. 옛 행 i를 rows[i]의 자리로 보내는 것이 아닙니다."""

    def reorder(self, rows):
        super().reorder(rows.argsort())


@wrong("KVCache", read="decoding-cache-reorder", slip=True)
class OverwritesTheRows(_Cache):
    """행을 하나씩 제자리에 옮겨, 이미 덮어쓴 행을 다시 읽었습니다. 옛 행이 모두 그대로 있을 때 한꺼번에 고르십시오."""

    def reorder(self, rows):
        for store in [self.keys, self.values]:
            for layer, old in store.items():
                new = torch.cat([old, old[:1].expand(max(0, len(rows) - len(old)), *old.shape[1:])])
                for i, row in enumerate(rows.tolist()):
                    new[i] = new[row]
                store[layer] = new[: len(rows)]


@wrong("KVCache", read="decoding-cache-reorder", slip=True)
class ReordersHeads(_Cache):
    """헤드 축에서 골랐습니다. reorder는 첫째 축인 배치의 행을 고릅니다."""

    def reorder(self, rows):
        for store in [self.keys, self.values]:
            for layer in store:
                store[layer] = store[layer].index_select(1, rows)


@wrong("KVCache", read="decoding-cache", slip=True)
class KeysAndValuesInOne(_Cache):
    """키와 값을 한 텐서에 모았습니다. 키의 너비 d_k와 값의 너비 d_v는 다를 수 있으므로 따로 모으십시오."""

    def update(self, layer, key, value):
        torch.stack([key, value])
        return super().update(layer, key, value)


@wrong("KVCache", read="decoding-cache")
class KeysForValues(_Cache):
    """값 자리에 키를 모았습니다. 값은 값끼리 이어 붙이십시오."""

    def update(self, layer, key, value):
        key, _ = super().update(layer, key, value)
        return key, key


@wrong("KVCache", read="decoding-cache-layers", slip=True)
class KnowsTheNumberOfLayers(_Cache):
    """층의 수를 미리 정했습니다. 층의 수는 알려 주지 않으므로, 처음 보는 층은 그때 만드십시오."""

    def update(self, layer, key, value):
        return super().update(range(2)[layer], key, value)
