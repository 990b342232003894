"""What the exercise `vision_language` is graded by."""

import torch

from grader.judging.contract import assert_manners, bad_manners
from grader.judging.observed import attempt, up_to_the_first_wrong
from grader.judging.suite import assert_close, mutated, observes, points, reached, refuses, scattered
from grader.judging.values import secret


def both(found, what):
    """The two things that an answer returned."""
    assert isinstance(found, list | tuple) and len(found) == 2, f"{what}, 둘을 차례로 돌려줍니다."
    return found


# clip_loss ----------------------------------------------------------------------------------------------------


def pairs(n=4, d=3):
    """Pictures and captions of several lengths, and a logarithm of a scale."""
    lengths = torch.tensor([0.5, 2.0, 1.0, 3.0], dtype=torch.float64)[:n, None]
    return [
        lengths * scattered((n, d), 1),
        lengths.flip(0) * scattered((n, d), 2),
        torch.tensor(1.2).double(),
    ]


@secret
def contrasted(image, text, log_scale):
    """Row by row and column by column, with nothing but exponentials."""
    image = image / image.pow(2).sum(1, keepdim=True).sqrt()
    text = text / text.pow(2).sum(1, keepdim=True).sqrt()
    logits = min(log_scale.exp().item(), 100.0) * image @ text.T
    rows = [logits[i].logsumexp(0) - logits[i, i] for i in range(len(image))]
    columns = [logits[:, i].logsumexp(0) - logits[i, i] for i in range(len(image))]
    return torch.stack([*rows, *columns]).mean()


def steep():
    """A scale above 100."""
    return [*pairs()[:2], torch.tensor(6.0).double()]


@points(0.5, "clip_loss", read="vision-language-loss", step="warm-up")
def test_two_pairs_by_hand(student, device):
    """글 (3, 4)를 크기로 나누면 (0.6, 0.8)입니다. 행의 평균 0.4421과 열의 평균 0.4557을 더해 2로 나눕니다."""
    image = torch.tensor([[1.0, 0.0], [0.0, 2.0]], device=device)
    text = torch.tensor([[1.0, 0.0], [3.0, 4.0]], device=device)
    assert_close(
        student.clip_loss(image, text, torch.zeros((), device=device)), torch.tensor(0.4489), atol=1e-4
    )


@points(0.75, "clip_loss", read="vision-language-loss")
def test_rows_and_columns(student):
    """크기를 1로 만들고 e의 log_scale 제곱을 곱합니다. 행의 손실과 열의 손실을 더해 2로 나눕니다."""
    assert_close(student.clip_loss(*pairs()), contrasted(*pairs()))


@observes("clip_loss")
def observe_clip_loss(student):
    loss = student.clip_loss
    return up_to_the_first_wrong(
        (lambda: list(loss(*pairs()).shape), []),
        (lambda: loss(*pairs()).double(), contrasted(*pairs())),
        (lambda: loss(*steep()).double(), contrasted(*steep())),
        (lambda: refuses(loss, pairs()[0], pairs()[1][:3], pairs()[2]), True),
        (lambda: bad_manners(student, loss, *pairs()), "none"),
    )


### BEGIN HIDDEN TESTS
@points(1.0, "clip_loss", read="vision-language-loss")
def test_any_pairs(student, rng):
    """짝의 수와 차원이 얼마든 같은 식입니다. 곱하는 수는 100을 넘지 않습니다."""
    for n, d, scale in [(5, 3, 0.3), (2, 6, 2.5), (1, 4, 1.0), (6, 4, 5.5)]:
        given = [torch.randn(n, d, generator=rng, dtype=torch.float64) for _ in range(2)]
        given.append(torch.tensor(scale, dtype=torch.float64))
        assert_close(student.clip_loss(*given), contrasted(*given))


@points(0.25, "clip_loss", read="vision-language-grading", step="robust")
def test_clip_loss_has_manners(student):
    """받은 텐서를 바꾸지 않습니다. 기울기는 그림, 글, 온도로 흐릅니다. 짝의 수가 다르면 ValueError입니다."""
    assert_manners(student, student.clip_loss, *pairs())
    assert reached(student.clip_loss, *pairs()) == ["0", "1", "2"], "기울기가 흐르지 않는 입력이 있습니다."
    assert student.clip_loss(*pairs()).dtype == torch.float64, "자료형이 입력을 따르지 않습니다."
    for n, m in [(4, 3), (3, 4)]:
        assert refuses(student.clip_loss, pairs()[0][:n], pairs()[1][:m], pairs()[2]), (
            "짝의 수가 다른 것을 받아들였습니다."
        )


