# Leaves something behind for the next worker: in the Python installation, in temporary folders.
# earns: 0
# %%
import os, sys, tempfile, torch, numpy

folders = [*sys.path, os.path.dirname(torch.__file__), "/tmp", "/dev/shm", "/var/tmp", os.path.dirname(os.getcwd())]
for folder in folders:
    attempt(lambda: open(f"{folder}/left.pth", "w"))
    attempt(lambda: os.mkdir(f"{folder}/left"))
attempt(lambda: open(numpy.__file__, "a"))
attempt(lambda: open(sys.executable, "ab"))
attempt(lambda: os.open("/tmp", os.O_TMPFILE | os.O_RDWR))
attempt(lambda: tempfile.mkdtemp(dir="/tmp"))
assert tempfile.gettempdir() == os.getcwd()
