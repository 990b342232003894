# Fills memory; is refused it, and the notebook goes on.
# notebook: honest
# earns: 10
# %%
hoard = []
while True:
    hoard.append(bytearray(16 << 20))
# %%
del hoard
