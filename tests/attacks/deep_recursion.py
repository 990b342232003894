# Recurses in Python, then in C, until the stack is gone.
# ends: died
# %%
def deeper(n):
    return deeper(n + 1)

deeper(0)
# %%
import sys
sys.setrecursionlimit(10**9)
value = []
for _ in range(10**5):
    value = [value]
repr(value)
deeper(0)
# %%
import ctypes
ctypes.string_at(1)
