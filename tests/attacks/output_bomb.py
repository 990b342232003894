# Prints 300 MB; costs bounded memory and no points.
# notebook: honest
# earns: 10
# %%
for _ in range(30):
    print("x" * 10_000_000)
# %%
import sys
for _ in range(100_000):
    sys.stderr.write("warning\n")
