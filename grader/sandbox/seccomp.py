"""A seccomp filter that leaves a worker what Python and torch's threads need: no sockets, no new processes,
no other process, no kernel administration.

What is not listed is refused with EPERM, so that a library which tries it reports an error instead of dying.
Numbers and structures: linux/seccomp.h, linux/filter.h and the kernel's system call tables.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

# name, number on x86_64, number on aarch64 ("-": does not exist there)
ALLOWED = """
read 0 63           write 1 64          open 2 -            close 3 57          stat 4 -
fstat 5 80          lstat 6 -           poll 7 -            lseek 8 62          mmap 9 222
mprotect 10 226     munmap 11 215       brk 12 214          rt_sigaction 13 134 rt_sigprocmask 14 135
rt_sigreturn 15 139 pread64 17 67       pwrite64 18 68      readv 19 65         writev 20 66
access 21 -         pipe 22 -           select 23 -         sched_yield 24 124  mremap 25 216
msync 26 227        mincore 27 232      madvise 28 233      dup 32 23           dup2 33 -
pause 34 -          nanosleep 35 101    getitimer 36 102    alarm 37 -          setitimer 38 103
getpid 39 172       sendfile 40 71      exit 60 93          wait4 61 260        uname 63 160
flock 73 32         fsync 74 82         fdatasync 75 83     ftruncate 77 46     getdents 78 -
getcwd 79 17        chdir 80 49         fchdir 81 50        rename 82 -         mkdir 83 -
rmdir 84 -          creat 85 -          link 86 -           unlink 87 -         symlink 88 -
readlink 89 -       umask 95 166        gettimeofday 96 169 getrlimit 97 163    getrusage 98 165
sysinfo 99 179      times 100 153       getuid 102 174      getgid 104 176      geteuid 107 175
getegid 108 177     getppid 110 173     getpgrp 111 -       setrlimit 160 164   getgroups 115 158
rt_sigpending 127 136 rt_sigtimedwait 128 137 rt_sigsuspend 130 133 sigaltstack 131 132
statfs 137 43       fstatfs 138 44      arch_prctl 158 -    gettid 186 178      time 201 -
futex 202 98        sched_getaffinity 204 123 set_tid_address 218 96 fadvise64 221 223
timer_create 222 107 timer_settime 223 110 timer_gettime 224 108 timer_getoverrun 225 109
timer_delete 226 111 clock_gettime 228 113 clock_getres 229 114 clock_nanosleep 230 115
exit_group 231 94   epoll_wait 232 -    epoll_ctl 233 21    get_mempolicy 239 236 waitid 247 95
openat 257 56       mkdirat 258 34      newfstatat 262 79   unlinkat 263 35     renameat 264 38
linkat 265 37       symlinkat 266 36    readlinkat 267 78   faccessat 269 48    pselect6 270 72
ppoll 271 73        set_robust_list 273 99 get_robust_list 274 100 epoll_pwait 281 22
timerfd_create 283 85 fallocate 285 47  timerfd_settime 286 86 timerfd_gettime 287 87
signalfd4 289 74    eventfd2 290 19     epoll_create1 291 20 dup3 292 24        pipe2 293 59
preadv 295 69       pwritev 296 70      getcpu 309 168      renameat2 316 276   getrandom 318 278
membarrier 324 283  copy_file_range 326 285 preadv2 327 286 pwritev2 328 287    statx 332 291
getresuid 118 148   getresgid 120 150   close_range 436 436 faccessat2 439 439
rseq 334 293        getdents64 217 61
"""
# Landlock does not cover these: done to a file of the same owner outside the scratch folder they would do harm,
# refused they would break `shutil.copy`. So they seem to succeed.
PRETENDED = """
chmod 90 -          fchmod 91 52        fchmodat 268 53     fchmodat2 452 452   chown 92 -
fchown 93 55        lchown 94 -         fchownat 260 54     utime 132 -         utimes 235 -
futimesat 261 -     utimensat 280 88
"""
NOT_SUPPORTED = """
getxattr 191 8      lgetxattr 192 9     fgetxattr 193 10    listxattr 194 11    llistxattr 195 12
flistxattr 196 13
"""
CLONE, CLONE3, CLONE_THREAD = "clone 56 220", "clone3 435 435", 0x10000
# Allowed where one argument (its position) is one of these.
IOCTL = ("ioctl 16 29", 1, [0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451])  # terminal? size, unread, flags
PRCTL = ("prctl 157 167", 0, [3, 15, 16, 0x53564D41])  # read dumpable, thread names, names of memory areas
FCNTL = (
    "fcntl 72 25",
    1,
    [0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032],
)  # no owners of signals, no leases
OWN_PROCESS = [("kill 62 129", 0), ("tgkill 234 131", 0), ("prlimit64 302 261", 0)]

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_LESS, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x40000000
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2


def available() -> str:
    """The reason why a worker cannot be filtered on this machine; empty if it can."""
    if platform.machine() not in _ARCHITECTURES:
        return f"no filter is written for {platform.machine()}"
    libc = ctypes.CDLL(None, use_errno=True)
    # With a null program a kernel that knows filters answers EFAULT.
    libc.prctl(_PR_SET_SECCOMP, _FILTER, None, 0, 0)
    if ctypes.get_errno() != errno.EFAULT:
        return f"the kernel has no seccomp filters ({os.strerror(ctypes.get_errno())})"
    return ""


def install() -> None:
    """Filter this process and every thread it will start, for good.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    instructions = program(os.getpid())
    code = ctypes.create_string_buffer(b"".join(instructions))
    filter_program = struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(code))
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        _PR_SET_SECCOMP, _FILTER, filter_program, 0, 0
    ):
        raise OSError(ctypes.get_errno(), "the seccomp filter cannot be installed")


