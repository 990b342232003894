"""The language between judge and worker: plain data in length-prefixed frames, read by an allow-list (`decode`).

A value is a tag byte and its content. Nothing in it names code: objects stay where they are and cross as
numbers ("handles"), tensors as dtype, shape and raw bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy
import torch

MAX_FRAME = 64 << 20  # bytes
MAX_ITEMS = 200_000  # values in one frame, so that small frames cannot grow into large objects
MAX_DEPTH = 32
MAX_INT_BYTES = 128
MAX_NUMBER_KEYS = 4_096  # numbers' hashes can be made to collide, which makes a dictionary quadratic
MAX_DIMENSIONS = 16
TENSOR_ITEMS = 16  # what a tensor counts for among the items

# Numbered by position: append only.
_DTYPE_NAMES = """
    bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 uint16 uint32 uint64
""".split()
DTYPES = [getattr(torch, name) for name in _DTYPE_NAMES if hasattr(torch, name)]
_CODES = {dtype: code for code, dtype in enumerate(DTYPES)}

_TAGGED_INT, _TAGGED_FLOAT, _TAGGED_SIZE = struct.Struct(">cq"), struct.Struct(">cd"), struct.Struct(">cI")
SHAPES = [struct.Struct(f">{dimensions}Q") for dimensions in range(MAX_DIMENSIONS + 1)]


class WireError(Exception):
    """A value that may not cross, or bytes that are no value. No builtin error: a suite may expect one of those."""


class Reference:
    """Something that stays on its side: the student's object (`handle`), or the judge's function (`callback`)."""

    HANDLE, CALLBACK = b"h", b"c"

    def __init__(self, kind: bytes, number: int, description: str = ""):
        self.kind, self.number, self.description = kind, number, description


class Writer:
    """Encodes one value.

    Args:
        refer: gives the `Reference` by which an object that is not plain data crosses, or raises WireError.
    """

    def __init__(self, refer: Callable[[Any], Reference]):
        self._refer = refer
        self._out = bytearray()
        self._items = 0

    def encode(self, value: Any) -> bytes:
        """The value's bytes.

        Raises:
            WireError: too large, too deep, or of a kind that cannot cross.
        """
        self._value(value, 0)
        return bytes(self._out)

    def _value(self, value: Any, depth: int) -> None:
        self._items += 1
        if self._items > MAX_ITEMS or depth > MAX_DEPTH:
            raise WireError("a value has too many parts or is nested too deeply")
        # Nearly all values are of the very types; what is of another, or of a class derived from one, is looked into.
        write = _WRITERS.get(type(value)) or next(
            (write for kind, write in _WRITERS.items() if isinstance(value, kind)), Writer._other
        )
        write(self, value, depth)
        if len(self._out) > MAX_FRAME:
            raise WireError(f"a value is larger than {MAX_FRAME >> 20} MB")

    def _none(self, value: None, depth: int) -> None:
        self._out += b"N"

    def _bool(self, value: bool, depth: int) -> None:
        self._out += b"T" if value else b"F"

    def _int(self, value: int, depth: int) -> None:
        value = int.__index__(value)
        if -(2**63) <= value < 2**63:
            self._out += _TAGGED_INT.pack(b"i", value)
            return
        length = value.bit_length() // 8 + 1
        if length > MAX_INT_BYTES:
            raise WireError("an integer is too large")
        self._sized(b"I", value.to_bytes(length, "big", signed=True))

    def _float(self, value: float, depth: int) -> None:
        self._out += _TAGGED_FLOAT.pack(b"d", value)

    def _text(self, value: str, depth: int) -> None:
        self._sized(b"s", str.encode(value, "utf-8", "replace"))

    def _bytes(self, value: bytes | bytearray, depth: int) -> None:
        self._sized(b"b", bytes(value))

    def _sized(self, tag: bytes, content: bytes) -> None:
        self._out += _TAGGED_SIZE.pack(tag, len(content))
        self._out += content

    def _items_of(self, value: list | tuple, depth: int) -> None:
        items = list(value)
        self._out += _TAGGED_SIZE.pack(b"l" if isinstance(value, list) else b"t", len(items))
        for item in items:
            self._value(item, depth + 1)

    def _dict(self, value: dict, depth: int) -> None:
        pairs = list(dict.items(value))
        self._out += _TAGGED_SIZE.pack(b"m", len(pairs))
        for key, item in pairs:
            self._value(key, depth + 1)
            self._value(item, depth + 1)

    def _reference(self, reference: Reference, depth: int) -> None:
        self._out += _TAGGED_SIZE.pack(reference.kind, reference.number)
        self._value(reference.description[:200], depth + 1)

    def _tensor(self, tensor: torch.Tensor, depth: int) -> None:
        self._items += TENSOR_ITEMS - 1
        with torch._C.DisableTorchFunctionSubclass():
            if tensor.layout != torch.strided or tensor.is_meta or tensor.is_nested:
                raise WireError("only dense tensors can be compared")
            if tensor.dtype not in _CODES or tensor.dim() > MAX_DIMENSIONS:
                raise WireError(
                    f"a tensor of type {tensor.dtype} with {tensor.dim()} dimensions cannot be compared"
                )
            # Before its bytes are written out: an expanded tensor may be far larger than its memory.
            if len(self._out) + tensor.numel() * tensor.element_size() > MAX_FRAME:
                raise WireError(
                    f"a tensor of shape {tuple(tensor.shape)} is larger than {MAX_FRAME >> 20} MB"
                )
            code, shape = _CODES[tensor.dtype], tuple(tensor.shape)
            if tensor.dtype == torch.bfloat16:  # which numpy does not know
                tensor = tensor.detach().contiguous().view(torch.int16)
            self._out += bytes((65, code, len(shape)))  # "A"
            self._out += SHAPES[len(shape)].pack(*shape)
            self._out += tensor.numpy(force=True).tobytes()

    def _other(self, value: Any, depth: int) -> None:
        if isinstance(value, numpy.generic):
            self._value(value.item(), depth + 1)
        elif isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc":
            self._value(torch.from_numpy(numpy.ascontiguousarray(value)), depth + 1)
        elif isinstance(value, torch.dtype) and value in _CODES:
            self._out += b"D" + bytes([_CODES[value]])
        elif isinstance(value, torch.device):
            self._sized(b"v", str(value).encode())
        elif isinstance(value, torch.Generator):
            self._sized(b"g", value.get_state().numpy().tobytes())
        else:
            self._reference(self._refer(value), depth)


_WRITERS = {
    type(None): Writer._none,
    bool: Writer._bool,
    Reference: Writer._reference,
    int: Writer._int,
    float: Writer._float,
    str: Writer._text,
    bytes: Writer._bytes,
    bytearray: Writer._bytes,
    list: Writer._items_of,
    tuple: Writer._items_of,
    dict: Writer._dict,
    torch.Tensor: Writer._tensor,
    torch.nn.Parameter: Writer._tensor,
}
