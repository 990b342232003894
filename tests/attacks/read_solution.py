# Reads the solution from the disk, by every way of opening a file.
# earns: 0
# %%
import io, linecache, mmap, os, pathlib, zipfile
import numpy as np

path = f"{PROJECT}/solutions/masking.py"
attempt(lambda: open(path).read())
attempt(lambda: io.FileIO(path).read())
attempt(lambda: pathlib.Path(path).read_bytes())
attempt(lambda: os.read(os.open(path, os.O_RDONLY), 100))
attempt(lambda: os.open(path, os.O_RDWR))
attempt(lambda: np.fromfile(path, dtype="u1"))
attempt(lambda: torch.from_file(path, size=100, dtype=torch.uint8))
attempt(lambda: mmap.mmap(os.open(path, os.O_RDONLY), 0, prot=mmap.PROT_READ)[:])
attempt(lambda: zipfile.ZipFile(path))
loot += linecache.getlines(path)
