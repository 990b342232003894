"""The language between judge and worker: plain data in length-prefixed frames, decoded by an allow-list.

A value is a tag byte and its content. Nothing in it names code: objects stay where they are and cross as
numbers ("handles"), tensors as dtype, shape and raw bytes. The judge decodes what a student's process wrote,
so every size is checked before memory is spent on it.
"""

from __future__ import annotations

import math
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

_INT, _FLOAT, _SIZE, _DIM = struct.Struct(">q"), struct.Struct(">d"), struct.Struct(">I"), struct.Struct(">Q")


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
        self._parts: list = []
        self._size = 0
        self._items = 0

    def encode(self, value: Any) -> bytes:
        """The value's bytes.

        Raises:
            WireError: too large, too deep, or of a kind that cannot cross.
        """
        self._value(value, 0)
        return b"".join(self._parts)

    def _put(self, *parts) -> None:
        self._size += sum(map(len, parts))
        if self._size > MAX_FRAME:
            raise WireError(f"a value is larger than {MAX_FRAME >> 20} MB")
        self._parts.extend(parts)

    def _value(self, value: Any, depth: int) -> None:
        self._items += TENSOR_ITEMS if isinstance(value, torch.Tensor) else 1
        if self._items > MAX_ITEMS or depth > MAX_DEPTH:
            raise WireError("a value has too many parts or is nested too deeply")
        if value is None:
            self._put(b"N")
        elif value is True or value is False:
            self._put(b"T" if value else b"F")
        elif isinstance(value, Reference):
            self._reference(value)
        elif isinstance(value, int):
            self._int(int.__index__(value))
        elif isinstance(value, float):
            self._put(b"d", _FLOAT.pack(value))
        elif isinstance(value, str):
            self._sized(b"s", str.encode(value, "utf-8", "replace"))
        elif isinstance(value, bytes | bytearray):
            self._sized(b"b", bytes(value))
        elif isinstance(value, list | tuple):
            items = list(value)
            self._put(b"l" if isinstance(value, list) else b"t", _SIZE.pack(len(items)))
            for item in items:
                self._value(item, depth + 1)
        elif isinstance(value, dict):
            pairs = list(dict.items(value))
            self._put(b"m", _SIZE.pack(len(pairs)))
            for key, item in pairs:
                self._value(key, depth + 1)
                self._value(item, depth + 1)
        elif isinstance(value, torch.Tensor):
            self._tensor(value)
        elif isinstance(value, numpy.generic):
            self._value(value.item(), depth + 1)
        elif isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc":
            self._tensor(torch.from_numpy(numpy.ascontiguousarray(value)))
        elif isinstance(value, torch.dtype) and value in _CODES:
            self._put(b"D", bytes([_CODES[value]]))
        elif isinstance(value, torch.device):
            self._sized(b"v", str(value).encode())
        elif isinstance(value, torch.Generator):
            self._sized(b"g", value.get_state().numpy().tobytes())
        else:
            self._reference(self._refer(value))

    def _int(self, value: int) -> None:
        if -(2**63) <= value < 2**63:
            self._put(b"i", _INT.pack(value))
            return
        length = value.bit_length() // 8 + 1
        if length > MAX_INT_BYTES:
            raise WireError("an integer is too large")
        self._sized(b"I", value.to_bytes(length, "big", signed=True))

    def _sized(self, tag: bytes, content: bytes) -> None:
        self._put(tag, _SIZE.pack(len(content)), content)

    def _reference(self, reference: Reference) -> None:
        self._put(reference.kind, _SIZE.pack(reference.number))
        self._value(reference.description[:200], 0)

    def _tensor(self, tensor: torch.Tensor) -> None:
        with torch._C.DisableTorchFunctionSubclass():
            if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_meta or tensor.is_nested:
                raise WireError("only dense tensors can be compared")
            if tensor.dtype not in _CODES or tensor.dim() > MAX_DIMENSIONS:
                raise WireError(
                    f"a tensor of type {tensor.dtype} with {tensor.dim()} dimensions cannot be compared"
                )
            # Before `contiguous`: an expanded tensor may be far larger than its memory.
            if self._size + tensor.numel() * tensor.element_size() > MAX_FRAME:
                raise WireError(
                    f"a tensor of shape {tuple(tensor.shape)} is larger than {MAX_FRAME >> 20} MB"
                )
            shape = tuple(tensor.shape)
            plain = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous()
            # One number, expanded, counts as contiguous whatever its stride.
            plain = plain.as_strided((plain.numel(),), (1,))
            raw = plain.view(torch.uint8).numpy().tobytes() if plain.numel() else b""
        head = bytes([_CODES[plain.dtype], len(shape)]) + b"".join(_DIM.pack(size) for size in shape)
        self._put(b"A", head, raw)


