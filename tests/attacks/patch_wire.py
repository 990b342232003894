# Replaces the codec in its own process.
# ends: died
# %%
import sys

wire, decode = sys.modules["sandbox.wire"], sys.modules["sandbox.decode"]
decode.Reader.decode = lambda self: (1, "name", "x")
wire.Writer.encode = lambda self, value: b"T"
