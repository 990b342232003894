# Asks to exit: the notebook goes on, and what is right counts.
# notebook: honest
# earns: 10
# %%
import sys

sys.exit(1)
# %%
exit()
# %%
raise KeyboardInterrupt
# %%
raise GeneratorExit
