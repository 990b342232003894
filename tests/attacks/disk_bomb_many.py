# Fills many files, one after the other.
# ends: died
# %%
import itertools

for number in itertools.count():
    with open(str(number), "wb") as file:
        file.write(bytes(1 << 20))
