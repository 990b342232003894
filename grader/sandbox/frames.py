"""Frames on the connection between judge and worker: a length and as many bytes."""

from __future__ import annotations

import math
import os
import select
import struct
import time

from .wire import MAX_FRAME, WireError

_SIZE = struct.Struct(">I")
CHUNK = 1 << 18  # bytes read or written at once


class Closed(Exception):
    """The other side has closed the connection, or its process has ended."""


class Late(Exception):
    """The other side has not answered before the deadline."""


class Frames:
    """Length-prefixed frames over a stream socket.

    Deadlines are on `time.monotonic` and need a descriptor that does not block; None waits for ever.
    """

    def __init__(self, fd: int):
        self.fd = fd
        self._read = bytearray()  # what has come of the next frames
        self._chunk = bytearray(CHUNK)  # made beforehand: a worker may be short of memory when it must listen
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(fd, select.POLLIN)
        self._writable.register(fd, select.POLLOUT)

    def send(self, payload: bytes, deadline: float | None = None) -> None:
        if len(payload) > MAX_FRAME:
            raise WireError("a frame is too large")
        rest = memoryview(_SIZE.pack(len(payload)) + payload)
        while rest:
            try:
                rest = rest[os.write(self.fd, rest[:CHUNK]) :]
            except BlockingIOError:
                _wait(self._writable, deadline)
            except OSError as error:
                raise Closed(str(error)) from None

    def receive(self, deadline: float | None = None) -> bytearray:
        if deadline is not None and time.monotonic() > deadline:
            raise Late  # also where the other side has sent more than anybody waits for
        (size,) = _SIZE.unpack(self._exactly(4, deadline))
        if size > MAX_FRAME:
            raise WireError("a frame is too large")
        return self._exactly(size, deadline)

    def _exactly(self, size: int, deadline: float | None) -> bytearray:
        while len(self._read) < size:
            if deadline is not None:
                _wait(self._readable, deadline)
            try:
                size_read = os.readv(self.fd, [self._chunk])
            except BlockingIOError:
                continue
            except OSError as error:
                raise Closed(str(error)) from None
            if not size_read:
                raise Closed("the connection is closed")
            self._read += memoryview(self._chunk)[:size_read]
        data = self._read[:size]
        del self._read[:size]
        return data


def _wait(ready: select.poll, deadline: float | None) -> None:
    if deadline is None:
        ready.poll()
        return
    left = deadline - time.monotonic()
    if left <= 0 or not ready.poll(math.ceil(left * 1000)):
        raise Late
