# Replaces the codec in its own process.
# ends: died
# %%
import sys

wire = sys.modules["sandbox.wire"]
wire.Reader.decode = lambda self: (1, "name", "x")
wire.Writer.encode = lambda self, value: b"T"
