# Promises a frame and keeps the judge waiting for it.
# ends: timeout
# %%
import os, struct, time

for fd in range(3, 64):
    try:
        os.write(fd, struct.pack(">I", 1 << 20) + b"l")
    except OSError:
        continue
    time.sleep(60)
