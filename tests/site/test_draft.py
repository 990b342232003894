"""The draft: the same pages sooner, without outputs, saying so."""

import re

PAGE = "chapters/sample.html"
NOTICE = "지금 만들고 있습니다"


def outputs(folder) -> int:
    return len(re.findall(r'class="[^"]*cell_output', (folder / PAGE).read_text(encoding="utf-8")))


def test_a_draft_has_no_outputs_and_says_so(sample_draft, sample_book):
    assert outputs(sample_draft) == 0 < outputs(sample_book)
    assert NOTICE in (sample_draft / PAGE).read_text(encoding="utf-8")
    assert NOTICE not in (sample_book / PAGE).read_text(encoding="utf-8")
