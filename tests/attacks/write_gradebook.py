# Opens the gradebook, reads it, writes to it, empties it, replaces it.
# earns: 0
# %%
import os, shutil, sqlite3

book = f"{CLASS}/gradebook.db"
attempt(lambda: sqlite3.connect(book).execute("update grade set score = 10").rowcount)
attempt(lambda: sqlite3.connect(f"file:{book}?mode=ro&immutable=1", uri=True).execute("select * from grade").fetchall())
attempt(lambda: open(book, "ab").write(b"x"))
attempt(lambda: os.truncate(book, 0) or "emptied")
attempt(lambda: os.unlink(book) or "removed")
open("mine.db", "w").write("x")
attempt(lambda: os.replace("mine.db", book) or "replaced")
attempt(lambda: shutil.rmtree(CLASS) or "removed")
attempt(lambda: os.mkdir(f"{CLASS}/feedback") or "made")
attempt(lambda: os.symlink("/", f"{CLASS}/link") or "made")
