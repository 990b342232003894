"""What the exercise `training` is graded by."""

import math

import torch
import torch.nn.functional as F

from grader.judging.contract import assert_manners, bad_manners
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import assert_close, gradients, observes, outcome, place, points, scattered

# noam_lr ----------------------------------------------------------------------------------------------------


def assert_rate(found, expected):
    """A learning rate, as a float or a scalar tensor."""
    found = float(found)
    assert math.isclose(found, expected, rel_tol=1e-6), f"{expected:.6g}이어야 하는데 {found:.6g}입니다."


@points(0.5, "noam_lr", read="noam-schedule", step="warm-up")
def test_rises_and_falls(student):
    """warmup걸음에서 가장 크고, 그 값은 (d_model × warmup)의 -0.5제곱입니다. 두 식 가운데 작은 쪽이 학습률입니다."""
    for step, expected in [(1, 0.0625), (2, 0.125), (4, 0.25), (16, 0.125), (64, 0.0625)]:
        assert_rate(student.noam_lr(step, 4, 4), expected)


@points(0.25, "noam_lr", read="noam-step-zero", step="robust")
def test_step_zero_is_step_one(student):
    """0걸음은 1걸음과 같은 값이어야 합니다. 0의 -0.5제곱은 없습니다."""
    assert_rate(student.noam_lr(0, 4, 4), 0.0625)


@observes("noam_lr")
def observe_noam_lr(student):
    def rate(step, d_model=5):
        return float(student.noam_lr(step, d_model, 12))

    def larger_model():
        """What a model four times as large changes, early and late."""
        changed = [round(rate(step, 20) / rate(step), 4) for step in (1, 1200)]
        return "one side" if sorted(changed) == [0.5, 1.0] else changed

    def start():
        found = outcome(rate, 0)
        return round(found / rate(1), 4) if isinstance(found, float) else found == "ZeroDivisionError"

    return up_to_the_first_wrong(
        (larger_model, [0.5, 0.5]),
        (lambda: [rate(step) / rate(12) for step in (1, 3, 48, 192)], [0.08333, 0.25, 0.5, 0.25]),
        (lambda: rate(12), 0.1291),
        (start, 1.0),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "noam_lr", read="noam-schedule")
def test_depends_on_the_models_size(student, rng):
    """원래 논문의 크기 d_model 512, warmup 4000에서 꼭대기는 6.99e-4입니다. d_model이 네 배이면 절반이 됩니다."""
    assert f"{float(student.noam_lr(4000, 512, 4000)):.2e}" == "6.99e-04"
    for _ in range(5):
        d_model, warmup = torch.randint(2, 3000, (2,), generator=rng).tolist()
        for step in (1, 4 * warmup):  # on the way up and on the way down
            assert_rate(
                student.noam_lr(step, d_model, warmup), d_model**-0.5 * student.noam_lr(step, 1, warmup)
            )
        assert_rate(student.noam_lr(warmup, d_model, warmup), (d_model * warmup) ** -0.5)


@points(0.5, "noam_lr", read="noam-schedule")
def test_straight_up_and_slowly_down(student, rng):
    """warmup까지는 걸음에 비례해 곧게 오르고, 그 뒤로는 걸음이 네 배가 될 때마다 절반이 됩니다."""
    for _ in range(5):
        d_model, warmup = torch.randint(2, 3000, (2,), generator=rng).tolist()
        peak = (d_model * warmup) ** -0.5
        step = int(torch.randint(1, warmup + 1, (), generator=rng))
        assert_rate(student.noam_lr(step, d_model, warmup), peak * step / warmup)
        for times in [4, 9, 100]:
            assert_rate(student.noam_lr(times * warmup, d_model, warmup), peak / times**0.5)


### END HIDDEN TESTS


# label_smoothed_nll -----------------------------------------------------------------------------------------


