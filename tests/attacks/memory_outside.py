# Keeps memory where a process' limit does not count it: files in memory, pipes, shared segments.
# notebook: honest
# earns: 10
# %%
import os
from multiprocessing import shared_memory

attempt(lambda: os.memfd_create("x"))
attempt(lambda: shared_memory.SharedMemory(create=True, size=1 << 30))
attempt(lambda: open("/dev/shm/x", "w"))
pipes = []
try:
    while True:
        pipes += os.pipe()
except OSError:
    assert len(pipes) < 300
for fd in pipes:
    os.close(fd)
