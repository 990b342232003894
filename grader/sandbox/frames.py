"""Frames on the connection between judge and worker: a length and as many bytes."""

from __future__ import annotations

import math
import os
import select
import struct
import time

from .wire import MAX_FRAME, WireError

_SIZE = struct.Struct(">I")


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

    def send(self, payload: bytes, deadline: float | None = None) -> None:
        if len(payload) > MAX_FRAME:
            raise WireError("a frame is too large")
        rest = memoryview(_SIZE.pack(len(payload)) + payload)
        while rest:
            self._wait(deadline, writing=True)
            try:
                rest = rest[os.write(self.fd, rest[: 1 << 20]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise Closed(str(error)) from None

    def receive(self, deadline: float | None = None) -> bytearray:
        (size,) = _SIZE.unpack(self._exactly(4, deadline))
        if size > MAX_FRAME:
            raise WireError("a frame is too large")
        return self._exactly(size, deadline)

    def _exactly(self, size: int, deadline: float | None) -> bytearray:
        data = bytearray()
        while len(data) < size:
            self._wait(deadline, writing=False)
            try:
                part = os.read(self.fd, min(size - len(data), 1 << 20))
            except BlockingIOError:
                continue
            except OSError as error:
                raise Closed(str(error)) from None
            if not part:
                raise Closed("the connection is closed")
            data += part
        return data

    def _wait(self, deadline: float | None, *, writing: bool) -> None:
        if deadline is None:
            return
        poll = select.poll()
        poll.register(self.fd, select.POLLOUT if writing else select.POLLIN)
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(math.ceil(left * 1000)):
            raise Late
