# Imports the grader: gets the stand-in, and nothing below it.
# earns: 0
# %%
import importlib, sys, grader

for name in ("grader.suites", "grader.suites.test_masking", "grader.judging", "grader.judging.judge", "grader.misconceptions", "grader.sandbox"):
    attempt(lambda: importlib.import_module(name))
loot += [name for name in dir(grader) if name not in dir(type(grader)("x")) and name not in ("check", "en")]
loot += [f"en.{name}" for name in vars(grader.en) if not name.startswith("__") and name != "check"]
del sys.modules["grader"]
sys.path.insert(0, PROJECT)
attempt(lambda: importlib.import_module("grader"))
