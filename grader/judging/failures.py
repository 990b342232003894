"""Reasons of failed tests: the error in words, where it was raised, and advice on the ones that everybody meets."""

from __future__ import annotations

import re
import traceback

import pytest

from grader.judging.suite import Case, NoTensor
from grader.sandbox.errors import own_frame

DEBUGGED = "디버거를 부르는 줄(`breakpoint()`나 `pdb.set_trace()`)에서 멈췄습니다. 그 줄을 지우십시오."
_SIGNATURE = "함수의 첫 줄은 주어진 그대로 두십시오. 인자의 이름과 차례, 기본값이 같아야 합니다."
# What torch and Python say, and what a student does about it.
_ADVICE = {
    r"Boolean value of Tensor with more than one value": (
        "텐서는 `if`, `and`, `or`, `not`의 조건이 될 수 없습니다. None인지는 `is not None`으로 묻고, 불리언 텐서는 `&`, `|`, `~`로 합치십시오."
    ),
    r"before Module\.__init__\(\) call": "`__init__`의 첫 줄에서 `super().__init__()`을 부르십시오.",
    r"leaf Variable that requires grad is being used in an in-place": (
        "파라미터에 값을 옮길 때는 `with torch.no_grad():` 안에서 `copy_`를 쓰십시오."
    ),
    r"call numpy\(\) on Tensor that requires grad": (
        "numpy로 가면 기울기가 끊깁니다. torch의 함수로 계산하십시오."
    ),
    r"must be Tensor, not (tuple|torch.return_types)|'(tuple|torch.return_types.*)' object has no attribute|'Tensor' and 'tuple'": (
        "여러 값을 튜플로 돌려주는 함수입니다. 쓸 것 하나를 `[0]`처럼 꺼내십시오."
    ),
    r"shapes cannot be multiplied|size mismatch, got|Expected size for first two dimensions": (
        "`A @ B`에서는 A의 마지막 축과 B의 뒤에서 둘째 축의 길이가 같아야 합니다. 전치가 빠졌거나 남지 않았는지 보십시오."
    ),
    r"The size of tensor a .* must match the size of tensor b": (
        "두 텐서의 모양을 뒤에서부터 맞추어 보십시오. 평균이나 합으로 줄인 축은 `keepdim=True`로 남기고, 없는 축은 `unsqueeze`로 끼웁니다."
    ),
    r"Dimension out of range|shape '.*' is invalid for input of size|values to unpack": (
        "축의 수를 정해 두었는지 보십시오. 앞의 축은 없을 수도, 여럿일 수도 있으므로 축은 뒤에서부터(-1, -2) 셉니다."
    ),
    r"view size is not compatible": "축을 옮기거나 자른 텐서에는 `view` 대신 `reshape`를 쓰십시오.",
    r"too many indices for tensor": (
        "텐서의 축이 생각보다 적습니다. 바로 앞에서 축을 없애지 않았는지 `print(x.shape)`로 보십시오."
    ),
    r"expected scalar type|have the same dtype|result type .* can't be cast": (
        "자료형이 섞였습니다. 새로 만드는 텐서는 입력의 자료형(`dtype=x.dtype`)으로 만드십시오."
    ),
    r"'indices' to have one of the following scalar types": (
        "임베딩을 부를 때는 정수 번호를 넣습니다. 표의 값은 `weight`에 있습니다."
    ),
    r"sort\(\) takes from": (
        "`sort`에 `stable`을 줄 때는 축도 이름으로 줍니다. `x.sort(dim=-1, descending=True, stable=True)`처럼 쓰십시오."
    ),
    r"stack expects each tensor to be equal size": (
        "`torch.stack`은 모양이 모두 같은 텐서만 쌓습니다. 길이가 저마다 다르면 하나씩 계산해 같은 모양이 된 다음에 쌓으십시오."
    ),
    r"einsum\(\): the number of subscripts": (
        "앞의 축이 몇이든 되게 하려면 `einsum`의 식에 `...`를 쓰십시오. `...qd,...kd->...qk`와 같습니다."
    ),
    r"elements? cannot be converted to Scalar|only one element tensors can be converted": (
        "`item()`, `int()`, `float()`는 수가 하나뿐인 텐서에만 씁니다. 수가 여럿이면 텐서인 채로 계산하십시오."
    ),
    r"index .* is out of (bounds|range)|list index out of range": (
        "없는 자리를 찾았습니다. 첫 자리는 0이고 마지막 자리는 길이보다 하나 작습니다."
    ),
}


