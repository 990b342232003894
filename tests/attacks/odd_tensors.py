# Returns tensors of every odd kind.
# earns: 0
# %%
import itertools

kinds = itertools.cycle([
    lambda: torch.zeros(3, 3).to_sparse(), lambda: torch.zeros(3, 3, device="meta"),
    lambda: torch.quantize_per_tensor(torch.zeros(3), 0.1, 0, torch.quint8),
    lambda: torch.nested.nested_tensor([torch.zeros(1), torch.zeros(2)]),
    lambda: torch.zeros(3, 3, dtype=torch.complex32), lambda: torch.zeros(3).to(torch.float8_e5m2),
    lambda: torch.zeros(3, 3).to_mkldnn(), lambda: torch.zeros(3, 3).to_sparse_csr(),
])

def odd(*args, **kwargs):
    return next(kinds)()

padding_mask = look_ahead_mask = combine_masks = masked_softmax = causal_attention_is_causal = odd
