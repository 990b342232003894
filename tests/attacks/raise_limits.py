# Raises its own limits.
# earns: 0
# %%
import resource

for name in ("AS", "CPU", "FSIZE", "NOFILE", "CORE"):
    number = getattr(resource, f"RLIMIT_{name}")
    hard = resource.getrlimit(number)[1]
    if hard == resource.RLIM_INFINITY:
        loot.append(name)
    attempt(lambda: resource.setrlimit(number, (hard + 1, hard + 1)) or "raised")
    attempt(lambda: resource.prlimit(1, number))