def reason(error: BaseException, case: Case) -> str:
    """The reason of a failed test: its hint, or what went wrong before it could look at an answer."""
    if package := _missing_package(error):
        return f"`{package}` 패키지가 이 컴퓨터에 없습니다."
    if _seen(error)[0].startswith("BdbQuit:"):  # pdb with nobody at its prompt
        return DEBUGGED
    if isinstance(error, NoTensor):
        return str(error)
    if kind := _no_function(error):
        return f"함수여야 할 것이 `{kind}`입니다. 그 이름을 다른 값에 다시 쓰지 않았는지 보십시오."
    if said := _other_result(error):
        return said
    # What a hidden test calls must not come back in an error's words.
    own = "" if case.hidden else _own_error(error) or _called_otherwise(error, case)
    if not own:
        return case.hint
    return (
        f"오류가 났습니다. `{own}` {advice}"
        if (advice := _advice(own, case))
        else f"오류가 났습니다. `{own}`"
    )


def detail(error: BaseException) -> str:
    """The difference that was seen, or the error with the notebook's lines."""
    if isinstance(error, pytest.fail.Exception | NoTensor) or _other_result(error):
        return ""  # "DID NOT RAISE": the hint says it; the other: the reason
    said, lines = _seen(error)
    if isinstance(error, AssertionError) and not lines:
        return str(error).split("\n", 1)[0]
    return f"{said}\n{lines}" if lines else said


def is_array(error: BaseException) -> bool:
    """True where an answer returns numpy's arrays, in which no misconception can be read."""
    return isinstance(error, NoTensor) and error.kind == "ndarray"


def _advice(own: str, case: Case) -> str:
    if _says_signature(own, case):
        return _SIGNATURE
    return next((advice for said, advice in _ADVICE.items() if re.search(said, own)), "")


def _called_otherwise(error: BaseException, case: Case) -> str:
    """The error of a call that the answer's first line does not take; else ""."""
    said = _seen(error)[0].split("\n", 1)[0][:200].replace("`", "'")
    return said if isinstance(error, TypeError) and _says_signature(said, case) else ""


def _says_signature(said: str, case: Case) -> bool:
    called = rf"{re.escape(case.question)}(\.\w+)?\(\)"
    return bool(re.search(rf"{called} (missing \d|takes |got an unexpected|got multiple)", said))


def _missing_package(error: BaseException) -> str:
    """The package that an answer would import and that is not installed; else ""."""
    found = re.fullmatch(r"(?:\w+: )?No module named '([\w.]{1,80})'", str(error).split("\n", 1)[0])
    return found[1] if found and isinstance(error, ModuleNotFoundError) else ""


def _no_function(error: BaseException) -> str:
    """The class of what the suite calls as a function and that is none, an answer or what an answer made; else ""."""
    found = re.fullmatch(r"'(\w{1,80})' object is not callable", str(error))
    return found[1] if found and isinstance(error, TypeError) and not _seen(error)[1] else ""


def _other_result(error: BaseException) -> str:
    """The reason where a suite can do nothing with a result: None, a list, or one where there are two; else ""."""
    if _seen(error)[1]:
        return ""
    said = str(error)
    if "cannot unpack non-iterable NoneType" in said:
        return "돌려받은 것이 None입니다. 모든 길이 `return`으로 끝나는지 보십시오."
    if found := re.search(r"values to unpack \(expected (\d)", said):
        return f"값 {found[1]}개를 함께 돌려주어야 합니다. `return`에 쉼표로 이어 쓰십시오."
    if "cannot unpack non-iterable" in said:
        return "값 여럿을 함께 돌려주어야 합니다. `return`에 쉼표로 이어 쓰십시오."
    if found := re.match(r"'(list|tuple|int|float|bool|str|NoneType)' object has no attribute", said):
        return str(NoTensor(found[1])) if isinstance(error, AttributeError) else ""
    return ""


def _own_error(error: BaseException) -> str:
    """The error in a line where the notebook's own code raised it; else "", as where a suite does."""
    said, lines = _seen(error)
    return said.split("\n", 1)[0][:200].replace("`", "'") if lines else ""


def _seen(error: BaseException) -> tuple[str, str]:
    """An error in words, and the notebook's lines on the way to it."""
    if hasattr(error, "student_lines"):
        return error.student_error, error.student_lines
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if own_frame(frame.filename)]
    lines = [f"  {frame.line}  # {frame.name}, line {frame.lineno}" for frame in frames[-6:]]
    return f"{type(error).__name__}: {error}", "\n".join(lines)
