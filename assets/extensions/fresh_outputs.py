"""Executes a page again when a module of ours that it imports has changed.

The execution cache knows a page by its code cells and its kernel's name alone. The outputs also depend on what the
cells import from the project, so a digest of those files goes into the kernel's display name, which nobody sees, and
Sphinx is told to read the page again when they change. Of a module its code counts: comments, docstrings and line
breaks compute nothing. Neither does what a cell says about its figure: captions are left out of the key, so that the
editions of the book share their outputs.
"""

import hashlib
import os
import re
from functools import cache, partialmethod
from pathlib import Path

from course_data.digest import code
from jupyter_cache.cache.main import JupyterCacheBase

IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+(?P<module>\w[\w.]*)", re.MULTILINE)
KERNEL = re.compile(r"\A(?P<head>---\n.*?^[ \t]+display_name:[^\n]*)", re.MULTILINE | re.DOTALL)
ROOMS = {"solutions": "solutions", "course_data": "data"}
WEIGHTS = {"shipped": "assets/models/number_translator/model.safetensors"}  # what a helper reads


def imported_files(source: str, root: Path) -> set[Path]:
    """Every file of the project that the code in a text imports, directly or through another such file."""
    found: set[Path] = set()
    texts = [source]
    while texts:
        for module in IMPORT.findall(texts.pop()):
            for path in module_files(module, root) - found:
                found.add(path)
                if path.suffix == ".py":
                    texts.append(path.read_text(encoding="utf-8"))
    return found


def module_files(module: str, root: Path) -> set[Path]:
    """The files behind a module's name: one of solutions/, a whole package with its data, or a chapter's helper."""
    package, _, name = module.partition(".")
    if package not in ROOMS:
        files = [root / "chapters" / f"{module}.py", *(root / file for file in [WEIGHTS.get(module)] if file)]
        return {file for file in files if file.is_file()}
    room = root / ROOMS[package]
    if package == "solutions" and (room / f"{name}.py").is_file():
        return {room / f"{name}.py"}
    if name and (room / name.partition(".")[0] / "__init__.py").is_file():
        room /= name.partition(".")[0]
    inner = {package.parent for package in room.glob("*/__init__.py")}  # imported under their own names
    return {
        path
        for path in room.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not inner & set(path.parents)
    }


def digest(paths: set[Path], root: Path) -> str:
    """SHA-256 over names and contents."""
    sha = hashlib.sha256()
    for path in sorted(paths):
        sha.update(
            f"{path.relative_to(root).as_posix()} {file_digest(path, path.stat().st_mtime_ns)}\n".encode()
        )
    return sha.hexdigest()


@cache
def file_digest(path: Path, _changed: int) -> str:
    """SHA-256 of a file as far as it computes, once: many pages import the same files of several megabytes."""
    content = code(path.read_text(encoding="utf-8")) if path.suffix == ".py" else path.read_bytes()
    return hashlib.sha256(content).hexdigest()


def marked(source: str, root: Path) -> tuple[str, set[Path]]:
    """A page's text with the digest of the files that its cells import, and those files."""
    paths = imported_files(source, root) if KERNEL.match(source) else set()
    if paths:
        source = KERNEL.sub(rf"\g<head> {digest(paths, root)[:12]}", source, count=1)
    return source, paths


def mark_page(app, docname, source):
    source[0], paths = marked(source[0], Path(app.srcdir))
    for path in paths:
        app.env.note_dependency(str(path))


def leave_captions_out() -> None:
    """The cache's key without the cells' metadata, and found outputs with the page's own."""
    cache = JupyterCacheBase
    cache.create_hashed_notebook = partialmethod(cache.create_hashed_notebook, cell_metadata=())
    cache.merge_match_into_notebook = partialmethod(cache.merge_match_into_notebook, cell_meta=())


def setup(app):
    leave_captions_out()
    os.environ["COURSE_BOOK"] = "1"  # the site has the figures' scripts; outputs need not carry them
    app.connect("source-read", mark_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
