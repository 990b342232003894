# Reads about itself and about other processes in /proc.
# earns: 0
# %%
import os

for pid in ("self", "thread-self", 1, os.getppid()):
    for name in ("cmdline", "environ", "maps", "mem", "status", "stat", "mountinfo", "task", "fd", "cgroup"):
        attempt(lambda: open(f"/proc/{pid}/{name}", "rb").read(10))
        attempt(lambda: os.listdir(f"/proc/{pid}/{name}"))
    attempt(lambda: os.readlink(f"/proc/{pid}/fd/0") if pid not in ("self", "thread-self") else 1 / 0)
attempt(lambda: os.listdir("/proc"))
attempt(lambda: open("/proc/version").read())
