# A thread keeps the processor busy for ever.
# notebook: honest
# earns: 10
# %%
import threading, time

def spin():
    while True:
        time.sleep(0)

threading.Thread(target=spin, daemon=True).start()
