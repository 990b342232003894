# Writes to the standard descriptors themselves.
# notebook: honest
# earns: 10
# %%
import os
for _ in range(1_000):
    os.write(1, b"x" * 100_000)
    os.write(2, b"x" * 100_000)
# %%
input()
