# Reads what belongs to the machine and its user.
# earns: 0
# %%
import os

for path in ("/etc/passwd", "/etc/shadow", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/var/log", "/boot"):
    attempt(lambda: open(path).read())
    attempt(lambda: os.listdir(path))
for path in ("/", "/root", "/home", "/tmp", "/dev", "/dev/shm", "/run", "/sys/class", os.path.expanduser("~user")):
    attempt(lambda: os.listdir(path))
attempt(lambda: open("/dev/mem", "rb").read(1))
attempt(lambda: open("/dev/tty").read(1))