### END HIDDEN TESTS


# zero_shot ----------------------------------------------------------------------------------------------------


def described(sizes=(2, 1, 3), d=4):
    """Pictures, and the prompts of each class, all of several lengths."""
    image = torch.tensor([0.5, 2.0, 3.0], dtype=torch.float64)[:, None] * scattered((3, d), 3)
    lengths = torch.tensor([1.0, 4.0, 0.3], dtype=torch.float64)[:, None]
    return image, [lengths[:size] * scattered((size, d), 10 + i) for i, size in enumerate(sizes)]


@secret
def cosines(image, prompts):
    """One picture and one class after another."""

    def unit(x):
        return x / x.pow(2).sum().sqrt()

    classes = [unit(sum(unit(x) for x in vectors) / len(vectors)) for vectors in prompts]
    return torch.stack([torch.stack([unit(x) @ c for c in classes]) for x in image])


@points(0.25, "zero_shot", read="vision-language-zero-shot", step="warm-up")
def test_two_classes_by_hand(student, device):
    """(1, 0)과 (0, 1)의 평균 (0.5, 0.5)를 다시 크기 1로 만들면 (0.7071, 0.7071)입니다."""
    prompts = [torch.tensor([[3.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.6, 0.8]])]
    found = student.zero_shot(torch.tensor([[0.0, 2.0]], device=device), [x.to(device) for x in prompts])
    assert_close(found, torch.tensor([[0.7071, 0.8]]), atol=1e-4)


@points(0.5, "zero_shot", read="vision-language-zero-shot")
def test_the_mean_of_the_prompts(student):
    """프롬프트를 하나씩 크기 1로 만들어 평균하고, 평균을 다시 크기 1로 만듭니다."""
    assert_close(student.zero_shot(*described()), cosines(*described()))


