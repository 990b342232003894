# Answers with a value nested a hundred thousand deep.
# ends: died
# %%
import os, struct

payload = b"l\0\0\0\1" * 100_000 + b"N"
for fd in range(3, 64):
    try:
        os.write(fd, struct.pack(">I", len(payload)) + payload)
    except OSError:
        pass
