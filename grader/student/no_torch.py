"""Nothing, in the places of torch and numpy, for an exercise that needs neither: in a browser they weigh three times the rest.

Imported before the judge, it is what the judge asks for when it is imported, sets and puts back.
"""

import sys
import types


class Nothing:
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self):
        return iter(())

    def __bool__(self):
        return False


class Kind(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


class Module(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = Kind(name, (Nothing,), {}) if name[:1].isupper() else Nothing()
        setattr(self, name, made)
        return made


NAMES = """numpy numpy.random torch torch._C torch.autograd torch.cuda torch.func torch.jit torch.linalg torch.nn
torch.nn.functional torch.nn.init torch.nn.modules torch.nn.modules.module torch.overrides torch.utils torch.utils._device
torch.utils._python_dispatch torch.utils._pytree"""
for name in NAMES.split():
    module = sys.modules[name] = Module(name)
    owner, _, last = name.rpartition(".")
    if owner:
        setattr(sys.modules[owner], last, module)
