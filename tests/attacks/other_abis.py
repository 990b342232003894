# Makes the same system calls by the kernel's other doors: i386 and x32.
# earns: 0
# only: x86_64
# %%
import ctypes, mmap

libc = ctypes.CDLL(None, use_errno=True)
for number in (41, 57, 59, 2):
    if libc.syscall(0x40000000 | number, 2, 1, 0) >= 0:
        loot.append(f"x32 {number}")

def i386(number, argument=0):
    code = b"\xb8" + number.to_bytes(4, "little") + b"\x53\xbb" + argument.to_bytes(4, "little") + b"\xcd\x80\x5b\x48\x98\xc3"
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_long)(address)()

for name, number in (("fork", 2), ("getpid", 20), ("socketcall", 102), ("setsid", 66)):
    if i386(number) >= 0:
        loot.append(name)
