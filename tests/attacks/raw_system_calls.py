# Asks the kernel for what no notebook needs.
# earns: 0
# only: x86_64
# %%
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(4096)
refused = {
    "ptrace": (101, 16, 1, 0, 0), "process_vm_readv": (310, 1, 0, 0, 0, 0, 0), "kcmp": (312, 1, 1, 0, 0, 0),
    "io_uring_setup": (425, 4, buffer), "keyctl": (250, 0, -3, 1), "add_key": (248, b"user", b"x", b"y", 1, -3),
    "bpf": (321, 0, buffer, 64), "perf_event_open": (298, buffer, 0, -1, -1, 0), "unshare": (272, 0x10000000),
    "mount": (165, b"none", b".", b"tmpfs", 0, 0), "setns": (308, 0, 0), "chroot": (161, b"."),
    "pivot_root": (155, b".", b"."), "memfd_create": (319, b"x", 0), "userfaultfd": (323, 1),
    "personality": (135, 0x0040000), "shmget": (29, 0, 1 << 20, 0o1600), "msgget": (68, 0, 0o1600),
    "semget": (64, 0, 1, 0o1600), "mq_open": (240, b"x", 66, 0o600, 0), "syslog": (103, 3, buffer, 10),
    "reboot": (169, 0, 0, 0, 0), "quotactl": (179, 0, 0, 0, 0), "init_module": (175, 0, 0, 0),
    "kexec_load": (246, 0, 0, 0, 0), "ioperm": (173, 0, 1, 1), "swapon": (167, b".", 0), "acct": (163, 0),
    "name_to_handle_at": (303, -100, b".", buffer, buffer, 0), "fanotify_init": (300, 0, 0), "setsid": (112,),
    "setuid": (105, 0), "capset": (126, buffer, 0), "landlock": (444, 0, 0, 1), "seccomp": (317, 1, 0, 0),
    "pidfd_open": (434, 1, 0), "pidfd_getfd": (438, 3, 0, 0), "process_madvise": (440, 3, 0, 0, 0, 0),
    "setpriority": (141, 0, 0, 5), "ioprio_set": (251, 1, 0, 0), "sched_setscheduler": (144, 0, 0, buffer),
    "prctl dumpable": (157, 4, 0), "prctl death signal": (157, 1, 0), "prctl ptracer": (157, 0x59616D61, -1),
    "prlimit of another": (302, 1, 7, 0, buffer), "fcntl owner": (72, 0, 8, 1), "inotify_init": (253,),
    "open_by_handle_at": (304, 3, buffer, 0), "socketpair": (53, 1, 1, 0, buffer), "mknod": (133, b"x", 0o20666, 261),
}
for name, arguments in refused.items():
    if libc.syscall(*arguments) >= 0:
        loot.append(name)
