# Pretends to be of another class, also to the codec.
# earns: 0
# %%
class Liar(dict):
    @property
    def __class__(self):
        return torch.Tensor
    def items(self):
        raise SystemExit
    def __reduce__(self):
        return exec, ("raise SystemExit",)
    __reduce_ex__ = lambda self, _: (exec, ("raise SystemExit",))

class Number(int):
    def __index__(self):
        return 2**10_000_000
    def bit_length(self):
        return -1

def look_ahead_mask(length, device=None):
    return Liar(a=1)

def masked_softmax(scores, mask):
    return Number(3)
