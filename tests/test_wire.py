"""The wire's codec: honest values survive, hostile frames are refused within the limits."""

import math
import os
import socket
import struct
import time
import tracemalloc

import numpy
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.sandbox import wire
from grader.sandbox.decode import Reader
from grader.sandbox.frames import Closed, Frames, Late
from grader.sandbox.wire import Reference, WireError, Writer

scalars = st.none() | st.booleans() | st.integers(-(2**1000), 2**1000) | st.floats() | st.text() | st.binary()
keys = st.text() | st.integers(-(2**63), 2**63 - 1) | st.tuples(st.text(), st.integers(0, 9))
tensors = st.builds(
    lambda shape, dtype, seed: torch.randint(0, 2, shape, generator=torch.Generator().manual_seed(seed)).to(
        dtype
    ),
    st.lists(st.integers(0, 3), max_size=4),
    st.sampled_from(
        [dtype for dtype in wire.DTYPES if not str(dtype).startswith("torch.uint") or dtype.itemsize == 1]
    ),
    st.integers(0, 100),
)
values = st.recursive(
    scalars | tensors,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(keys, inner),
    max_leaves=20,
)


def refuse(_):
    raise WireError("no references here")


def encode(value):
    return Writer(refuse).encode(value)


def decode(data):
    return Reader(data, refuse).decode()


def same(a, b):
    if isinstance(a, torch.Tensor):
        return type(b) is torch.Tensor and a.dtype == b.dtype and a.shape == b.shape and torch.equal(a, b)
    if isinstance(a, float) and math.isnan(a):
        return isinstance(b, float) and math.isnan(b)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and a == b


@settings(max_examples=200, deadline=None)
@given(values)
def test_values_survive(value):
    assert same(value, decode(encode(value)))


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.binary(max_size=200)
    | st.lists(st.sampled_from(b"NTFiIdsblmtADvghc\x00\x01\x02\xff"), max_size=60).map(bytes)
)
def test_any_bytes_are_a_value_or_refused(data):
    try:
        value = decode(data)
    except WireError:
        return
    assert same(value, decode(encode(value)))


@settings(max_examples=300, deadline=None)
@given(values, st.data())
def test_damaged_values_are_refused_or_read(value, data):
    raw = bytearray(encode(value))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        decode(raw)
    except WireError:
        pass


def size(number):
    return struct.pack(">I", number)


def tensor(code, shape, raw=b""):
    return b"A" + bytes([code, len(shape)]) + b"".join(struct.pack(">Q", n) for n in shape) + raw


