"""How much there is to read: words and pages of the documentation and of README.md.

A page that grows has another shortened, or is merged with what is read beside it.
"""

from __future__ import annotations

import pages
import pytest

CEILINGS = {"words": 60_000, "pages": 55}


@pytest.fixture(scope="module")
def measured():
    read = [name for name in pages.names() if name != "CONTRIBUTING.md"]
    words = sum(len(pages.text_of(name).split()) for name in read)
    return {"words": words, "pages": len(read)}


@pytest.mark.parametrize("what", CEILINGS)
def test_the_documentation_is_no_longer_than_it_may_be(measured, what):
    said = f"{what}: {measured[what]:,}, at most {CEILINGS[what]:,}; shorten a page before another grows"
    assert measured[what] <= CEILINGS[what], said