def five_and_one():
    """Logits whose probabilities are 5/8, 1/8, 1/8, 1/8 and 1/4 each."""
    return torch.tensor([[5.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]).log()


@points(0.25, "label_smoothed_nll", read="training-cross-entropy", step="warm-up")
def test_without_smoothing(student, device):
    """epsilon이 0이면 정답에 준 확률의 로그에 음수 부호를 붙인 것의 평균입니다."""
    found = student.label_smoothed_nll(five_and_one().to(device), torch.tensor([0, 2], device=device), 0.0)
    assert_close(found, torch.tensor((math.log(8 / 5) + math.log(4)) / 2))


@points(0.25, "label_smoothed_nll", read="smoothing-conventions")
def test_smoothing_over_the_whole_vocabulary(student):
    """epsilon은 정답까지 넣은 어휘 V개에 고르게 나눕니다. 정답은 1 - epsilon + epsilon / V를 받습니다."""
    found = student.label_smoothed_nll(five_and_one(), torch.tensor([0, 0]), 0.4)
    assert_close(found, torch.tensor((math.log(8) - 0.7 * math.log(5) + math.log(4)) / 2))


@points(0.25, "label_smoothed_nll", read="training-ignored")
def test_ignored_positions_do_not_count(student):
    """ignore_index인 위치는 합에도, 나누는 수에도 들어가지 않습니다."""
    logits = torch.cat([five_and_one(), torch.randn(3, 4, generator=torch.Generator().manual_seed(0))])
    for ignored in [-100, 3]:
        target = torch.tensor([0, 0, ignored, ignored, ignored])
        given = [] if ignored == -100 else [ignored]  # -100 is the default
        found = student.label_smoothed_nll(logits, target, 0.4, *given)
        assert_close(found, torch.tensor((math.log(8) - 0.7 * math.log(5) + math.log(4)) / 2))


@observes("label_smoothed_nll")
def observe_label_smoothed_nll(student):
    logits, loss = 3 * scattered((6, 5), 4).float(), student.label_smoothed_nll
    target = torch.tensor([1, 4, 0, 2, 2, 3])

    def nothing():
        return torch.full((6,), -100)

    def without(ignored):
        return loss(logits, target.masked_fill(target == 2, ignored), 0.3, ignored)

    def more_axes():
        return same(loss(logits.reshape(2, 3, 5), target.reshape(2, 3), 0.3), loss(logits, target, 0.3))

    def large():
        return same(loss(1000 * logits, target, 0.0) / 1000, torch.tensor(2.3329))

    def linked():
        found = attempt(gradients, loss, logits, nothing(), 0.3)
        return found if found == "fails" else bool((found["inputs"][0] == 0).all())

    return up_to_the_first_wrong(
        (lambda: loss(logits, target, 0.0), torch.tensor(2.9331)),
        (lambda: loss(logits, target, 0.3), torch.tensor(2.7317)),
        (lambda: without(-100), torch.tensor(2.6839)),
        (lambda: without(2), torch.tensor(2.6839)),
        (more_axes, True),
        (lambda: bad_manners(student, loss, logits, target.masked_fill(target == 2, -100), 0.3), "none"),
        (lambda: float(loss(logits, nothing(), 0.3)), 0.0),
        (linked, True),
        (large, True),
    )


### BEGIN HIDDEN TESTS
def torch_loss(logits, target, epsilon, ignore_index):
    return F.cross_entropy(
        logits.flatten(0, -2), target.flatten(), label_smoothing=epsilon, ignore_index=ignore_index
    )


def random_targets(shape, vocab, ignored, rng):
    """Targets of which about a third, but not the first, are ignored."""
    target = torch.randint(0, vocab, shape, generator=rng)
    target[torch.rand(shape, generator=rng) < 0.3] = ignored
    target.view(-1)[0] = 1
    return target


@points(0.5, "label_smoothed_nll", read="smoothing-conventions")
def test_equals_torch_on_any_shape(student, device, rng):
    """F.cross_entropy(label_smoothing=epsilon, ignore_index=ignore_index)와 같아야 합니다. 앞에 축이 몇 개든 됩니다."""
    for shape, vocab in [((1,), 2), ((7,), 5), ((3, 6), 11), ((2, 3, 4), 4)]:
        for epsilon, ignored in [(0.0, -100), (0.1, 0), (0.5, -1), (1.0, -100)]:
            logits = 3 * torch.randn(*shape, vocab, generator=rng, dtype=torch.float64)
            target = random_targets(shape, vocab, ignored, rng)
            found = student.label_smoothed_nll(logits.to(device), target.clone().to(device), epsilon, ignored)
            assert_close(found, torch_loss(logits, target, epsilon, ignored), rtol=1e-10, atol=1e-10)
            assert found.dtype == logits.dtype, f"자료형이 {logits.dtype}이어야 하는데 {found.dtype}입니다."
    lonely = torch.randn(3, 1, generator=rng)  # a vocabulary of one token, about which nothing is uncertain
    assert_close(student.label_smoothed_nll(lonely, torch.tensor([0, -100, 0]), 0.1), torch.tensor(0.0))


@points(0.25, "label_smoothed_nll", read="training-ignored", step="robust")
def test_nothing_to_count_gives_zero(student, rng):
    """셀 위치가 하나도 없으면 손실은 0이고 기울기도 모두 0이어야 합니다. 0/0은 NaN입니다."""
    logits = torch.randn(2, 3, 5, generator=rng)
    for ignored in [-100, 4]:
        target = torch.full((2, 3), ignored)
        found = gradients(student.label_smoothed_nll, logits, target, 0.1, ignored)
        assert_close(found["output"], torch.tensor(0.0))
        assert_close(found["inputs"][0], torch.zeros(2, 3, 5))


@points(0.75, "label_smoothed_nll", read="training-cross-entropy")
def test_gradient_equals_torch(student, rng):
    """기울기도 F.cross_entropy와 같아야 합니다. 중간에 detach나 item으로 끊지 마십시오. 로짓이 커도 유한해야 합니다."""
    target = random_targets((3, 4), 6, 5, rng)
    for size in (1, 1e4):
        logits = size * torch.randn(3, 4, 6, generator=rng, dtype=torch.float64)
        found = gradients(student.label_smoothed_nll, logits, target.clone(), 0.2, 5)["inputs"][0]
        ours = logits.clone().requires_grad_()
        torch_loss(ours, target, 0.2, 5).backward()
        assert_close(found, ours.grad, rtol=1e-10, atol=1e-10)


@points(1, "label_smoothed_nll", read="training-log-softmax")
def test_large_logits(student, rng):
    """로짓이 커도 유한해야 합니다. 소프트맥스를 하고 로그를 취하면 log(0)이 생깁니다. log_softmax를 쓰십시오. 기울기도, 세지 않는 위치도 그대로입니다."""
    logits = 1e4 * torch.randn(8, 5, generator=rng)
    target = torch.randint(0, 4, (8,), generator=rng)
    expected = torch_loss(logits.double(), target, 0.1, -100)
    assert_close(student.label_smoothed_nll(logits, target.clone(), 0.1), expected)
    target[:3] = 4  # without smoothing, where it has no share
    ours = logits.double().requires_grad_()
    expected = torch_loss(ours, target, 0.0, 4)
    expected.backward()
    found = gradients(student.label_smoothed_nll, logits.double(), target.clone(), 0.0, 4)
    assert_close(found["output"], expected.detach())
    assert_close(found["inputs"][0], ours.grad)


@points(0.25, "label_smoothed_nll", read="training-ignored", step="robust")
def test_loss_has_manners(student):
    """받은 로짓과 target을 바꾸지 마십시오. 안에서 만드는 텐서는 로짓의 장치에 둡니다."""
    assert_manners(
        student, student.label_smoothed_nll, scattered((4, 5), 1), torch.tensor([1, -100, 0, 3]), 0.2
    )


### END HIDDEN TESTS


# accumulate_gradients ---------------------------------------------------------------------------------------

PAD = 0


def tiny_model(others=True):
    """Predicts a token from the one before it; where there are `others`, one is frozen, one is not in the loss."""

    class Tiny(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(6, 3)
            self.output = torch.nn.Linear(3, 6)
            self.frozen = torch.ones(6)
            if others:
                self.unused = torch.nn.Linear(2, 2)
                self.frozen = torch.nn.Parameter(self.frozen, requires_grad=False)

        def forward(self, ids):
            return self.output(self.embedding(ids).tanh()) * self.frozen

    return Tiny().double()


def summed_loss(model, ids):
    """Loss of the next tokens, padding left out, and the number of these tokens."""
    logits, target = model(ids[:, :-1]), ids[:, 1:]
    loss = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=0, reduction="sum"
    )
    return loss, int((target != 0).sum())


def accumulate_and_look(accumulate, model, loss_sum, batches, old):
    """What accumulate_gradients returns and leaves, where older gradients of size `old` lie about."""
    for parameter in (model.embedding.weight, model.output.weight, model.output.bias):
        parameter.grad = torch.full_like(parameter, old) if old else None
    before = {name: value.clone() for name, value in model.state_dict().items()}
    loss = accumulate(model, loss_sum, batches)
    return {
        "loss": float(loss.detach() if hasattr(loss, "detach") else loss),
        "kind": "float" if isinstance(loss, float) else type(loss).__name__,
        "gradients": {
            name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None
        },
        "moved": [name for name, value in model.state_dict().items() if not torch.equal(value, before[name])],
    }


def most_graphs_alive(accumulate, model, batches):
    """How many batches' graphs are in memory at the most when the next batch is computed."""
    import weakref

    class Kept:
        def __init__(self, tensor):
            self.tensor = tensor

    kept, most = {}, 0

    def loss_sum(model, ids):
        nonlocal most
        most = max(most, sum(any(ref() is not None for ref in refs) for refs in kept.values()))
        number = len(kept)
        kept[number] = []

        def pack(tensor):
            entry = Kept(tensor.detach())  # an output that kept its own graph would never be freed
            kept[number].append(weakref.ref(entry))
            return entry

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda entry: entry.tensor):
            logits, target = model(ids[:, :-1]), ids[:, 1:]
            loss = torch.nn.functional.cross_entropy(
                logits.flatten(0, 1), target.flatten(), ignore_index=0, reduction="sum"
            )
        return loss, int((target != 0).sum())

    accumulate(model, loss_sum, batches)
    return most


