"""The Naver sentiment movie corpus (NSMC): 200,000 short film reviews, half of them positive.

Source: https://github.com/e9t/nsmc (CC0). Files are fetched once, checked by SHA-256 and kept in the cache.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

from course_data.errors import CourseDataError

URL = "https://raw.githubusercontent.com/e9t/nsmc/master/"
FILES = {
    "train": ("ratings_train.txt", "e03b7d14e9e41be8d464a28057cd25d7396c53e67aa7fd5f7e552c59b0ee2940"),
    "test": ("ratings_test.txt", "8ac9f64052f11dbf6ae0acb5e038f03d90a76f0eda7820cfb3a92d02edfcebda"),
}
TIMEOUT_SECONDS = 30


def load(split: str) -> tuple[list[str], list[int]]:
    """The documents of a split and their labels (1 = positive), without the corpus' eight empty documents.

    149,995 documents in "train", 49,997 in "test". Raises CourseDataError when they cannot be had.
    """
    if split not in FILES:
        raise CourseDataError(f"There is no split {split!r}: choose train or test.")
    return read(fetch(*FILES[split]))


def cache_folder() -> Path:
    """The folder of downloads: `COURSE_CACHE`, or pooch's usual folder for this user."""
    import pooch

    return Path(os.environ.get("COURSE_CACHE") or pooch.os_cache("attentively"))


def fetch(name: str, sha256: str, base_url: str = URL) -> Path:
    """The path of the verified file in the cache, downloading it if it is not there yet.

    A file that does not match is removed, and a download that fails leaves nothing behind.
    """
    import pooch
    import requests

    folder = cache_folder()
    advice = f"try again, or put {name} into {folder} yourself (COURSE_CACHE names another folder)."
    pooch.get_logger().setLevel("WARNING")
    try:
        file = folder / name
        if file.exists() and pooch.file_hash(file) != sha256:
            file.unlink()  # an earlier copy that was cut short
        downloader = pooch.HTTPDownloader(timeout=TIMEOUT_SECONDS)
        pooch.retrieve(base_url + name, f"sha256:{sha256}", name, folder, downloader=downloader)
        return file
    except ValueError as error:  # what pooch raises where the hash differs
        message = f"What {base_url} sent is not the published {name} (its SHA-256 differs); {advice}"
        raise CourseDataError(message) from error
    except requests.RequestException as error:
        message = f"{name} could not be downloaded from {base_url} ({reason(error)}); {advice}"
        raise CourseDataError(message) from error
    except OSError as error:
        message = (
            f"The cache {folder} cannot be used ({error}); set COURSE_CACHE to a folder that can be written."
        )
        raise CourseDataError(message) from error


def reason(error: Exception) -> str:
    """A few words for what went wrong on the network."""
    import requests

    if isinstance(error, requests.HTTPError):
        return f"the server answered {error.response.status_code}"
    if isinstance(error, requests.Timeout):
        return "the server did not answer in time"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection broke off"
    return "no connection"


def read(path: Path) -> tuple[list[str], list[int]]:
    """Documents and labels of a file with the columns `id document label`, tab-separated; quotes are text."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["document"].strip()
        ]
    return [row["document"] for row in rows], [int(row["label"]) for row in rows]
