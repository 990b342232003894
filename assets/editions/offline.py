"""The book as one zip that opens from disk: python assets/editions/offline.py HTML_FOLDER"""

import re
import sys
import zipfile
from pathlib import Path

from links import NAME, without_links

SERVER_ONLY = {"404.html", "sitemap.xml", "robots.txt", "objects.inv"}
SERVER_ONLY |= {"manifest.webmanifest", "service_worker.js", "keeping.json"}


def write_offline(html: Path, target: Path) -> Path:
    """Pack the site's folder; its links to downloads, which the zip does not hold, are left out."""
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_suffix(".part")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(html.rglob("*")):
            inside = path.relative_to(html)
            if not path.is_file() or inside.parts[0] == "downloads" or inside.name in SERVER_ONLY:
                continue
            if re.search(r"\.html$", path.name):
                archive.writestr(f"{NAME}/{inside}", without_links(path.read_text(encoding="utf-8")))
            else:
                archive.write(path, f"{NAME}/{inside}")
    return beside.replace(target)


if __name__ == "__main__":
    site = Path(sys.argv[1])
    print(write_offline(site, site / "downloads" / f"{NAME}.zip"))
