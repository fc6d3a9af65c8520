"""A server, Chromium, and a page in the lobby, for all browser tests."""

from __future__ import annotations

import pytest
from support.browser import PROGRAM, Browser


@pytest.fixture(scope="module")
def served():
    serving = pytest.importorskip("support.web_client", reason="needs the extra web").serving
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    if PROGRAM is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium)")
    one = Browser(tmp_path_factory.mktemp("chromium"))
    yield one
    one.close()


@pytest.fixture
def browser(chromium, served):
    """A page in the lobby, on a desktop, with quick cards; afterwards nothing may have gone wrong on it."""
    chromium.goto("about:blank")
    chromium.problems.clear()
    chromium.requests.clear()
    chromium.size(1280, 800)
    from support.page import lobby

    lobby(chromium, served.page, served.key)
    yield chromium
    assert chromium.problems == []
    assert [url for url in chromium.requests if not url.startswith((served.page, "about:", "data:", "blob:"))] == []
