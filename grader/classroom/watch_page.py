"""One page on a class while it works, for a hall: how many, how far, what most are stuck at. It shows itself anew."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from grader.classroom.feedback import title_of
from grader.classroom.folder import Classroom
from grader.classroom.page import STYLE
from grader.classroom.report import Results, read_results
from grader.classroom.scores import MISSING, people_of
from grader.errors import GraderError
from grader.reading import in_code, link_to_read
from grader.results import QuestionResult
from grader.shown import escape

REFRESH = 3  # seconds
MOST = 5  # mistakes
HERE = "127.0.0.1"
MORE = """
body{max-width:64rem;font-size:20px}td{white-space:nowrap}td.bar{width:45%}td.wide{white-space:normal;text-align:left}
svg{width:100%;height:1.4rem;display:block}.full{fill:var(--good)}.some{fill:var(--link)}.none{fill:var(--bad)}
.empty{fill:var(--line)}.key{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:1rem}.key svg{width:1rem;height:1rem;
display:inline-block;vertical-align:-.15rem;margin-right:.3rem}.figures{display:flex;flex-wrap:wrap;align-items:baseline;gap:.3rem 2.5rem}
.figures b{font-size:2rem}time{font-size:.9rem}
@media(max-width:40rem){.questions :is(tr,td,td.bar){display:block;width:auto;text-align:left}
.questions td:not(:last-child){border:0;padding-bottom:0}}
"""
KINDS = {"full": "만점", "some": "일부", "none": "0점", "empty": "빈 답"}


def watch_page(
    classroom: Classroom, stem: str, language: str, tries: Callable[[str], int] | None = None
) -> str:
    """The page's HTML.

    Args:
        tries: of a student. With it the page names everybody; without it nobody, and can be shown to all.
    """
    results = read_results(classroom, stem, language)
    words, verdicts = results.words, [verdict for _, verdict in results.final.values()]
    handed_in = sum(verdict != MISSING for verdict in verdicts)
    figures = [("제출", f"{handed_in} / {len(verdicts)}명"), ("채점", f"{len(results.graded)}명")]
    ungradable = sum(submission.verdict == "ungradable" for submission in results.submissions)
    figures += [("채점 불가", f"{ungradable}명")] if ungradable else []
    title = escape(words(title_of(classroom.exercise(stem))))
    time = f"{datetime.now(classroom.zone):%H:%M:%S}"
    body = [
        f"<h1>{title}</h1>",
        "<p class=figures>"
        + "".join(f"<span>{words(name)} <b>{words(value)}</b></span>" for name, value in figures)
        + f"<time>{words(f'{time} 현재')}</time></p>",
        _questions(results),
        _stuck_at(results),
        _people(results, classroom, tries) if tries else "",
    ]
    return (
        f'<!doctype html><html lang="{words.language}"><meta charset="utf-8">'
        f'<meta http-equiv="refresh" content="{REFRESH}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}{MORE}</style><body><main>{''.join(body)}</main></body></html>\n"
    )


def _questions(results: Results) -> str:
    words, rows = results.words, []
    for question in results.questions:
        found = [_kind(result) for _, result in results.of(question)]
        counts = {kind: found.count(kind) for kind in KINDS}
        said = ", ".join(words(f"{words(name)} {counts[kind]}명") for kind, name in KINDS.items())
        at, bars = 0.0, []
        for kind, count in counts.items():
            wide = 100 * count / max(1, len(found))
            bars.append(f'<rect class={kind} x="{at:.2f}" width="{wide:.2f}" height="10"/>')
            at += wide
        rows.append(
            f"<tr><td><code>{escape(question)}</code></td><td class=bar><svg viewBox='0 0 100 10' "
            f"preserveAspectRatio=none role=img aria-label='{said}'>{''.join(bars)}</svg></td>"
            f"<td>{' · '.join(map(str, counts.values()))}</td></tr>"
        )
    key = "".join(
        f"<span><svg viewBox='0 0 1 1' aria-hidden=true><rect class={kind} width=1 height=1 /></svg>{words(name)}</span>"
        for kind, name in KINDS.items()
    )
    return f"<h2>{words('문제마다')}</h2><div class=key>{key}</div><table class=questions>{''.join(rows)}</table>"


def _kind(result: QuestionResult) -> str:
    if result.unanswered:
        return "empty"
    return "full" if result.earned == result.possible else "some" if result.earned else "none"


def _stuck_at(results: Results) -> str:
    """The named mistakes that most have made."""
    words, rows = results.words, []
    for result, who in results.mistakes[:MOST]:
        link = link_to_read(result.mistake_read, results.book_url, words)
        rows.append(
            f"<tr><td class=wide><b>{in_code(words(result.mistake_reason))}</b><br><code>{escape(result.question)}</code>"
            f" · {link}</td><td>{words(f'{len(who)}명')}</td></tr>"
        )
    return f"<h2>{words('자주 한 실수')}</h2><table>{''.join(rows)}</table>" if rows else ""


def _people(results: Results, classroom: Classroom, tries: Callable[[str], int]) -> str:
    words, rows, people = results.words, [], people_of(classroom)
    for submission in results.graded:
        student = submission.student
        name = f"{student} {people[student].name if student in people else ''}".strip()
        points = words(f"{submission.earned:g} / {submission.possible:g}점")
        rows.append(
            f"<tr><td>{escape(name)}</td><td>{words(f'시도 {tries(student)}')}</td><td>{points}</td></tr>"
        )
    return f"<h2>{words('누가 어디까지')}</h2><table>{''.join(rows)}</table>"


def serve(path: Path, port: int) -> str:
    """Serve this one file to browsers on this machine while the process lives; its address.

    Raises:
        GraderError: somebody else serves there.
    """
    try:
        server = _Server((HERE, port), partial(_Page, path))
    except OSError as error:
        raise GraderError(
            f"Port {port} cannot be used ({error.strerror}). Give another with --serve."
        ) from None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://{HERE}:{server.server_port}/"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Nothing: a browser that goes away in the middle needs no traceback between the lines on the class."""


class _Page(BaseHTTPRequestHandler):
    def __init__(self, path: Path, *about):
        self._path = path
        super().__init__(*about)

    def do_GET(self) -> None:
        host = self.headers.get("Host", "").rpartition(":")[0]
        if self.path != "/" or host not in (HERE, "localhost") or not self._path.exists():
            return self.send_error(404)  # also for a page elsewhere whose name leads here
        content = self._path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass
