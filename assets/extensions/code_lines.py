"""Lines of code that break where a person would break them, however narrow the screen.

Each line of highlighted code that the narrowest screen has to wrap becomes an element that knows its indentation, so that
reading.css can wrap it under itself. A line that a usual phone has to wrap is cut into parts, each of which keeps together
as long as it fits (``.code-part``): before a comment, else at the commas of the outermost brackets, else before ``for`` and
other words and signs between terms. A part that is still wide is cut the same way.

Where such a line is far in, a phone halves the indentation of its whole block: what is further in stays further in.
"""

import html
import re

BLOCK = re.compile(
    r'(<div class="(?:code-tall )?highlight-(?:i?python3?|python) notranslate"[^>]*><div class="highlight"><pre)>(<span></span>)?(.*?)(?=</pre>)',
    re.DOTALL,
)
INDENT = re.compile(r"^((?:<span[^>]*>)*)( +)")
TAG = re.compile("<[^>]+>")
TOKEN = re.compile(r'<span class="(\w+)">(.*?)</span>|([^<]+)')
NARROWEST = 36  # characters that fit on a screen of 320 px
NARROW = 44  # characters, indentation too, that fit on a phone
SHORT = 16  # brackets of so many characters are not broken
FAR = 16  # spaces before what is written below an open bracket, up to which a phone leaves room for them
DEEP = 12  # spaces before a wide line, above which its block moves back on a phone
WORDS = {"for", "if", "else", "and", "or"}
SIGNS = {"+", "-", "*", "/", "@", "|", "&", "==", "<", ">", "<=", ">="}
# What is broken at, the best first; of the first three, what stands in the outermost brackets
COMMENT, COMMA, TERM, CALL, ASSIGNED, OPENED, MEMBER = range(7)


def lines_of(code: str) -> str:
    """The lines of highlighted code: Pygments closes its elements at the end of each."""
    lines = code.splitlines(keepends=True)
    shown = [html.unescape(TAG.sub("", line)).rstrip() for line in lines]
    indents = [len(text) - len(text.lstrip()) for text in shown]
    deep = any(len(text) > NARROW and indent > DEEP for text, indent in zip(shown, indents, strict=True))
    whole = ""
    hanging = [indent + 2 for indent in indents] if deep else hangs(shown, indents)
    for line, text, indent, hang in zip(lines, shown, indents, hanging, strict=True):
        wide = len(text) > NARROWEST  # half are not: an element for each would be a tenth of a long page's
        inside = in_parts(line) if wide else line
        if deep:
            inside = INDENT.sub(r'\1<span class="code-inset">\2</span>', inside)
        own = f";--own:{hang - indent}" if hang != indent + 2 else ""
        whole += (
            f'<span class="code-line" style="--indent:{hang - 2}{own}">{inside}</span>' if wide else inside
        )
    return whole


def hangs(lines: list[str], indents: list[int]) -> list[int]:
    """The column at which each line goes on below itself: two further in, or where what its bracket holds stands."""
    found = [indent + 2 for indent in indents]
    for k, (line, column) in enumerate(zip(lines, indents[1:], strict=False)):
        before, bracket = line[: column - 1], line[column - 1 : column]
        outermost = all(before.count(pair[0]) == before.count(pair[1]) for pair in ("()", "[]", "{}"))
        goes_on = line.endswith(",") and len(line) > column
        if indents[k] < column <= FAR and bracket in {"(", "[", "{"} and goes_on and outermost:
            end = next((j for j in range(k + 1, len(lines)) if indents[j] != column), len(lines))
            found[k:end] = [column] * (end - k)
    return found


def text_of(tokens: list[re.Match]) -> str:
    return html.unescape("".join(token[2] or token[3] or "" for token in tokens))