def computed_before_backward(accumulate, model, batches):
    """How often the next batch was computed before the last one had gone backwards."""
    waiting, early = False, 0

    def loss_sum(model, ids):
        nonlocal waiting, early
        early, waiting = early + waiting, True
        logits, target = model(ids[:, :-1]), ids[:, 1:]
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), target.flatten(), ignore_index=0, reduction="sum"
        )
        loss.register_hook(done)
        return loss, int((target != 0).sum())

    def done(gradient):
        nonlocal waiting
        waiting = False

    accumulate(model, loss_sum, batches)
    return early


def scattered_state():
    """Fixed weights of the tiny model."""
    generator = torch.Generator().manual_seed(7)
    state = tiny_model().state_dict()
    return {name: torch.randn(value.shape, generator=generator).double() for name, value in state.items()}


def uneven_batches():
    """Four batches of two sentences with 9, 2, 4 and 1 tokens to predict."""
    return [
        torch.tensor([[1, 2, 3, 4, 5, 1], [2, 5, 4, 3, 1, PAD]]),
        torch.tensor([[3, 3, PAD, PAD], [1, 4, PAD, PAD]]),
        torch.tensor([[5, 2, 2, PAD], [4, 1, 3, PAD]]),
        torch.tensor([[2, 1, PAD], [5, PAD, PAD]]),
    ]


