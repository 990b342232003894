"""What the exercise `vision_language` is graded by."""

import torch

from grader.judging.contract import assert_manners, bad_manners
from grader.judging.observed import attempt, up_to_the_first_wrong
from grader.judging.suite import assert_close, mutated, observes, points, reached, refuses, scattered
from grader.judging.values import values_of


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


contrasted = values_of(
    [
        ([['float64', 4, 3, 12, 17.978926, 9.0177381], ['float64', 4, 3, 12, -4.1192055, 8.9915684], ['float64', 1, 1.2, 1.2]], {'dtype': 'float64', 'shape': [], 'values': [2.3757806]}),
        ([['float64', 4, 3, 12, 17.978926, 9.0177381], ['float64', 4, 3, 12, -4.1192055, 8.9915684], ['float64', 1, 6.0, 6.0]], {'dtype': 'float64', 'shape': [], 'values': [62.250994]}),
    ]
)


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




# zero_shot ----------------------------------------------------------------------------------------------------


def described(sizes=(2, 1, 3), d=4):
    """Pictures, and the prompts of each class, all of several lengths."""
    image = torch.tensor([0.5, 2.0, 3.0], dtype=torch.float64)[:, None] * scattered((3, d), 3)
    lengths = torch.tensor([1.0, 4.0, 0.3], dtype=torch.float64)[:, None]
    return image, [lengths[:size] * scattered((size, d), 10 + i) for i, size in enumerate(sizes)]


cosines = values_of(
    [
        ([['float64', 3, 4, 12, 9.9515281, 11.423936], [['float64', 2, 4, 8, -2.80619, 13.79041], ['float64', 1, 4, 4, -4.5327419, 2.9529162], ['float64', 3, 4, 12, -7.0899444, 9.9821955]]], {'dtype': 'float64', 'shape': [3, 3], 'values': [-0.55076504, 0.71887449, 0.13447388, -0.28498972, -0.50020971, -0.91214996, -0.17734936, -0.29155755, -0.69586645]}),
        ([['float64', 3, 4, 12, 9.9515281, 11.423936], [['float64', 2, 4, 8, -2.80619, 13.79041], ['float64', 2, 4, 8, -7.9784181, 15.734606], ['float64', 2, 4, 8, -5.5435275, 9.5009514]]], {'dtype': 'float64', 'shape': [3, 3], 'values': [-0.55076504, 0.67360978, -0.059115103, -0.28498972, -0.70255977, -0.93009962, -0.17734936, 0.063621208, -0.59910967]}),
    ]
)


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




# insert_picture -----------------------------------------------------------------------------------------------

IDS, ANSWER = [5, 3, -7, 2, 0, 4], [False, False, False, False, True, True]


def text_and_picture(image_id=1, d=3, patches=3):
    """ids, answer, a table of six rows, patches, the placeholder."""
    ids = torch.tensor([image_id if i == -7 else i for i in IDS])
    return [ids, torch.tensor(ANSWER), scattered((6, d), 21), scattered((patches, d), 22), image_id]


inserted = values_of(
    [
        ([['int64', 6, 5, 24.77265, 15.0], ['bool', 6, 2, 4.6855577, 2.0], ['float64', 6, 3, 18, 9.4713395, 9.2118269], ['float64', 3, 3, 9, -1.7919945, 3.2430575], 1], ({'dtype': 'float64', 'shape': [8, 3], 'values': [0.55569463, 0.73450766, 0.10974093, -0.52784488, 0.89229195, -0.16376166, -0.070588557, 0.67175764, 0.16743171, 0.38430658, 0.28438733, -0.68855465, -0.66521877, -0.076412177, -0.23440006, -0.67074602, 0.48003489, 0.74590391, 0.20324938, 0.55007967, -0.43881052, 0.57013343, -0.41274703, -0.055159888]}, {'dtype': 'int64', 'shape': [8], 'values': [-100, -100, -100, -100, -100, -100, 0, 4]})),
        ([['int64', 6, 5, 23.918963, 15.0], ['bool', 6, 1, 2.236068, 1.0], ['float64', 6, 3, 18, 9.4713395, 9.2118269], ['float64', 3, 3, 9, -1.7919945, 3.2430575], 0], ({'dtype': 'float64', 'shape': [8, 3], 'values': [0.55569463, 0.73450766, 0.10974093, -0.52784488, 0.89229195, -0.16376166, 0.89186585, -0.86517123, 0.34408341, -0.67074602, 0.48003489, 0.74590391, 0.57013343, -0.41274703, -0.055159888, -0.070588557, 0.67175764, 0.16743171, 0.38430658, 0.28438733, -0.68855465, -0.66521877, -0.076412177, -0.23440006]}, {'dtype': 'int64', 'shape': [8], 'values': [-100, -100, -100, -100, 4, -100, -100, -100]})),
    ]
)


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




