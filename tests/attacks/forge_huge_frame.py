# Announces a frame of four gigabytes, and one of the largest size without sending it.
# ends: died
# %%
import os, struct

for fd in range(3, 64):
    try:
        os.write(fd, struct.pack(">I", 2**32 - 1))
    except OSError:
        pass
