# Sends signals to the server, to the group and to everybody; then to itself.
# ends: died
# %%
import os, signal

for pid in (os.getppid(), 0, -1, 1, -os.getppid()):
    try:
        os.kill(pid, signal.SIGTERM if pid else 0)
        os.kill(pid, signal.SIGKILL if pid != 0 else 0)
    except OSError:
        pass
attempt(lambda: signal.pidfd_send_signal(os.pidfd_open(os.getppid()), signal.SIGKILL))
os.kill(os.getpid(), signal.SIGKILL)
