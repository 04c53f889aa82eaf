"""The explorer, written to a file and opened in headless Chromium."""

import chromium
import pytest


@pytest.fixture(scope="module")
def browser():
    """One for each file: the explorer draws sixty times a second for as long as it is open."""
    chromium.required()
    driver = chromium.started()
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """The address of the page."""
    from attnsvm.publish.site import explorer

    path = tmp_path_factory.mktemp("site") / "explorer.html"
    path.write_text(explorer.page(), "utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    """The page with its first example, held still; what it complains of fails the test.

    It is loaded again only behind a test that has left it, or opened another page.
    """
    if browser.current_url != address:
        browser.get("about:blank")
        browser.get_log("browser")
        browser.get(address)
    browser.execute_script("document.activeElement.blur(); explorer.open(explorer.PRESETS[0], false); scrollTo(0, 0)")
    yield browser
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
