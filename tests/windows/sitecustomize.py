"""Makes Python as poor as on Windows for our own code: what only POSIX has is missing from `os`, `signal` and the library.

Other libraries keep it: theirs for Windows are others than those installed here. Reading or writing text without saying
its encoding, which on Windows is an old code page, is an error in our code.
"""

import builtins
import os
import signal
import sys
import types
import warnings

OURS = ("grader", "course_data")
ABSENT = set("crypt fcntl grp posix pty pwd resource syslog termios tty".split())
POSIX_ONLY = {
    "os": """O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_PATH O_SYNC WEXITED WNOHANG WNOWAIT chown chroot fchmod fchown
        fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getpgrp getpriority getresgid getresuid getsid
        getuid initgroups killpg lchown mkfifo mknod nice openpty posix_spawn register_at_fork sched_getaffinity
        sched_setaffinity setegid seteuid setgid setgroups setpgid setresgid setresuid setsid setuid statvfs sync
        sysconf uname wait wait3 wait4 waitid""",
    "signal": """SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 SIGXCPU
        SIGXFSZ alarm getitimer pause pthread_kill pthread_sigmask setitimer sigwait""",
}


def _poor(module: types.ModuleType) -> types.ModuleType:
    copy = types.ModuleType(module.__name__)
    gone = set(POSIX_ONLY[module.__name__].split())
    vars(copy).update({name: value for name, value in vars(module).items() if name not in gone})
    return copy


class _Sys(types.ModuleType):
    """`sys` as it is at each moment, on another platform."""

    platform = "win32"

    def __getattr__(self, name):
        return getattr(sys, name)

    def __setattr__(self, name, value):
        setattr(sys, name, value)


_instead = {"os": _poor(os), "signal": _poor(signal), "sys": _Sys("sys")}
_import = builtins.__import__


def _windows_import(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    if level == 0 and importer.partition(".")[0] in OURS:
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name in _instead:
            return _instead[name]
    return _import(name, globals, locals, fromlist, level)


builtins.__import__ = _windows_import
warnings.simplefilter("ignore", EncodingWarning)
warnings.filterwarnings("error", category=EncodingWarning, module=rf"({'|'.join(OURS)})\b")
