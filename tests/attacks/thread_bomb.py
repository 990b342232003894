# Starts threads without end.
# ends: died
# %%
import threading, time

threading.stack_size(1 << 16)
while True:
    try:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError:
        time.sleep(0.01)
