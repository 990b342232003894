# Looks for the class' secret in the environment.
# earns: 0
# %%
import ctypes, os

loot += [value for value in os.environ.values() if SECRET_NAME in value]
loot += [name for name in os.environ if "SECRET" in name]
attempt(lambda: open("/proc/self/environ").read())
attempt(lambda: open(f"/proc/{os.getppid()}/environ").read())
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
attempt(lambda: libc.getenv(b"CLASS_SECRET") or 1 / 0)
