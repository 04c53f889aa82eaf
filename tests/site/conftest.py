"""The explorer, written to a file and opened in headless Chromium."""

import os
import shutil

import pytest

EXECUTABLES = ("chromium", "chromedriver")


@pytest.fixture(scope="session")
def browser():
    missing = [name for name in EXECUTABLES if shutil.which(name) is None]
    if missing and not os.environ.get("ATTNSVM_REQUIRE_BROWSER"):
        pytest.skip(f"not installed: {', '.join(missing)}")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_script_timeout(120)
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """The address of the page."""
    from attnsvm.site import explorer

    path = tmp_path_factory.mktemp("site") / "explorer.html"
    explorer.write(path)
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    """The page, opened anew and held still; what it complains of fails the test."""
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(address)
    browser.execute_script("explorer.play(false)")
    yield browser
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
