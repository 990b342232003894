# Fills files that it has already deleted.
# ends: died
# %%
import os

kept = []
while True:
    file = open("bomb", "wb", buffering=0)
    os.unlink("bomb")
    file.write(bytes(4 << 20))
    kept.append(file)
