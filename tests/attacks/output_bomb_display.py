# Shows pictures and tables without measure.
# notebook: honest
# earns: 10
# %%
from IPython.display import display, Image
for number in range(5_000):
    display({"text/plain": "x" * 1_000, "image/png": "QUJD" * 1_000}, raw=True)
    print(number)