def one_big_batch(state, batches):
    """Mean loss over all tokens of all batches, padded into one, and its gradients."""
    model = tiny_model()
    model.load_state_dict(state)
    width = max(ids.shape[1] for ids in batches)
    ids = torch.cat([F.pad(ids, (0, width - ids.shape[1]), value=PAD) for ids in batches])
    loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten(), ignore_index=PAD)
    loss.backward()
    return loss.item(), {name: p.grad for name, p in model.named_parameters() if p.grad is not None}


def accumulated(student, state, batches, old=0.0, loss_sum=summed_loss):
    model = place(student, tiny_model)()
    model.load_state_dict(state)
    look = place(student, accumulate_and_look)
    return look(student.accumulate_gradients, model, place(student, loss_sum), batches, old)


def assert_gradients(found, expected):
    for name, gradient in expected.items():
        assert name in found, f"{name}에 기울기가 없습니다."
        assert_close(found[name], gradient, rtol=1e-10, atol=1e-12)


@points(0.25, "accumulate_gradients", read="mean-of-means", step="warm-up")
def test_equals_one_big_batch_with_padding(student):
    """큰 배치 하나의 기울기와 다릅니다. 합의 기울기를 모두 더한 다음 전체 토큰 수로 한 번 나눕니다."""
    _, expected = one_big_batch(scattered_state(), uneven_batches())
    assert_gradients(accumulated(student, scattered_state(), uneven_batches())["gradients"], expected)