FLOAT = wire.DTYPES.index(torch.float32)
HOSTILE = {
    "nothing": b"",
    "two values": b"NN",
    "unknown tag": b"z",
    "pickle": b"\x80\x04\x95\x10",
    "a list that promises more than it has": b"l" + size(2**32 - 1),
    "a string that promises more than it has": b"s" + size(2**31) + b"abc",
    "a string that is not UTF-8": b"s" + size(2) + b"\xc3\x28",
    "a lone surrogate": b"s" + size(3) + b"\xed\xa0\x80",
    "nested beyond the limit": b"l\x00\x00\x00\x01" * 40 + b"N",
    "nested beyond Python's limit": b"l\x00\x00\x00\x01" * 100_000 + b"N",
    "too many items": b"l" + size(300_000) + b"N" * 300_000,
    "many empty lists": b"l" + size(250_000) + (b"l" + size(0)) * 250_000,
    "a huge integer": b"I" + size(4096) + b"\x7f" * 4096,
    "a tensor larger than its bytes": tensor(FLOAT, [1000]),
    "a tensor whose size overflows": tensor(FLOAT, [2**32, 2**32]),
    "a negative size": tensor(FLOAT, [2**64 - 1]),
    "an empty tensor with a huge side": tensor(FLOAT, [0, 2**62]),
    "an empty tensor whose sides overflow": tensor(FLOAT, [0] + [2**20] * 10),
    "an unknown dtype": tensor(200, [1], b"\x00" * 4),
    "two hundred dimensions": b"A" + bytes([FLOAT, 200]) + bytes(1600),
    "an unhashable key": b"m" + size(1) + b"l" + size(0) + b"N",
    "a tensor as a key": b"m" + size(1) + tensor(FLOAT, [1], b"\x00" * 4) + b"N",
    "a float as a key": b"m" + size(1) + b"d" + bytes(8) + b"N",
    "a reference without a description": b"h" + size(1) + b"N",
    "a reference": b"h" + size(1) + b"s" + size(0),
    "another device": b"v" + size(4) + b"meta",
    "a device with a strange index": b"v" + size(9) + b"cuda:1e99",
    "a random state of the wrong size": b"g" + size(3) + b"abc",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_frames_are_refused(name):
    with pytest.raises(WireError):
        decode(HOSTILE[name])


def test_colliding_keys_are_refused():
    # hash(n) is n modulo 2**61 - 1: all of these but a few would land in one chain
    data = b"m" + size(10_000) + b"".join(b"i" + struct.pack(">q", n << 40) + b"N" for n in range(10_000))
    with pytest.raises(WireError, match="keys"):
        decode(data)


def test_a_bool_is_only_ever_zero_or_one():
    found = decode(tensor(wire.DTYPES.index(torch.bool), [3], b"\x00\x02\xff"))
    assert found.view(torch.uint8).tolist() == [0, 1, 1]


@pytest.mark.whole
def test_memory_stays_near_the_frame():
    heavy = [
        b"l" + size(190_000) + b"t\x00\x00\x00\x00" * 190_000,
        b"l" + size(100_000) + b"m\x00\x00\x00\x00" * 100_000,
        b"l" + size(10_000) + tensor(FLOAT, [1], b"\x00" * 4) * 10_000,
        b"s" + size(1 << 24) + b"x" * (1 << 24),
    ]
    for data in heavy:
        tracemalloc.start()
        try:
            decode(data)
        except WireError:
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 64 << 20


@pytest.mark.parametrize(
    "value",
    [
        torch.zeros(1).expand(10**12),
        torch.zeros(3).to_sparse(),
        torch.zeros(3, device="meta"),
        [[]] * 300_000,
        2**5000,
        float,
        object(),
        {1, 2},
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_cross_is_not_encoded(value):
    with pytest.raises(WireError):
        encode(value)


def test_what_is_equal_to_plain_data_becomes_plain():
    class Text(str):
        def encode(self, *_):
            return b"forged"

    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, *_):
            raise AssertionError("asked")

    assert decode(encode(Text("text"))) == "text"
    assert decode(encode(numpy.float32(0.5))) == 0.5 and decode(encode(numpy.arange(2))).tolist() == [0, 1]
    assert decode(encode(torch.nn.Parameter(torch.ones(2)))).requires_grad is False
    assert type(decode(encode(torch.ones(2).as_subclass(Loud)))) is torch.Tensor
    assert decode(encode(torch.ones(()).expand(1))).tolist() == [1.0]  # a stride of 0
    brain = torch.arange(6).to(torch.bfloat16).reshape(2, 3).t()  # numpy has no such type
    assert torch.equal(decode(encode(brain)), brain) and decode(encode(brain)).dtype == torch.bfloat16
    conjugate = torch.tensor([1 + 2j, 3 - 1j]).conj()  # views that say so by a bit, of memory that does not
    assert decode(encode(conjugate)).tolist() == [1 - 2j, 3 + 1j]
    assert decode(encode(conjugate.imag)).tolist() == [-2.0, 1.0]
    assert decode(encode(torch.ones(2, requires_grad=True) * 2)).requires_grad is False
    transposed = decode(encode(torch.arange(6).reshape(2, 3).t()))
    assert transposed.is_contiguous() and transposed.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_references_go_through_their_own_functions():
    thing = object()
    data = Writer(lambda value: Reference(Reference.HANDLE, 7, "thing")).encode([thing])
    seen = []
    Reader(data, lambda reference: seen.append((reference.number, reference.description))).decode()
    assert seen == [(7, "thing")]


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, theirs:
        yield Frames(ours.fileno()), theirs


def test_frames_wait_no_longer_than_they_may(ends):
    frames, theirs = ends
    with pytest.raises(Late):
        frames.receive(time.monotonic() + 0.05)
    theirs.sendall(size(10) + b"half")
    with pytest.raises(Late):
        frames.receive(time.monotonic() + 0.05)
    with pytest.raises(Late):  # nobody reads
        frames.send(bytes(32 << 20), time.monotonic() + 0.05)


def test_what_has_come_already_is_late_too(ends):
    frames, theirs = ends
    theirs.sendall(2 * (size(3) + b"one"))
    assert frames.receive(time.monotonic() + 5) == b"one"
    with pytest.raises(Late):
        frames.receive(time.monotonic() - 1)
    assert frames.receive(time.monotonic() + 5) == b"one"


def test_frames_notice_the_end(ends):
    frames, theirs = ends
    theirs.sendall(size(10) + b"half")
    theirs.close()
    with pytest.raises(Closed):
        frames.receive(time.monotonic() + 5)


def test_a_promised_frame_takes_no_memory(ends):
    frames, theirs = ends
    theirs.sendall(size(2**32 - 1))
    with pytest.raises(WireError):
        frames.receive(time.monotonic() + 5)
    os.write(theirs.fileno(), size(wire.MAX_FRAME))
    tracemalloc.start()
    with pytest.raises(Late):
        frames.receive(time.monotonic() + 0.05)
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()