def in_parts(line: str) -> str:
    tokens = list(TOKEN.finditer(line))
    text = text_of(tokens)
    if len(text.rstrip()) <= NARROW or "".join(token[0] for token in tokens) != line:
        return line
    while tokens and not text_of(tokens[:1]).strip():
        tokens.pop(0)
    return line[: tokens[0].start()] + parted(tokens)


def parted(tokens: list[re.Match]) -> str:
    """The tokens, in parts if they are wide; the spaces between parts stand outside of them."""
    cuts = set(places(tokens)) if is_wide(tokens) else ()
    if not cuts:
        return "".join(token[0] for token in tokens)
    parts = [[]]
    for k, token in enumerate(tokens):
        if k in cuts:
            parts.append([])
        parts[-1].append(token)
    return "".join(map(one_part, filter(None, parts)))


def is_wide(tokens: list[re.Match]) -> bool:
    return len(text_of(tokens).strip()) > NARROW / 2


def one_part(tokens: list[re.Match]) -> str:
    seen = [k for k, token in enumerate(tokens) if text_of([token]).strip()]
    if not seen:
        return "".join(token[0] for token in tokens)
    before, part, after = tokens[: seen[0]], tokens[seen[0] : seen[-1] + 1], tokens[seen[-1] + 1 :]
    inner = parted(part)
    hangs = ""  # whether it may have to go on below itself, and breaks anywhere
    if "code-part" in inner:
        hangs = " code-wide"
    elif len(text_of(part)) > NARROW - 8:
        hangs = " code-wide code-whole"
    spaces = ["".join(token[0] for token in some) for some in (before, after)]
    return f'{spaces[0]}<span class="code-part{hangs}">{inner}</span>{spaces[1]}'


def places(tokens: list[re.Match]) -> list[int]:
    """Before which tokens a person would break: the best kind of the outermost level that has any."""
    found: dict[tuple[int, ...], list[int]] = {}
    opened: list[tuple[int, list]] = []  # where each open bracket is, and what may be broken inside
    level = [(0, [])]
    position = quoted = 0
    texts = [(token[1] or "", text_of([token])) for token in tokens]
    for k, (kind, text) in enumerate(texts):
        before = texts[k - 1][1] if k else ""
        if kind.startswith("c"):
            level[-1][1].append((COMMENT, k))
        elif kind == "si":  # what stands inside of a string
            quoted += text.count("{") - text.count("}")
        elif quoted:
            pass
        elif kind == "p":
            for at, character in enumerate(text):
                if character in "([{":
                    level.append((position + at, []))
                elif character in ")]}" and len(level) > 1:
                    start, inside = level.pop()
                    if position + at - start > SHORT:
                        opened.append((len(level), inside))
            if text[-1] in "([{":
                level[-1][1].append((OPENED, k + 1))
            elif text[-1] == ",":
                level[-1][1].append((COMMA, k + 1))
        elif kind == "o" and text == "=" and not before.strip():
            level[-1][1][:] = [(ASSIGNED, k + 1)]  # nothing to its left
        elif text in WORDS or (text in SIGNS and not before.strip()):
            level[-1][1].append((TERM, k))
        elif text == ".":
            level[-1][1].append((CALL if before.endswith((")", "]")) else MEMBER, k))
        position += len(text)
    for depth, inside in [*opened, *((depth, inside) for depth, (_, inside) in enumerate(level))]:
        for kind, k in inside:
            if k < len(tokens) and len("".join(text for _, text in texts[:k])) > 3:  # no break behind nn
                found.setdefault((depth, kind) if kind < CALL else (99, kind, depth), []).append(k)
    return found[min(found)] if found else []


def split_lines(app, pagename, templatename, context, doctree):
    if "body" in context:
        context["body"] = BLOCK.sub(one_block, context["body"])


def one_block(block: re.Match) -> str:
    inside = lines_of(block[3])
    deep = " code-deep" if "code-inset" in inside else ""
    return f'{block[1]} class="code-lines{deep}">{inside}'


def setup(app):
    app.connect("html-page-context", split_lines, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
