"""How much there is to read: words and pages of the documentation and of README.md.

Who shortens a page lowers the numbers here to what is measured, until they are the aims.
"""

from __future__ import annotations

import pages
import pytest

AIMS = {"words": 60_000, "pages": 55}
CEILINGS = {"words": 64_794, "pages": 60}


@pytest.fixture(scope="module")
def measured():
    read = [name for name in pages.names() if name != "CONTRIBUTING.md"]
    words = sum(len(pages.text_of(name).split()) for name in read)
    return {"words": words, "pages": len(read)}


@pytest.mark.parametrize("what", CEILINGS)
def test_the_documentation_is_no_longer_than_it_may_be(measured, what):
    said = f"{what}: {measured[what]:,}, aim {AIMS[what]:,}; shorten a page before another grows"
    assert measured[what] <= max(CEILINGS[what], AIMS[what]), said
