# Warns and prints on standard error: costs nothing.
# notebook: honest
# earns: 10
# %%
import sys, warnings

warnings.warn("careful")
print("oops", file=sys.stderr)
# %%
1 / 0