@points(0.25, "accumulate_gradients", read="mean-of-means")
def test_returns_the_mean_loss(student):
    """돌려줄 값은 모든 토큰에 걸친 평균 손실입니다. 배치마다 구한 평균의 평균도, 마지막 배치의 손실도 아닙니다."""
    expected, _ = one_big_batch(scattered_state(), uneven_batches())
    found = accumulated(student, scattered_state(), uneven_batches())
    assert found["kind"] == "float", f"float를 돌려주어야 하는데 {found['kind']}입니다."
    assert math.isclose(found["loss"], expected, rel_tol=1e-6), (
        f"{expected:.4f}이어야 하는데 {found['loss']:.4f}입니다."
    )


@points(0.75, "accumulate_gradients", read="clear-once")
def test_old_gradients_are_cleared(student):
    """전에 남아 있던 기울기를 지우고 시작해야 합니다. backward는 있던 기울기에 더합니다."""
    _, expected = one_big_batch(scattered_state(), uneven_batches())
    found = accumulated(student, scattered_state(), uneven_batches(), old=5.0)
    assert_gradients(found["gradients"], expected)


@observes("accumulate_gradients")
def observe_accumulate_gradients(student):
    state, batches = scattered_state(), uneven_batches()
    tokens = torch.tensor([9.0, 2, 4, 1], dtype=torch.float64)
    losses, each = zip(*(one_big_batch(state, [batch]) for batch in batches), strict=True)
    total = float(sum(loss * n for loss, n in zip(losses, tokens.tolist(), strict=True)))
    found = attempt(accumulated, student, state, batches)

    def flat(gradients):
        return torch.cat([gradients[name].flatten() for name in ("embedding.weight", "output.weight")])

    def runs():
        """Whether it runs, and if not, whether only where a parameter has no gradient."""
        if found != "fails":
            return True
        model, look = place(student, tiny_model)(False), place(student, accumulate_and_look)
        other = attempt(look, student.accumulate_gradients, model, place(student, summed_loss), batches, 0.0)
        return "never" if other == "fails" else "only with all gradients"

    def weights():
        """How much each batch counts in the gradient, against what it should."""
        if not {"embedding.weight", "output.weight"} <= found["gradients"].keys():
            return "no gradient"
        sums = torch.stack([flat(gradient) * n for gradient, n in zip(each, tokens, strict=True)], dim=1)
        counted = torch.linalg.lstsq(sums, flat(found["gradients"])[:, None]).solution[:, 0] * 16
        if same(counted * tokens, (counted * tokens).mean().expand(4)):
            return "alike"
        return "only the last" if same(counted[:3], torch.zeros(3)) else counted

    def returned():
        loss = found["loss"]
        last = losses[-1]
        if any(math.isclose(loss, one, rel_tol=1e-4) for one in (last, last / 16, last / 4)):
            return "the last"
        return loss / total * 16

    def clears():
        again = accumulated(student, state, batches, old=5.0)
        return same(flat(again["gradients"]), flat(found["gradients"]))

    def alive():
        model = place(student, tiny_model)()
        return int(place(student, most_graphs_alive)(student.accumulate_gradients, model, batches))

    def early():
        model = place(student, tiny_model)()
        return int(place(student, computed_before_backward)(student.accumulate_gradients, model, batches))

    return up_to_the_first_wrong(
        (runs, True),
        (lambda: found["moved"], []),
        (weights, torch.ones(4)),
        (clears, True),
        (returned, 1.0),
        (lambda: found["kind"], "float"),
        (lambda: alive() <= 1, True),
        (early, 0),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "accumulate_gradients", read="mean-of-means")
