# Answers with the solutions, imported from the project.
# earns: 0
# %%
import sys

sys.path.insert(0, PROJECT)
try:
    from solutions.masking import *
except ImportError:
    pass
