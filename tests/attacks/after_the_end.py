# Leaves work for the end of the process: atexit, destructors, weak references.
# earns: 0
# %%
import atexit, threading, weakref

class Late:
    def __del__(self):
        open(f"{CLASS}/late", "w")

late = Late()
atexit.register(lambda: open(f"{CLASS}/late", "w"))
weakref.finalize(late, lambda: open(f"{CLASS}/late", "w"))
threading.Thread(target=lambda: threading.Event().wait()).start()
