# Leaves torch in an unusual state: right answers stay right.
# notebook: honest
# earns: 10
# %%
import warnings

torch.set_grad_enabled(False)
torch.manual_seed(1)
warnings.simplefilter("error")
