# Closes the connection to the judge.
# ends: died
# %%
import os

os.closerange(3, 1024)
