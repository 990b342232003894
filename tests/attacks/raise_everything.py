# Raises what the judge's own code might take for something else.
# earns: 0
# %%
import itertools

class MissingName(AttributeError): pass
class WorkerTimeout(Exception): pass
class Skipped(BaseException): pass
class Loud(Exception):
    def __str__(self):
        raise SystemExit
    __repr__ = __str__

errors = itertools.cycle([
    StopIteration(), GeneratorExit(), KeyboardInterrupt(), SystemExit(0), MissingName("x"), WorkerTimeout("x"),
    Skipped("x"), Loud(), StopAsyncIteration(), type("NotImplementedError\n" * 10_000, (Exception,), {})(),
    Exception("x" * 10_000_000), Warning("x"), ExceptionGroup("x", [ValueError()]) if hasattr(__builtins__, "ExceptionGroup") else OSError(),
])

def fail(*args, **kwargs):
    raise next(errors)

padding_mask = look_ahead_mask = combine_masks = masked_softmax = causal_attention_is_causal = fail
