# Starts processes by system calls.
# earns: 0
# %%
import ctypes, platform

libc = ctypes.CDLL(None, use_errno=True)
clone, clone3, fork, vfork, execve, execveat = (56, 435, 57, 58, 59, 322) if platform.machine() == "x86_64" else (220, 435, 220, 220, 221, 281)
for number, arguments in ((clone, (17, 0, 0, 0, 0)), (clone3, (bytes(88), 88)), (execve, (b"/bin/true", 0, 0)),
                          (execveat, (0, b"/bin/true", 0, 0, 0))):
    if libc.syscall(number, *arguments) >= 0:
        loot.append(number)
