# Starts processes by every way there is.
# earns: 0
# %%
import multiprocessing, os, pty, subprocess

attempt(lambda: subprocess.run(["/bin/true"]).returncode)
attempt(lambda: os.popen("id").read() or 1 / 0)
attempt(lambda: os.posix_spawn("/bin/true", ["true"], {}))
attempt(lambda: os.execv("/bin/true", ["true"]))
attempt(lambda: multiprocessing.get_context("fork").Process(target=print).start() or "started")
attempt(lambda: multiprocessing.get_context("spawn").Process(target=print).start() or "started")
attempt(lambda: pty.fork())
if os.system("true") == 0:
    loot.append("system")
try:
    if os.fork() == 0:
        os._exit(0)
    loot.append("forked")
except OSError:
    pass
