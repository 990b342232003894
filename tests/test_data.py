"""The embedded sentences and model are what they claim to be, and NSMC arrives whole or not at all."""

import gzip
import hashlib
import subprocess
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from course_data import (
    TINY_BERT,
    TINY_GPT,
    CourseDataError,
    bert_name,
    gpt_name,
    load_sentences,
    nsmc,
    sentence_rows,
)

SHARED_NSMC = Path(__file__).resolve().parents[2] / "shared" / "data" / "nsmc"
needs_nsmc_copy = pytest.mark.skipif(not SHARED_NSMC.is_dir(), reason="no copy of NSMC beside the checkout")


@pytest.fixture(autouse=True)
def settings(monkeypatch, tmp_path):
    """No setting of this machine's, and a cache of the test's own."""
    for name in ("COURSE_BERT", "COURSE_GPT", "COURSE_SENTIMENT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))


def cached_files(tmp_path) -> list[str]:
    folder = tmp_path / "cache"
    return sorted(file.name for file in folder.iterdir()) if folder.exists() else []


# Public names


def test_import_is_light():
    heavy = "import sys, course_data; print({'torch', 'transformers', 'pooch', 'numpy'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "set()"


def test_bert_is_a_setting_away(monkeypatch):
    assert bert_name() == str(TINY_BERT)
    monkeypatch.setenv("COURSE_BERT", "beomi/kcbert-base")
    assert bert_name() == "beomi/kcbert-base"


def test_gpt_is_a_setting_away(monkeypatch):
    assert gpt_name() == str(TINY_GPT)
    monkeypatch.setenv("COURSE_GPT", "skt/kogpt2-base-v2")
    assert gpt_name() == "skt/kogpt2-base-v2"


def test_unknown_split_and_source_are_refused(monkeypatch):
    with pytest.raises(CourseDataError, match="choose train or test"):
        load_sentences("dev")
    with pytest.raises(CourseDataError, match="choose train or test"):
        nsmc.load("dev")
    monkeypatch.setenv("COURSE_SENTIMENT", "imdb")
    with pytest.raises(CourseDataError, match="'imdb'.*set it to nsmc"):
        load_sentences("train")


# Our sentences


KINDS = {"plain", "negation", "contrast", "irony"}


def bare(sentence: str) -> str:
    return "".join(filter(str.isalnum, sentence))


@pytest.mark.parametrize(("split", "size"), [("train", 320), ("test", 504)])
def test_sentences_are_balanced_and_clean(split, size):
    sentences, labels = load_sentences(split)
    assert len(sentences) == size and labels.count(1) == labels.count(0) == size // 2
    rows = sentence_rows(split)
    assert [(row["sentence"], int(row["label"])) for row in rows] == list(zip(sentences, labels, strict=True))
    assert all(s == s.strip() and "\t" not in s for s in sentences)


def test_training_sentences_are_mixed():
    rows = sentence_rows("train")
    kinds = Counter(row["kind"] for row in rows)
    assert set(kinds) == KINDS and min(kinds.values()) >= 32
    for kind in kinds:  # a kind does not give the label away
        positive = sum(row["label"] == "1" for row in rows if row["kind"] == kind)
        assert abs(positive / kinds[kind] - 0.5) < 0.05


def test_every_kind_and_domain_of_the_test_is_balanced():
    cells = Counter((row["domain"], row["kind"], row["label"]) for row in sentence_rows("test"))
    domains, kinds = ("film", "review", "life"), KINDS | {"faint", "comparison"}
    assert cells == {
        (domain, kind, label): 24 if kind == "plain" else 12
        for domain in domains
        for kind in kinds
        for label in "01"
    }


def test_no_sentence_stands_twice():
    everything = [bare(s) for split in ("train", "test") for s in load_sentences(split)[0]]
    assert len(set(everything)) == 824


def test_test_sentences_resemble_no_training_sentence():
    def pairs(sentence):
        return {sentence[i : i + 2] for i in range(len(sentence) - 1)}

    train = [pairs(bare(s)) for s in load_sentences("train")[0]]
    for sentence in load_sentences("test")[0]:
        mine = pairs(bare(sentence))
        assert max(len(mine & other) / len(mine | other) for other in train) < 0.5, sentence


# NSMC


MADE = 'id\tdocument\tlabel\n1\t"좋아요" 라고 말했다\t1\n2\t\t0\n3\t별로\t0\n'.encode()


@pytest.fixture
def server():
    """A local HTTP server: answers every path as `server.answer(handler)` says."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.requests += 1
            self.server.answer(self)

        def log_message(self, *args): ...

    def send(body: bytes, length: int | None = None):
        def answer(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", str(length or len(body)))
            handler.end_headers()
            handler.wfile.write(body)

        return answer

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.requests, http.send, http.answer = 0, send, send(MADE)
        http.url = f"http://127.0.0.1:{http.server_port}/"
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield http
        http.shutdown()


def fetch_made(server):
    return nsmc.fetch("ratings_made.txt", hashlib.sha256(MADE).hexdigest(), server.url)


def test_download_is_verified_read_and_kept(server, tmp_path):
    path = fetch_made(server)
    assert nsmc.read(path) == (['"좋아요" 라고 말했다', "별로"], [1, 0])
    assert fetch_made(server) == path and server.requests == 1
    assert cached_files(tmp_path) == ["ratings_made.txt"]


def test_wrong_content_is_refused(server, tmp_path):
    server.answer = server.send(MADE + b"4\tx\t1\n")
    with pytest.raises(CourseDataError, match="not the published ratings_made.txt.*SHA-256.*COURSE_CACHE"):
        fetch_made(server)
    assert cached_files(tmp_path) == []


def test_broken_off_download_is_refused(server, tmp_path):
    server.answer = server.send(MADE[:20], length=len(MADE))
    with pytest.raises(CourseDataError, match="broke off.*try again"):
        fetch_made(server)
    assert cached_files(tmp_path) == []


def test_missing_file_and_missing_network_are_told_apart(server, tmp_path):
    server.answer = lambda handler: handler.send_error(404)
    with pytest.raises(CourseDataError, match="server answered 404"):
        fetch_made(server)
    server.shutdown()
    server.server_close()
    with pytest.raises(CourseDataError, match="no connection.*try again"):
        fetch_made(server)
    assert cached_files(tmp_path) == []


def test_truncated_file_in_the_cache_is_fetched_again(server, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "ratings_made.txt").write_bytes(MADE[:30])
    assert fetch_made(server).read_bytes() == MADE
    (tmp_path / "cache" / "ratings_made.txt").write_bytes(MADE[:30])
    server.answer = lambda handler: handler.send_error(503)
    with pytest.raises(CourseDataError, match="503"):
        fetch_made(server)
    assert cached_files(tmp_path) == []


def test_unusable_cache_is_named(server, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(CourseDataError, match="cannot be used.*COURSE_CACHE"):
        fetch_made(server)


@needs_nsmc_copy
def test_the_real_corpus_through_the_same_function(server, tmp_path, monkeypatch):
    def answer(handler):
        server.send(gzip.decompress((SHARED_NSMC / (handler.path[1:] + ".gz")).read_bytes()))(handler)

    server.answer = answer
    monkeypatch.setattr(nsmc.fetch, "__defaults__", (server.url,))
    monkeypatch.setenv("COURSE_SENTIMENT", "nsmc")
    documents = set()
    for split, size, positive in (("train", 149_995, 74_825), ("test", 49_997, 25_171)):
        sentences, labels = load_sentences(split)
        assert (len(sentences), sum(labels)) == (size, positive)
        documents.update(map(bare, sentences))
    monkeypatch.delenv("COURSE_SENTIMENT")
    ours = {bare(s) for split in ("train", "test") for s in load_sentences(split)[0]}
    assert not ours & documents  # every sentence is our own
    assert cached_files(tmp_path) == ["ratings_test.txt", "ratings_train.txt"]
