# Asks torch and numpy for more memory than there is.
# notebook: honest
# earns: 10
# %%
torch.zeros(1 << 40)
# %%
import numpy as np
np.ones((1 << 20, 1 << 20))
# %%
import mmap
mmap.mmap(-1, 1 << 40)
# %%
"x" * (1 << 40)
# %%
import ctypes
ctypes.CDLL(None).malloc.restype = ctypes.c_void_p
assert not ctypes.CDLL(None).malloc(ctypes.c_size_t(1 << 40)) or True