# prefix_mask --------------------------------------------------------------------------------------------------

PICTURES = [0, 1, 1, 1, 0, 0, 2, 2, 3, 3, 0]


visible = values_of(
    [
        ([['int64', 11, 7, 34.581454, 13.0]], {'dtype': 'bool', 'shape': [11, 11], 'values': [True, False, False, False, False, False, False, False, False, False, False, True, True, True, True, False, False, False, False, False, False, False, True, True, True, True, False, False, False, False, False, False, False, True, True, True, True, False, False, False, False, False, False, False, True, True, True, True, True, False, False, False, False, False, False, True, True, True, True, True, True, False, False, False, False, False, True, True, True, True, True, True, True, True, False, False, False, True, True, True, True, True, True, True, True, False, False, False, True, True, True, True, True, True, True, True, True, True, False, True, True, True, True, True, True, True, True, True, True, False, True, True, True, True, True, True, True, True, True, True, True]}),
        ([['int64', 6, 3, 5.1462644, 3.0]], {'dtype': 'bool', 'shape': [6, 6], 'values': [True, False, False, False, False, False, True, True, True, True, False, False, True, True, True, True, False, False, True, True, True, True, False, False, True, True, True, True, True, False, True, True, True, True, True, True]}),
        ([['int64', 3, 0, 0.0, 0.0]], {'dtype': 'bool', 'shape': [3, 3], 'values': [True, False, False, True, True, False, True, True, True]}),
        ([['int64', 5, 4, 47.781466, 26.0]], {'dtype': 'bool', 'shape': [5, 5], 'values': [True, True, False, False, False, True, True, False, False, False, True, True, True, False, False, True, True, True, True, True, True, True, True, True, True]}),
    ]
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




# dino_loss ----------------------------------------------------------------------------------------------------


def looks(views=4, global_views=2, batch=3, k=5):
    """Logits of the student and the teacher, the centre, two temperatures, the momentum."""
    student, teacher = 2 * scattered((views, batch, k), 31), 3 * scattered((global_views, batch, k), 32)
    return [student, teacher, scattered((k,), 33), 0.7, 0.4, 0.8]


distilled = values_of(
    [
        ([['float64', 4, 3, 5, 60, -1.951772, 59.639694], ['float64', 2, 3, 5, 30, 4.0522033, 45.464453], ['float64', 5, 5, -2.8929009, 2.7274739], 0.7, 0.4, 0.8], ({'dtype': 'float64', 'shape': [], 'values': [2.1634078]}, {'dtype': 'float64', 'shape': [5], 'values': [0.56349352, 0.29326102, -0.28538726, -0.79475204, -0.46566995]})),
        ([['float64', 3, 3, 5, 45, 14.557588, 45.76791], ['float64', 1, 3, 5, 15, -9.7992369, 28.423201], ['float64', 5, 5, -2.8929009, 2.7274739], 0.7, 0.4, 0.8], ({'dtype': 'float64', 'shape': [], 'values': [2.4139452]}, {'dtype': 'float64', 'shape': [5], 'values': [0.62760895, 0.1038472, -0.18018459, -0.80534347, -0.45266526]})),
        ([['float64', 4, 3, 5, 60, -1.951772, 59.639694], ['float64', 2, 3, 5, 30, 4.0522033, 45.464453], ['float64', 5, 5, -2.8929009, 2.7274739], 0.1, 0.04, 0.9], ({'dtype': 'float64', 'shape': [], 'values': [10.494822]}, {'dtype': 'float64', 'shape': [5], 'values': [0.54237764, 0.30073763, -0.32166204, -0.84979356, -0.55044797]})),
    ]
)


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
