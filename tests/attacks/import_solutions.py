# Imports the solutions, by name, by path, by loader.
# earns: 0
# %%
import importlib, importlib.util, pkgutil, runpy, sys

sys.path[:0] = [PROJECT, f"{PROJECT}/solutions", ""]
importlib.invalidate_caches()
attempt(lambda: importlib.import_module("solutions.masking"))
attempt(lambda: importlib.import_module("masking"))
attempt(lambda: runpy.run_path(f"{PROJECT}/solutions/masking.py"))
spec = importlib.util.spec_from_file_location("taken", f"{PROJECT}/solutions/masking.py")
attempt(lambda: spec.loader.get_data(spec.origin))
loot += [module.name for module in pkgutil.iter_modules() if module.name in ("solutions", "masking")]
