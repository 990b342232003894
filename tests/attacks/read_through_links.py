# Makes links to what it may not read, inside the folder that it may.
# earns: 0
# %%
import os, shutil

target = f"{PROJECT}/solutions/masking.py"
os.symlink(target, "soft")
attempt(lambda: open("soft").read())
os.symlink(PROJECT, "folder")
attempt(lambda: os.listdir("folder"))
attempt(lambda: os.link(target, "hard") or open("hard").read())
attempt(lambda: os.rename(target, "moved") or "moved")
attempt(lambda: shutil.copy(target, "copy"))
attempt(lambda: open(f"/proc/self/root{target}").read())
attempt(lambda: open(f"/proc/self/cwd/../../..{target}").read())
attempt(lambda: os.listdir(".."))
