# Hides files in a folder that nobody may list.
# ends: died
# %%
import os, time

os.mkdir("closed", 0o300)
os.mkdir("open")
for number in range(10_000):
    open(f"closed/{number}", "wb").write(bytes(1 << 16))
time.sleep(60)
