# Defines the asked names in letters that only look the same, and names that no file system or report expects.
# earns: 0
# %%
globals()["look_аhead_mask"] = lambda length, device=None: torch.ones(length, length, dtype=torch.bool).tril()
globals()["bad\0name"] = globals()["\ud800"] = globals()["../../x"] = 1
del look_ahead_mask
open("이름\n.txt", "w").write("x")
open(b"\xff\xfe", "w").write("x")
# %%
raise type("Bad\0Name\u202e", (Exception,), {})("\ud800\0")