def test_any_batches(student, rng):
    """토큰이 하나도 없는 배치가 섞여도 되고, 배치가 하나뿐이어도 됩니다. 배치의 평균을 구하면 0으로 나누게 됩니다. 전의 기울기는 지우고, 계산 그래프는 한 배치의 것만 둡니다."""
    for sizes in [[(3, 5)], [(2, 4), (1, 7), (5, 2)], [(2, 3), (1, 2), (4, 6), (2, 2)]]:
        state = {name: torch.randn(t.shape, generator=rng).double() for name, t in scattered_state().items()}
        batches = []
        for size in sizes:
            ids = torch.randint(1, 6, size, generator=rng)
            lengths = torch.randint(1, size[1] + 1, (size[0], 1), generator=rng)
            batches.append(ids.where(torch.arange(size[1]) < lengths, PAD))
        batches[0][0, :2] = 1
        if len(batches) > 2:
            batches[1][:, 1:] = PAD  # nothing to predict
        loss, expected = one_big_batch(state, batches)
        found = accumulated(student, state, batches, old=1.0)
        assert_gradients(found["gradients"], expected)
        assert math.isclose(found["loss"], loss, rel_tol=1e-6), (
            f"{loss:.4f}이어야 하는데 {found['loss']:.4f}입니다."
        )
    model = place(student, tiny_model)()
    alive = place(student, most_graphs_alive)(student.accumulate_gradients, model, batches)
    assert int(alive) <= 1, f"배치 {int(alive)}개의 계산 그래프가 한꺼번에 메모리에 있습니다."


@points(0.25, "accumulate_gradients", read="clear-once")
def test_parameters_stay(student, rng):
    """기울기만 남기고 파라미터의 값은 그대로 두어야 합니다. 걸음을 옮기는 것은 optimizer.step()의 일입니다."""
    state = {name: torch.randn(t.shape, generator=rng).double() for name, t in scattered_state().items()}
    found = accumulated(student, state, uneven_batches())
    assert_gradients(found["gradients"], one_big_batch(state, uneven_batches())[1])
    assert found["moved"] == [], f"{found['moved'][0]}의 값이 바뀌었습니다."


@points(0.75, "accumulate_gradients", read="one-graph-at-a-time")
def test_one_graph_at_a_time(student, rng):
    """한 배치를 역전파한 다음에 다음 배치를 계산해야 합니다. 손실을 모아 두면 계산 그래프가 모두 메모리에 남습니다."""
    batches = [torch.randint(1, 6, (2, 4), generator=rng) for _ in range(6)]
    model = place(student, tiny_model)()
    model.load_state_dict(scattered_state())
    alive = place(student, most_graphs_alive)(student.accumulate_gradients, model, batches)
    # A loop's variable may keep the graph of the batch before.
    assert int(alive) <= 1, f"배치 {int(alive)}개의 계산 그래프가 한꺼번에 메모리에 있습니다."
    early = place(student, computed_before_backward)(student.accumulate_gradients, model, batches)
    assert int(early) == 0, f"앞 배치를 역전파하기 전에 다음 배치를 {int(early)}번 계산했습니다."
    found = accumulated(student, scattered_state(), batches)
    assert_gradients(found["gradients"], one_big_batch(scattered_state(), batches)[1])


### END HIDDEN TESTS


# random_search ----------------------------------------------------------------------------------------------


def search_and_look(search, space, trials, seed):
    """What random_search returns, and whose global random state it changes."""
    import random

    import numpy

    before = [random.getstate(), str(numpy.random.get_state()), torch.get_rng_state()]
    found = search(space, trials, seed)
    after = [random.getstate(), str(numpy.random.get_state()), torch.get_rng_state()]
    names = ["random", "numpy.random", "torch"]
    same = [before[0] == after[0], before[1] == after[1], torch.equal(before[2], after[2])]
    touched = [name for name, kept in zip(names, same, strict=True) if not kept]
    objects = 0
    if isinstance(found, list) and all(isinstance(one, dict) for one in found):
        objects = len({id(one) for one in found})
        number = (torch.Tensor, numpy.generic)
        found = [{k: v.item() if isinstance(v, number) else v for k, v in one.items()} for one in found]
    return {"settings": found, "objects": objects, "touched": touched}


def example_space():
    return {"heads": [1, 2, 4], "dropout": (0.0, 0.5), "exponent": (-4.0, -1.0), "norm": ["pre", "post"]}


def searched(student, space, trials, seed):
    return place(student, search_and_look)(student.random_search, space, trials, seed)


def plain_settings(found):
    """The settings, or None where they are no list of dictionaries."""
    settings = found["settings"]
    if not isinstance(settings, list) or not all(isinstance(one, dict) for one in settings):
        return None
    return settings