class Reader:
    """Decodes one value.

    Args:
        resolve: what stands here for a `Reference` of the other side; raises WireError for one not allowed.
    """

    def __init__(self, data: bytes | bytearray, resolve: Callable[[Reference], Any]):
        self._data = memoryview(data)
        self._at = 0
        self._items = 0
        self._resolve = resolve

    def decode(self) -> Any:
        """The value of the bytes.

        Raises:
            WireError: the bytes are not exactly one value within the limits.
        """
        value = self._value(0)
        if self._at != len(self._data):
            raise WireError("bytes after the value")
        return value

    def _take(self, size: int) -> memoryview:
        if size > len(self._data) - self._at:
            raise WireError("a value is cut short")
        self._at += size
        return self._data[self._at - size : self._at]

    def _size(self) -> int:
        return _SIZE.unpack(self._take(4))[0]

    def _count(self, items: int) -> None:
        self._items += items
        if self._items > MAX_ITEMS:
            raise WireError("a value has too many parts")

    def _value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise WireError("a value is nested too deeply")
        self._count(1)
        tag = bytes(self._take(1))
        if tag == b"N":
            return None
        if tag in b"TF":
            return tag == b"T"
        if tag == b"i":
            return _INT.unpack(self._take(8))[0]
        if tag == b"I":
            size = self._size()
            if size > MAX_INT_BYTES:
                raise WireError("an integer is too large")
            return int.from_bytes(self._take(size), "big", signed=True)
        if tag == b"d":
            return _FLOAT.unpack(self._take(8))[0]
        if tag == b"s":
            return self._text()
        if tag == b"b":
            return bytes(self._take(self._size()))
        if tag == b"l":
            return [self._value(depth + 1) for _ in range(self._size())]
        if tag == b"t":
            return tuple([self._value(depth + 1) for _ in range(self._size())])
        if tag == b"m":
            return self._dict(depth)
        if tag == b"A":
            return self._tensor()
        if tag == b"D":
            return self._dtype()
        if tag == b"v":
            return self._device()
        if tag == b"g":
            return self._generator()
        if tag in (Reference.HANDLE, Reference.CALLBACK):
            number = self._size()
            description = self._value(depth + 1)
            if not isinstance(description, str):
                raise WireError("a reference has no description")
            return self._resolve(Reference(tag, number, description))
        raise WireError(f"unknown tag {tag!r}")

    def _text(self) -> str:
        try:
            return str(self._take(self._size()), "utf-8")
        except UnicodeDecodeError:
            raise WireError("a string is not UTF-8") from None

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

    def _dtype(self) -> torch.dtype:
        code = self._take(1)[0]
        if code >= len(DTYPES):
            raise WireError("unknown dtype")
        return DTYPES[code]

    def _tensor(self) -> torch.Tensor:
        self._count(TENSOR_ITEMS)
        dtype, dimensions = self._dtype(), self._take(1)[0]
        if dimensions > MAX_DIMENSIONS:
            raise WireError("a tensor has too many dimensions")
        shape = [_DIM.unpack(self._take(8))[0] for _ in range(dimensions)]
        # A zero lets the other sizes be anything, and their product overflow.
        if any(size > MAX_FRAME for size in shape) or math.prod(size or 1 for size in shape) >= 2**62:
            raise WireError("a tensor is too large")
        raw = bytearray(self._take(math.prod(shape) * dtype.itemsize))
        if not raw:
            return torch.empty(shape, dtype=dtype)
        if dtype == torch.bool:  # a bool that is neither 0 nor 1 compares unpredictably
            return torch.frombuffer(raw, dtype=torch.uint8).ne(0).reshape(shape)
        return torch.frombuffer(raw, dtype=dtype).reshape(shape)

    def _device(self) -> torch.device:
        text = self._text()
        kind, _, index = text.partition(":")
        if kind not in ("cpu", "cuda", "mps") or (
            index and not (index.isascii() and index.isdigit() and len(index) < 3)
        ):
            raise WireError("unknown device")
        return torch.device(text)

    def _generator(self) -> torch.Generator:
        state = bytearray(self._take(self._size()))
        generator = torch.Generator()
        if len(state) != generator.get_state().numel():
            raise WireError("not the state of a random generator")
        return generator.set_state(torch.frombuffer(state, dtype=torch.uint8))


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
