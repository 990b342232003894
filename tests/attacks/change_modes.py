# Changes modes, owners and times of files outside: what Landlock does not look at.
# earns: 0
# %%
import ctypes, os

book = f"{CLASS}/gradebook.db"
for path in (book, CLASS, f"{PROJECT}/solutions/masking.py"):
    os.chmod(path, 0o777)
    os.utime(path, (0, 0))
    attempt(lambda: os.chown(path, 65534, 65534))
    attempt(lambda: os.setxattr(path, "user.x", b"x") or "set")
    attempt(lambda: os.chroot(path) or "chroot")
loot[:] = [found for found in loot if found != "None"]
