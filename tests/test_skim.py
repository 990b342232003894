"""What is left out while a notebook is read: what json would have read of it, but for outputs; in memory that does not grow."""

import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_net_notebooks import net

from grader import skim

KEYS = st.sampled_from(["outputs", "attachments", "widgets", "source", 'k"q\\', "x" * 200]) | st.text(
    max_size=3
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["outputs", '{["\\', "\\\\"])
)
JSON = st.recursive(
    LEAVES | st.text(max_size=9), lambda j: st.lists(j, max_size=4) | st.dictionaries(KEYS, j, max_size=4)
)


def without(value):
    if isinstance(value, dict):
        left = {key: isinstance(held, dict | list) and key in skim.SKIPPED for key, held in value.items()}
        return {key: None if left[key] else without(held) for key, held in value.items()}
    return [without(held) for held in value] if isinstance(value, list) else value


@net(max_examples=200)
@given(
    JSON,
    st.integers(1, 40),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp949"]),
    st.sampled_from([None, 1]),
)
def test_all_but_outputs_is_as_json_reads_it(value, chunk, encoding, indent):
    content = json.dumps(value, ensure_ascii=encoding == "cp949", indent=indent).encode(
        encoding, "surrogatepass"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(skim, "CHUNK", chunk)
        assert json.loads(skim.skim(io.BytesIO(content), 1 << 20)) == without(value)


@net(max_examples=100)
@given(st.binary(max_size=40) | st.text('{}[]":,\\ outps', max_size=40).map(str.encode))
def test_what_is_no_json_ends(content):
    skim.skim(io.BytesIO(content), 1 << 20)


class Endless(io.RawIOBase):
    """A file of so many bytes; at its first four the encoding is seen."""

    def __init__(self, size: int, inside: bytes, begin: bytes = b"", end: bytes = b""):
        self._parts = [b"    ", begin, *[inside * ((1 << 16) // len(inside))] * (size >> 16), end]
        self._parts = [part for part in self._parts if part]

    def read(self, size=-1):
        return self._parts.pop(0) if self._parts else b""

    def seek(self, *_):
        return 0


@pytest.mark.parametrize(
    "inside",
    [
        pytest.param(b"A", id="a picture", marks=pytest.mark.whole),
        pytest.param(b'1", [2.5], {"a": 1}, "', id="values"),
        pytest.param(b"\\n", id="lines", marks=pytest.mark.whole),
    ],
)
def test_memory_does_not_grow_with_the_file(inside):
    most = []
    for size in (1 << 19, 2 << 20):
        begin, end = b'{"cells": [{"outputs": ["', b'"], "source": "x = 1"}], "nbformat": 4}'
        file = Endless(size, inside, begin, end)
        tracemalloc.start()
        assert json.loads(skim.skim(file, 1 << 20))["cells"] == [{"outputs": None, "source": "x = 1"}]
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert most[1] < 1.2 * most[0] + 250_000  # of one and a half million bytes more


@pytest.mark.parametrize(
    "inside", [b"\0", b" ", b'", "outputs" ' + b" " * 60], ids=["nothing", "spaces", "keys"]
)
def test_what_would_be_kept_is_bounded(inside):
    file = Endless(64 << 20, inside, b'{"outputs"' if inside == b" " else b"")
    tracemalloc.start()
    with pytest.raises(skim.TooLarge):
        skim.skim(file, 4 << 20)
    assert tracemalloc.get_traced_memory()[1] < 24 << 20
    tracemalloc.stop()
