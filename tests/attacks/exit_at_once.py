# Ends its process in the middle of a cell.
# ends: died
# %%
import os

os._exit(0)
