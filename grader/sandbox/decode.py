"""Reads what `wire` writes. The judge decodes what a student's process wrote, so every size is checked before memory is
spent on it."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import torch

from .wire import (
    DTYPES,
    MAX_DEPTH,
    MAX_DIMENSIONS,
    MAX_FRAME,
    MAX_INT_BYTES,
    MAX_ITEMS,
    MAX_NUMBER_KEYS,
    SHAPES,
    TENSOR_ITEMS,
    Reference,
    WireError,
)

_SIZE, _INT, _FLOAT = struct.Struct(">I"), struct.Struct(">q"), struct.Struct(">d")


class Reader:
    """Decodes one value.

    Args:
        resolve: what stands here for a `Reference` of the other side; raises WireError for one not allowed.
    """

    def __init__(self, data: bytes | bytearray, resolve: Callable[[Reference], Any]):
        self._data = memoryview(data)
        self._at, self._end = 0, len(data)
        self._items = 0
        self._resolve = resolve

    def decode(self) -> Any:
        """The value of the bytes.

        Raises:
            WireError: the bytes are not exactly one value within the limits.
        """
        value = self._value(0)
        if self._at != self._end:
            raise WireError("bytes after the value")
        return value

    def _pass(self, size: int) -> int:
        """Go on by so many bytes; where they begin."""
        at = self._at
        if size > self._end - at:
            raise WireError("a value is cut short")
        self._at = at + size
        return at

    def _take(self, size: int) -> memoryview:
        at = self._pass(size)
        return self._data[at : self._at]

    def _byte(self) -> int:
        return self._data[self._pass(1)]

    def _size(self) -> int:
        return _SIZE.unpack_from(self._data, self._pass(4))[0]

    def _count(self, items: int) -> None:
        self._items += items
        if self._items > MAX_ITEMS:
            raise WireError("a value has too many parts")

    def _value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise WireError("a value is nested too deeply")
        self._count(1)
        tag = self._byte()
        if (read := _READERS.get(tag)) is None:
            raise WireError(f"unknown tag {tag}")
        return read(self, depth)

    def _int(self, depth: int) -> int:
        return _INT.unpack_from(self._data, self._pass(8))[0]

    def _large_int(self, depth: int) -> int:
        size = self._size()
        if size > MAX_INT_BYTES:
            raise WireError("an integer is too large")
        return int.from_bytes(self._take(size), "big", signed=True)

    def _float(self, depth: int) -> float:
        return _FLOAT.unpack_from(self._data, self._pass(8))[0]

    def _text(self, depth: int) -> str:
        try:
            return str(self._take(self._size()), "utf-8")
        except UnicodeDecodeError:
            raise WireError("a string is not UTF-8") from None

    def _list(self, depth: int) -> list:
        return [self._value(depth + 1) for _ in range(self._size())]

    def _dict(self, depth: int) -> dict:
        found: dict = {}
        numbers = 0
        for _ in range(self._size()):
            key = self._value(depth + 1)
            numbers += _check_key(key)
            if numbers > MAX_NUMBER_KEYS:
                raise WireError("a dictionary has too many numbers as keys")
            found[key] = self._value(depth + 1)
        return found

    def _dtype(self, depth: int) -> torch.dtype:
        code = self._byte()
        if code >= len(DTYPES):
            raise WireError("unknown dtype")
        return DTYPES[code]

    def _tensor(self, depth: int) -> torch.Tensor:
        self._count(TENSOR_ITEMS)
        dtype, dimensions = self._dtype(depth), self._byte()
        if dimensions > MAX_DIMENSIONS:
            raise WireError("a tensor has too many dimensions")
        shape = SHAPES[dimensions].unpack_from(self._data, self._pass(8 * dimensions))
        # A zero lets the other sizes be anything, and their product overflow.
        if max(shape, default=0) > MAX_FRAME or math.prod(size or 1 for size in shape) >= 2**62:
            raise WireError("a tensor is too large")
        raw = bytearray(self._take(math.prod(shape) * dtype.itemsize))
        if not raw:
            return torch.empty(shape, dtype=dtype)
        if dtype == torch.bool:  # a bool that is neither 0 nor 1 compares unpredictably
            return torch.frombuffer(raw, dtype=torch.uint8).ne(0).reshape(shape)
        return torch.frombuffer(raw, dtype=dtype).reshape(shape)

    def _device(self, depth: int) -> torch.device:
        text = self._text(depth)
        kind, _, index = text.partition(":")
        if kind not in ("cpu", "cuda", "mps") or (
            index and not (index.isascii() and index.isdigit() and len(index) < 3)
        ):
            raise WireError("unknown device")
        return torch.device(text)

    def _generator(self, depth: int) -> torch.Generator:
        state = bytearray(self._take(self._size()))
        generator = torch.Generator()
        if len(state) != generator.get_state().numel():
            raise WireError("not the state of a random generator")
        return generator.set_state(torch.frombuffer(state, dtype=torch.uint8))

    def _reference(self, depth: int) -> Any:
        kind = bytes(self._data[self._at - 1 : self._at])
        number = self._size()
        description = self._value(depth + 1)
        if not isinstance(description, str):
            raise WireError("a reference has no description")
        return self._resolve(Reference(kind, number, description))


_READERS = {
    tag[0]: read
    for tag, read in {
        b"N": lambda reader, depth: None,
        b"T": lambda reader, depth: True,
        b"F": lambda reader, depth: False,
        b"i": Reader._int,
        b"I": Reader._large_int,
        b"d": Reader._float,
        b"s": Reader._text,
        b"b": lambda reader, depth: bytes(reader._take(reader._size())),
        b"l": Reader._list,
        b"t": lambda reader, depth: tuple(reader._list(depth)),
        b"m": Reader._dict,
        b"A": Reader._tensor,
        b"D": Reader._dtype,
        b"v": Reader._device,
        b"g": Reader._generator,
        Reference.HANDLE: Reader._reference,
        Reference.CALLBACK: Reader._reference,
    }.items()
}


def _check_key(key: Any) -> bool:
    """True if a dictionary's key holds a number.

    Raises:
        WireError: it is neither text nor a number.
    """
    if key is None or isinstance(key, str | bytes):
        return False
    if isinstance(key, int) and -(2**63) <= key < 2**63:
        return True
    if isinstance(key, tuple) and len(key) <= 8:
        return any([_check_key(part) for part in key])
    raise WireError("a dictionary has a key that is neither text nor a number")
