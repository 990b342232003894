"""지금 여기: each chapter of Part II finds itself in the small Transformer, and every other part leads somewhere."""

import re

import pytest
from browsing import ROOT
from here import PLACES, marked

DRAWING = (ROOT / "chapters" / "figures" / "transformer_here.svg").read_text("utf-8")
PART_II = ["positional_encoding", "add_norm", "encoder", "decoder", "transformer"]


@pytest.mark.parametrize("stem", PART_II)
def test_a_chapter_of_part_ii_is_marked_and_links_the_others(book, stem):
    page = (book / "chapters" / f"{stem}.html").read_text("utf-8")
    [drawing] = re.findall(r'<nav class="course-here".*?</nav>', page, re.DOTALL)
    assert 'class="part here"' in drawing
    links = set(re.findall(r'href="([^"]*)"', drawing))
    assert len(links) >= len(set(PLACES.values())) - 3 and not any(
        link.startswith(f"{stem}.") for link in links
    )
    for link in links:
        target, _, anchor = link.partition("#")
        assert not anchor or f'id="{anchor}"' in (book / "chapters" / target).read_text("utf-8")


def test_what_has_no_place_is_refused():
    with pytest.raises(ValueError, match="no part of the Transformer is explained in gpt"):
        marked(DRAWING, "gpt", str)
    with pytest.raises(ValueError, match="'attention2' belongs to no chapter"):
        marked(DRAWING.replace('"attention"', '"attention2"'), "encoder", str)