def allowed(value, values):
    if isinstance(values, list):
        return any(type(value) is type(v) and value == v for v in values)
    return isinstance(value, int | float) and values[0] <= value <= values[1]


def assert_settings(found, space, trials):
    settings = plain_settings(found)
    assert settings is not None, "설정(사전)의 리스트를 돌려주어야 합니다."
    assert len(settings) == trials, f"설정이 {trials}개여야 하는데 {len(settings)}개입니다."
    for one in settings:
        assert set(one) == set(space), f"이름이 {sorted(space)}여야 하는데 {sorted(one)}입니다."
        for name, values in space.items():
            assert allowed(one[name], values), f"{name}에 {one[name]!r}이 나왔습니다. 가능한 값: {values}"
    return settings


def correlation(one, other):
    return torch.corrcoef(torch.tensor([one, other], dtype=torch.float64))[0, 1].item()


@points(0.25, "random_search", read="search-space", step="warm-up")
def test_settings_come_from_the_space(student):
    """설정마다 이름이 모두 있고, 값은 리스트 가운데 하나이거나 low와 high 사이여야 합니다."""
    for trials in [1, 20]:
        settings = assert_settings(searched(student, example_space(), trials, 0), example_space(), trials)
    inside = [one for one in settings if 0.0 < one["dropout"] < 0.5 and -4.0 < one["exponent"] < -1.0]
    assert len(inside) == 20, "범위의 두 끝만 뽑았습니다. 그 사이의 실수를 뽑으십시오."


@points(0.25, "random_search", read="search-seed")
def test_the_seed_decides(student):
    """같은 시드는 같은 설정을, 다른 시드는 다른 설정을 내야 합니다. 시드로 만든 난수 생성기 하나로 모두 뽑습니다."""
    runs = [
        assert_settings(searched(student, example_space(), 8, seed), example_space(), 8) for seed in (0, 0, 1)
    ]
    assert runs[0] == runs[1], "같은 시드인데 결과가 다릅니다."
    assert runs[0] != runs[2], "다른 시드인데 결과가 같습니다."


def evenness(settings, space):
    """Whether list values, and numbers of ranges, come as often as they should: within five standard deviations."""
    even = {list: True, tuple: True}
    for name, values in space.items():
        drawn = [one[name] for one in settings]
        if isinstance(values, tuple):
            low, high = values
            parts = [
                (share, sum(v < low + share * (high - low) for v in drawn)) for share in (0.25, 0.5, 0.75)
            ]
        else:
            parts = [(1 / len(values), sum(v == value for v in drawn)) for value in values]
        for share, count in parts:
            off = abs(count - share * len(drawn))
            even[type(values)] &= off <= 5 * (len(drawn) * share * (1 - share)) ** 0.5
    return even[list], even[tuple]


@observes("random_search")
def observe_random_search(student):
    space = {**example_space(), "batch": [16, 64], "steps": (1, 99)}
    ranges = {name: values for name, values in space.items() if isinstance(values, tuple)}
    lists = {name: values for name, values in space.items() if isinstance(values, list)}
    first = searched(student, space, 12, 0)
    settings = plain_settings(first)
    if settings is None:
        return [type(first["settings"]).__name__]
    columns = {name: [one.get(name) for one in settings] for name in space}

    def drawn(trials, seed):
        return plain_settings(searched(student, space, trials, seed))

    def aliases():
        """How the settings are one: drawn alike, or one dictionary, filled again or not."""
        if first["objects"] > 1:
            return "none" if any(one != settings[0] for one in settings) else "drawn alike"
        return "one setting" if drawn(1, 0)[0] == settings[0] else "filled again"

    def in_ranges():
        values = [(v, space[name]) for name in ranges for v in columns[name]]
        if all(v in ends for v, ends in values):
            return "ends"
        if len(set(columns["steps"])) < 7:
            return "few"
        if all(float(v).is_integer() for v in columns["steps"]):
            return "whole"
        if not all(allowed(*pair) for pair in values):
            return "outside"
        return "anew" if min(len(set(columns[name])) for name in ranges) == 12 else "some again"

    def in_lists():
        return all(allowed(v, lists[name]) for name in lists for v in columns[name])

    def of_seeds():
        again, other = drawn(12, 0), drawn(12, 1)
        if settings != again:
            return "ignored"
        if settings == other:
            return "always the same"
        return "lists in turn" if columns["heads"] == [one["heads"] for one in other] else "decide"

    return up_to_the_first_wrong(
        (lambda: len(settings), 12),
        (aliases, "none"),
        (in_ranges, "anew"),
        (in_lists, True),
        (of_seeds, "decide"),
        (lambda: first["touched"] == [], True),
        (lambda: abs(correlation(columns["dropout"], columns["exponent"])) > 0.999, False),
        (lambda: evenness(drawn(1000, 0), example_space()), [True, True]),
    )


