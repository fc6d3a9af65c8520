"""The page as an app: a manifest, icons, and a friendly page while the server is down."""

from __future__ import annotations

import json
import urllib.request

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.page import lobby
from support.web_client import serving


def test_the_manifest_names_icons_that_are_there(served):
    with urllib.request.urlopen(served.page + "page/manifest.webmanifest") as answer:
        manifest = json.load(answer)
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        with urllib.request.urlopen(served.page.rstrip("/") + icon["src"]) as answer:
            assert answer.headers["Content-Type"].startswith(icon["type"])
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    with urllib.request.urlopen(served.page + "worker.js") as answer:
        assert "javascript" in answer.headers["Content-Type"]


@pytest.mark.slow
def test_a_friendly_page_while_the_server_is_down(browser):
    with serving() as other:
        lobby(browser, other.page, other.key)
        browser.wait("navigator.serviceWorker.ready.then(() => true)")
        browser.goto(other.page)  # a page that was loading while the worker began is controlled from its next visit on
        browser.wait("!!navigator.serviceWorker.controller")
        assert browser.command("Page.getAppManifest")["errors"] == []
        page = f"{other.page}#{other.key}/~history"
    browser.goto(page)
    browser.wait("document.querySelector('h1')?.textContent === 'Hearts is resting'")
    assert "heartlab play" in browser.evaluate("document.body.textContent")
    browser.picture("offline")
    # Once the server answers, the address that was wanted is loaded again, whatever stands behind its #.
    browser.evaluate("window.before = true; window.fetch = async () => new Response()")
    browser.wait("window.before === undefined", 60)
    assert browser.evaluate("location.href") == page
    browser.goto("about:blank")
    browser.requests.clear()
    browser.problems.clear()