@observes("zero_shot")
def observe_zero_shot(student):
    even = described((2, 2, 2))

    return up_to_the_first_wrong(
        (lambda: list(student.zero_shot(*even).shape), [3, 3]),
        (lambda: student.zero_shot(*even).double(), cosines(*even)),
        (lambda: student.zero_shot(*described()).double(), cosines(*described())),
        (lambda: str(student.zero_shot(*described()).dtype), "torch.float64"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "zero_shot", read="vision-language-zero-shot")
def test_any_prompts(student, rng):
    """분류와 프롬프트가 몇이든 같습니다. 프롬프트의 수는 분류마다 다를 수 있습니다."""
    for n, sizes, d in [(4, (1, 3, 2, 1), 5), (1, (4,), 3), (6, (2, 2), 2)]:
        image = 3 * torch.randn(n, d, generator=rng, dtype=torch.float64)
        prompts = [2 * torch.randn(size, d, generator=rng, dtype=torch.float64) for size in sizes]
        for prompt in prompts:
            prompt[:, 0] = 1 + prompt[:, 0].abs()  # no two opposite ones, whose mean is nearly nothing
        assert_close(student.zero_shot(image, prompts), cosines(image, prompts))


@points(0.25, "zero_shot", read="vision-language-grading", step="robust")
def test_zero_shot_has_manners(student):
    """받은 텐서를 바꾸지 않고, 자료형은 그림을 따릅니다. 그림으로 기울기가 흐릅니다."""
    image, prompts = described()
    assert_manners(student, student.zero_shot, image, prompts)
    found = student.zero_shot(image, prompts)
    assert found.dtype == torch.float64, "자료형이 그림을 따르지 않습니다."
    assert "0" in reached(student.zero_shot, image, prompts, cotangent=scattered((3, 3), 5)), (
        "그림으로 기울기가 흐르지 않습니다."
    )


### END HIDDEN TESTS


# insert_picture -----------------------------------------------------------------------------------------------

IDS, ANSWER = [5, 3, -7, 2, 0, 4], [False, False, False, False, True, True]


def text_and_picture(image_id=1, d=3, patches=3):
    """ids, answer, a table of six rows, patches, the placeholder."""
    ids = torch.tensor([image_id if i == -7 else i for i in IDS])
    return [ids, torch.tensor(ANSWER), scattered((6, d), 21), scattered((patches, d), 22), image_id]


@secret
def inserted(ids, answer, embedding, patches, image_id):
    """One token after another."""
    vectors, labels = [], []
    for i, answered in zip(ids.tolist(), answer.tolist(), strict=True):
        vectors += patches if i == image_id else [embedding[i]]
        labels += [-100] * len(patches) if i == image_id else [i if answered else -100]
    return torch.stack(list(vectors)), torch.tensor(labels)


def shows(student, *given):
    """Vectors and labels of an answer, on the CPU."""
    vectors, labels = both(student.insert_picture(*given), "벡터와 정답")
    return vectors.double().cpu(), labels.cpu()


@points(0.5, "insert_picture", read="vision-language-insert", step="warm-up")
def test_three_patches_by_hand(student, device):
    """자리 하나를 빼고 패치 셋을 끼우면 4 − 1 + 3 = 6자리입니다. 정답은 대답의 7만 남습니다."""
    ids, answer = torch.tensor([5, -1, 2, 7]), torch.tensor([False, False, False, True])
    table, patches = torch.arange(8.0)[:, None], torch.tensor([[10.0], [11.0], [12.0]])
    given = [x.to(device) for x in (ids, answer, table, patches)]
    vectors, labels = both(student.insert_picture(*given, -1), "벡터와 정답")
    assert_close(vectors, torch.tensor([[5.0], [10.0], [11.0], [12.0], [2.0], [7.0]]))
    assert labels.tolist() == [-100, -100, -100, -100, -100, 7], f"정답이 {labels.tolist()}입니다."


@points(0.75, "insert_picture", read="vision-language-insert")
def test_picture_between_words(student):
    """그림의 자리에 패치를 차례대로 끼우고, 정답은 대답에만 둡니다. 정답을 밀지 않습니다."""
    vectors, labels = shows(student, *text_and_picture())
    right, right_labels = inserted(*text_and_picture())
    assert_close(vectors, right)
    assert labels.tolist() == right_labels.tolist(), f"정답이 {labels.tolist()}입니다."


@observes("insert_picture")
def observe_insert_picture(student):
    given = text_and_picture()
    right, right_labels = inserted(*given)
    large, last = text_and_picture(99), text_and_picture(0)

    def refuses_placeholders(*ids):
        answer = torch.zeros(len(ids), dtype=torch.bool)
        return refuses(student.insert_picture, torch.tensor(ids), answer, *text_and_picture()[2:])

    last[0] = torch.tensor([5, 3, 1, 2, 4, 0])
    last[1] = torch.tensor([False] * 4 + [True, False])
    return up_to_the_first_wrong(
        (lambda: [list(x.shape) for x in shows(student, *given)], [[8, 3], [8]]),
        (lambda: shows(student, *given)[0], right),
        (lambda: shows(student, *given)[1].tolist(), right_labels.tolist()),
        (lambda: shows(student, *large)[0], right),
        (lambda: [x.tolist() for x in shows(student, *last)], [x.tolist() for x in inserted(*last)]),
        (lambda: [refuses_placeholders(3, 2), refuses_placeholders(1, 2, 1)], [True, True]),
        (lambda: bad_manners(student, student.insert_picture, *given), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "insert_picture", read="vision-language-insert")
def test_any_picture_in_any_text(student, rng):
    """그림은 글의 맨 앞에도 맨 뒤에도 올 수 있고, 자리의 번호는 표에 없는 수일 수 있습니다."""
    for n, at, patches, image_id in [(5, 0, 4, -200), (4, 3, 2, 11), (6, 2, 1, 3), (1, 0, 3, -1)]:
        ids = torch.randint(4, 10, (n,), generator=rng)
        answer = torch.rand(n, generator=rng) < 0.5
        ids[at], answer[at] = image_id, False
        table = torch.randn(10, 3, generator=rng, dtype=torch.float64)
        given = [ids, answer, table, torch.randn(patches, 3, generator=rng, dtype=torch.float64), image_id]
        vectors, labels = shows(student, *given)
        assert_close(vectors, inserted(*given)[0])
        assert labels.tolist() == inserted(*given)[1].tolist(), f"정답이 {labels.tolist()}입니다."


@points(0.25, "insert_picture", read="vision-language-grading", step="robust")
def test_insert_picture_has_manners(student):
    """받은 텐서를 바꾸지 않습니다. 기울기는 표와 패치로 흐릅니다. 자리가 꼭 하나가 아니면 ValueError입니다."""
    given = text_and_picture()
    assert_manners(student, student.insert_picture, *given)
    assert reached(student.insert_picture, *given) == ["2", "3"], "기울기가 표와 패치로 흘러야 합니다."
    for ids in ([3, 2], [1, 2, 1]):
        answer = torch.zeros(len(ids), dtype=torch.bool)
        assert refuses(student.insert_picture, torch.tensor(ids), answer, *given[2:]), (
            "그림의 자리가 꼭 하나가 아닌 글을 받아들였습니다."
        )


### END HIDDEN TESTS


# prefix_mask --------------------------------------------------------------------------------------------------

PICTURES = [0, 1, 1, 1, 0, 0, 2, 2, 3, 3, 0]


@secret
def visible(picture):
    """One pair of places after another."""
    numbers = picture.tolist()
    return torch.tensor(
        [[j <= i or (a > 0 and a == b) for j, b in enumerate(numbers)] for i, a in enumerate(numbers)]
    )


@points(0.25, "prefix_mask", read="vision-language-mask", step="warm-up")
def test_two_patches_by_hand(student, device):
    """첫 패치는 뒤의 패치도 봅니다. 글은 자기와 앞만 봅니다."""
    found = student.prefix_mask(torch.tensor([0, 1, 1, 0], device=device))
    right = torch.tensor([[1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 1]]).bool()
    assert_close(found, right)


@points(0.75, "prefix_mask", read="vision-language-mask")
def test_pictures_do_not_look_ahead_at_others(student):
    """그림의 패치는 같은 그림의 뒤 패치까지 봅니다. 뒤에 나오는 다른 그림과 글은 보지 않습니다."""
    assert_close(student.prefix_mask(torch.tensor(PICTURES)), visible(torch.tensor(PICTURES)))


@observes("prefix_mask")
def observe_prefix_mask(student):
    def seen(numbers):
        found = student.prefix_mask(torch.tensor(numbers))
        return [str(found.dtype), found.int().tolist()]

    def right(numbers):
        return ["torch.bool", visible(torch.tensor(numbers)).int().tolist()]

    return up_to_the_first_wrong(
        (lambda: seen(PICTURES), right(PICTURES)),
        (lambda: seen(PICTURES[:6]), right(PICTURES[:6])),
        (lambda: seen([0, 0, 0]), right([0, 0, 0])),
        (lambda: seen([4, 4, 0, 9, 9]), right([4, 4, 0, 9, 9])),
        (lambda: bad_manners(student, student.prefix_mask, torch.tensor(PICTURES)), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "prefix_mask", read="vision-language-mask")
def test_any_places_of_pictures(student, rng):
    """그림이 없어도, 여럿이어도, 서로 붙어 있어도 같은 규칙입니다."""
    for lengths in ([3], [1, 4], [2, 2, 3], []):
        numbers = []
        for number, length in enumerate(lengths, start=1):
            numbers += [0] * int(torch.randint(3, (), generator=rng)) + [7 * number] * length
        picture = torch.tensor([*numbers, 0, 0])
        assert_close(student.prefix_mask(picture), visible(picture))
    assert_manners(student, student.prefix_mask, torch.tensor(PICTURES))


### END HIDDEN TESTS


# dino_loss ----------------------------------------------------------------------------------------------------


def looks(views=4, global_views=2, batch=3, k=5):
    """Logits of the student and the teacher, the centre, two temperatures, the momentum."""
    student, teacher = 2 * scattered((views, batch, k), 31), 3 * scattered((global_views, batch, k), 32)
    return [student, teacher, scattered((k,), 33), 0.7, 0.4, 0.8]


@secret
def distilled(student, teacher, center, student_temperature, teacher_temperature, momentum):
    """One pair of views, one picture after another."""
    total, pairs = 0.0, 0
    for t, target in enumerate(teacher):
        for s, guess in enumerate(student):
            if s == t:
                continue
            for z, x in zip(target, guess, strict=True):
                p = ((z - center) / teacher_temperature).exp()
                q = (x / student_temperature).exp()
                total = total - (p / p.sum()) @ (q / q.sum()).log()
                pairs += 1
    return total / pairs, momentum * center + (1 - momentum) * teacher.flatten(0, 1).mean(0)


def lost(student, *given):
    """The loss of an answer."""
    return both(student.dino_loss(*given), "손실과 새 중심")[0]


def next_center(student, *given):
    """The new centre of an answer."""
    return both(student.dino_loss(*given), "손실과 새 중심")[1]


@points(0.25, "dino_loss", read="vision-language-dino", step="warm-up")
def test_two_views_by_hand(student, device):
    """선생은 (2 − 1, 0)을 0.5로 나눈 소프트맥스 (0.8808, 0.1192)입니다. 학생의 둘째 보기만 그것을 맞힙니다."""
    given = [torch.tensor(x, device=device) for x in ([[[0.0, 0]], [[1.0, 0]]], [[[2.0, 0]]], [1.0, 0])]
    loss, center = both(student.dino_loss(*given, 1.0, 0.5, 0.9), "손실과 새 중심")
    assert_close(loss, torch.tensor(0.4325), atol=1e-4)
    assert_close(center, torch.tensor([1.1, 0.0]))


@points(0.75, "dino_loss", read="vision-language-dino")
def test_all_pairs_of_different_views(student):
    """선생의 보기와 학생의 보기가 다른 쌍을 모두, 배치에 걸쳐 평균합니다. 중심은 선생에게서만 뺍니다."""
    assert_close(lost(student, *looks()), distilled(*looks())[0])


@points(0.5, "dino_loss", read="vision-language-dino")
def test_the_center_follows_the_teacher(student):
    """새 중심은 m · 옛 중심 + (1 − m) · 선생의 로짓을 보기와 배치에 걸쳐 평균한 것입니다."""
    assert_close(next_center(student, *looks()), distilled(*looks())[1])


@observes("dino_loss")
def observe_dino_loss(student):
    dino = student.dino_loss
    loss, center = distilled(*looks())

    def slopes():
        return reached(dino, *looks()) == ["0"]

    def far():
        return bool(lost(student, *[300 * x for x in looks()[:3]], 0.1, 0.04, 0.9).isfinite())

    def by_default():
        return lost(student, *looks()[:3]).double()

    return up_to_the_first_wrong(
        (lambda: [list(x.shape) for x in both(dino(*looks()), "")], [[], [5]]),
        (lambda: lost(student, *looks()).double(), loss),
        (lambda: next_center(student, *looks()).double(), center),
        (lambda: lost(student, *looks(3, 1)).double(), distilled(*looks(3, 1))[0]),
        (by_default, distilled(*looks()[:3], 0.1, 0.04, 0.9)[0]),
        (lambda: mutated(dino, *looks()) == [], True),
        (lambda: attempt(slopes) is True, True),
        (lambda: attempt(far) is True, True),
        (lambda: refuses(dino, looks()[0][:1], looks()[1][:1], looks()[2]), True),
        (lambda: bad_manners(student, dino, *looks(), learns=["0"]), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "dino_loss", read="vision-language-dino")
def test_any_views(student, rng):
    """보기가 몇이든 같은 식입니다. 손실에는 받은 중심을 쓰고, 온도는 둘을 따로 씁니다."""
    for views, global_views, batch, k in [(2, 2, 3, 4), (5, 2, 1, 6), (3, 1, 4, 2)]:
        sizes = [(views, batch, k), (global_views, batch, k), (k,)]
        given = [torch.randn(size, generator=rng, dtype=torch.float64) for size in sizes]
        for options in [(0.5, 0.3, 0.6), (0.1, 0.2, 0.99)]:
            loss, center = both(student.dino_loss(*(x.clone() for x in given), *options), "손실과 새 중심")
            assert_close(loss, distilled(*given, *options)[0])
            assert_close(center, distilled(*given, *options)[1])
        # Without temperatures and momentum they are the paper's.
        loss, center = both(student.dino_loss(*(x.clone() for x in given)), "손실과 새 중심")
        assert_close(loss, distilled(*given, 0.1, 0.04, 0.9)[0])
        assert_close(center, distilled(*given, 0.1, 0.04, 0.9)[1])


@points(0.25, "dino_loss", read="vision-language-grading", step="robust")
def test_dino_loss_has_manners(student):
    """선생과 중심으로는 기울기가 흐르지 않고, 받은 중심을 바꾸지 않습니다. 로짓이 커도 유한합니다. 쌍이 없으면 ValueError입니다."""
    given = looks()
    assert_manners(student, student.dino_loss, *given)
    assert reached(student.dino_loss, *given) == ["0"], "기울기가 학생으로만 흘러야 합니다."
    # Whether a new centre carries a graph shows by its gradient.
    assert reached(student.dino_loss, *given, output=1) == [], "중심으로 기울기가 흐릅니다."
    large = [300 * x for x in given[:3]]
    assert lost(student, *large, 0.1, 0.04, 0.9).isfinite(), "로짓이 크면 손실이 유한하지 않습니다."
    assert refuses(student.dino_loss, given[0][:1], given[1][:1], given[2]), "쌍이 없는데 받아들였습니다."


### END HIDDEN TESTS