def program(pid: int) -> list[bytes]:
    """The filter for the process `pid`, as BPF instructions."""
    arch, column = _ARCHITECTURES[platform.machine()]
    code = [
        _op(_LOAD, _ARCH),
        _op(_JUMP_EQUAL, arch, 1, 0),
        _refuse(errno.EPERM),
        _op(_LOAD, _NUMBER),
        _op(_JUMP_LESS, _X32, 0, 1),  # x32's numbers name the same calls once more
        _refuse(errno.EPERM),
    ]
    for table, verdict in (
        (ALLOWED, _op(_RETURN, _ALLOW)),
        (PRETENDED, _refuse(0)),
        (NOT_SUPPORTED, _refuse(errno.ENOTSUP)),
    ):
        for number in _numbers(table, column):
            code += [_op(_JUMP_EQUAL, number, 0, 1), verdict]
    for call, argument, values in (IOCTL, PRCTL, FCNTL):
        code += _where(call, column, argument, values)
    for call, argument in OWN_PROCESS:
        code += _where(call, column, argument, [pid] if call.startswith(("kill", "tgkill")) else [0, pid])
    (clone,), (clone3,) = _numbers(CLONE, column), _numbers(CLONE3, column)
    thread = [
        _op(_LOAD, _ARGUMENTS),
        _op(_JUMP_SET, CLONE_THREAD, 0, 1),
        _op(_RETURN, _ALLOW),
        _refuse(errno.EPERM),
    ]
    code += [_op(_JUMP_EQUAL, clone, 0, len(thread)), *thread]
    code += [_op(_JUMP_EQUAL, clone3, 0, 1), _refuse(errno.ENOSYS)]  # the C library then falls back to clone
    return [*code, _refuse(errno.EPERM)]


def _where(call: str, column: int, argument: int, values: list[int]) -> list[bytes]:
    """Allow a call where an argument is one of `values`. The kernel reads its lower 32 bits only."""
    body = [_op(_LOAD, _ARGUMENTS + 8 * argument)]
    for value in values:
        body += [_op(_JUMP_EQUAL, value, 0, 1), _op(_RETURN, _ALLOW)]
    body.append(_refuse(errno.EPERM))
    (number,) = _numbers(call, column)
    return [_op(_JUMP_EQUAL, number, 0, len(body)), *body]


def _numbers(table: str, column: int) -> list[int]:
    words = table.split()
    found = [words[i + 1 + column] for i in range(0, len(words), 3)]
    return [int(number) for number in found if number != "-"]


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _refuse(number: int) -> bytes:
    return _op(_RETURN, _ERRNO | number)
