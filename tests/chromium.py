"""Headless Chromium, as every test of a page has it."""

import os
import shutil

import pytest

EXECUTABLES = ("chromium", "chromedriver")


def required():
    """Skip the test, or the module, where there is no Chromium; ATTNSVM_REQUIRE_BROWSER makes that an error."""
    missing = [name for name in EXECUTABLES if shutil.which(name) is None]
    if missing and not os.environ.get("ATTNSVM_REQUIRE_BROWSER"):
        pytest.skip(f"not installed: {', '.join(missing)}", allow_module_level=True)


def started(width=1400, height=1000):
    """A browser whose `get` ends when the page is there.

    That of Selenium can end on the page before: a script sent then runs in about:blank, which happened in
    about one suite in two.
    """
    from selenium import webdriver
    from selenium.webdriver.support.ui import WebDriverWait

    class Browser(webdriver.Chrome):
        def get(self, url):
            super().get(url)
            script = "return document.readyState === 'complete' && document.URL.split(/[?#]/)[0] === arguments[0]"
            bare = url.partition("#")[0].partition("?")[0]
            WebDriverWait(self, 60).until(lambda driver: driver.execute_script(script, bare))

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which(EXECUTABLES[0])
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Browser(options, webdriver.ChromeService(shutil.which(EXECUTABLES[1])))
    driver.set_script_timeout(120)
    return driver
