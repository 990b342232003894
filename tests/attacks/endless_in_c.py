# Never comes back from C: a regular expression that backtracks.
# ends: timeout
# %%
import re

re.match("(a+)+$", "a" * 60 + "b")
