# Reads another student's submission and lists the class.
# earns: 0
# %%
import os, pathlib

attempt(lambda: open(f"{CLASS}/submitted/honest/masking/masking.ipynb").read())
attempt(lambda: os.listdir(f"{CLASS}/submitted"))
attempt(lambda: os.listdir(CLASS))
loot += [str(path) for path in pathlib.Path(CLASS).rglob("*")]
