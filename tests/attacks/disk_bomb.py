# Writes one file without end: it is cut off at the folder's size.
# notebook: honest
# earns: 10
# %%
with open("bomb", "wb", buffering=0) as file:
    while True:
        file.write(bytes(1 << 20))
# %%
import os
os.unlink("bomb")
