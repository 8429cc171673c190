"""Chromium, signed in, against the live server; every page must leave the console clean."""

import os
import shutil

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from tests.web import rows

os.environ.setdefault(
    "DJANGO_ALLOW_ASYNC_UNSAFE", "1"
)  # Playwright's synchronous interface runs inside an event loop
CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
EXPECTED = (
    "401",
    "409",
    "422",
    "net::ERR",
    "Response Status Error Code",
    "htmx:sendError",
    "htmx:afterRequest",
)


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("Chromium isn't installed, so nothing can be tried in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(autouse=True)
def _quick_passwords(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _nothing_remembered():
    cache.clear()


class Visitor:
    """A signed-in person with a page of their own, and what the browser complained about."""

    def __init__(self, browser, address, person, **options):
        self.address, self.person = address, person
        self.complaints = []
        self.context = browser.new_context(
            base_url=address, viewport={"width": 1280, "height": 800}, **options
        )
        self.context.set_default_timeout(15_000)
        self.sign_in()
        self.page = self.new_page()

    def sign_in(self):
        client = Client()
        client.force_login(self.person)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": self.address}]
        )

    def new_page(self):
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._listen)
        return page

    def _listen(self, message):
        if message.type in {"error", "warning"} and not any(word in message.text for word in EXPECTED):
            self.complaints.append(message.text)


@pytest.fixture
def visit(browser, live_server):
    visitors = []

    def begin(person, **options):
        visitor = Visitor(browser, live_server.url, person, **options)
        visitors.append(visitor)
        return visitor

    yield begin
    for visitor in visitors:
        visitor.context.close()
    assert [complaint for visitor in visitors for complaint in visitor.complaints] == []


@pytest.fixture
def ana(transactional_db):
    return rows.make_person("Ana")


@pytest.fixture
def cleo(transactional_db):
    return rows.make_person("Cleo", is_owner=True)


@pytest.fixture
def study(transactional_db):
    return rows.make_study(rows.make_planted_corpus())