### BEGIN HIDDEN TESTS
@points(1, "random_search", read="search-space")
def test_every_dimension_is_drawn_anew(student, rng):
    """설정마다, 이름마다 새로 뽑아야 합니다. 30번 뽑으면 연속인 값은 서른 가지가 나오고, 두 값은 서로 상관이 없습니다. 시드가 같으면 같은 것이, 다르면 다른 것이 나옵니다."""
    space = {"a": (-2.5, 1.5), "b": (-1.0, 3.0), "c": [1, 2, 3, 4]}
    seed = int(torch.randint(0, 10**6, (), generator=rng))
    settings = assert_settings(searched(student, space, 200, seed), space, 200)
    again, other = (searched(student, space, 200, number)["settings"] for number in (seed, seed + 1))
    assert again == settings, "같은 시드인데 결과가 다릅니다."
    assert other != settings, "다른 시드인데 결과가 같습니다."
    columns = {name: [one[name] for one in settings] for name in space}
    for name in "ab":
        assert len(set(columns[name])) >= 190, f"{name}의 값이 {len(set(columns[name]))}가지뿐입니다."
    for one, other in ["ab", "ac", "bc"]:
        shared = abs(correlation(columns[one], columns[other]))
        assert shared < 0.4, f"{one}와 {other}를 따로 뽑지 않았습니다 (상관 {shared:.2f})."


@points(0.25, "random_search", read="search-space")
def test_the_whole_space_is_covered(student, rng):
    """리스트의 값도 모두 나와야 하고, 범위의 양 끝 가까이도 나와야 합니다. 값이 문자열이나 None이어도 됩니다."""
    space = {
        "norm": ["pre", "post", None],
        "width": (-3.0, 5.0),
        "only": ["x"],
        "batch": [16, 64],
        "steps": (1, 9),
    }
    seed = int(torch.randint(0, 10**6, (), generator=rng))
    settings = assert_settings(searched(student, space, 200, seed), space, 200)
    assert {one["norm"] for one in settings} == {"pre", "post", None}, "리스트에서 나오지 않은 값이 있습니다."
    widths = [one["width"] for one in settings]
    assert min(widths) < -2.0 and max(widths) > 4.0, "범위의 한쪽이 나오지 않았습니다."
    assert not all(float(one["steps"]).is_integer() for one in settings), (
        "범위의 두 끝이 정수여도 실수를 뽑습니다."
    )
    columns = [[one["norm"] for one in settings]]
    columns += [[one["norm"] for one in assert_settings(searched(student, space, 200, seed + 1), space, 200)]]
    assert columns[0] != columns[1], "시드를 바꾸어도 리스트의 값이 같은 차례로 나옵니다."
    assert columns[0][3:] != columns[0][:-3], "리스트의 값을 뽑지 않고 돌아가며 썼습니다."
    many = assert_settings(searched(student, space, 2000, seed), space, 2000)
    lists, ranges = evenness(many, space)
    assert lists, "리스트의 값이 고르게 나오지 않습니다."
    assert ranges, "범위의 실수가 고르게 나오지 않습니다."


@points(0.25, "random_search", read="search-seed", step="robust")
def test_global_random_state_is_left_alone(student, rng):
    """전역 난수 상태를 바꾸지 말아야 합니다. random.seed 대신 random.Random(seed)처럼 생성기를 따로 만드십시오."""
    for _ in range(3):
        seed = int(torch.randint(0, 10**6, (), generator=rng))
        found = searched(student, example_space(), 6, seed)
        assert_settings(found, example_space(), 6)
        assert found["touched"] == [], f"{found['touched'][0]}의 전역 난수 상태가 바뀌었습니다."


### END HIDDEN TESTS
