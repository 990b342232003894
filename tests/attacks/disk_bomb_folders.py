# Makes folders in folders, deeper than a path can name.
# ends: died
# %%
import os

while True:
    os.mkdir("x" * 200)
    os.chdir("x" * 200)
