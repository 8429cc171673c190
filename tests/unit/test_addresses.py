import lxml.html
import pytest

from dedup.addresses import CONFLICT, UNUSABLE, declared_canonical, host_of, names_home_page, resolve

PAGE = "https://news.example.org/2024/print/ferry.html?utm_source=mail"


def declared(*links, url=PAGE, head=""):
    markup = "".join(f'<link rel="{rel}" href="{href}">' for rel, href in links)
    return declared_canonical(
        lxml.html.document_fromstring(f"<html><head>{head}{markup}</head><body>x</body></html>"), url
    )


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("/2024/ferry.html", "https://news.example.org/2024/ferry.html"),
        ("../ferry.html", "https://news.example.org/2024/ferry.html"),
        ("//news.example.org/2024/ferry.html", "https://news.example.org/2024/ferry.html"),
        ("https://other.example.com/ferry#top", "https://other.example.com/ferry"),
        ("  https://news.example.org/a \n", "https://news.example.org/a"),
        ("?id=7", "https://news.example.org/2024/print/ferry.html?id=7"),
    ],
)
def test_an_address_is_made_absolute(href, expected):
    assert declared(("canonical", href)) == (expected, [])


@pytest.mark.parametrize(
    "href",
    [
        "https:///t/1",
        "http://",
        "//",
        "javascript:void(0)",
        "data:text/html,x",
        "mailto:a@b.c",
        "https://a.b:port/",
        "http://[::1/",
    ],
)
def test_an_address_that_leads_nowhere_is_not_used(href):
    assert declared(("canonical", href)) == ("", [UNUSABLE])


def test_a_page_without_the_link_declares_nothing():
    assert declared(("stylesheet", "/a.css"), ("alternate", "/b")) == ("", [])


def test_equal_addresses_are_one_and_different_ones_are_none():
    assert declared(("canonical", "/a"), ("CANONICAL nofollow", "https://news.example.org/a")) == (
        "https://news.example.org/a",
        [],
    )
    assert declared(("canonical", "/a"), ("canonical", "/b")) == ("", [CONFLICT])
    assert declared(("canonical", "/a"), ("canonical", "javascript:x")) == ("https://news.example.org/a", [])


def test_the_base_of_the_page_counts():
    assert (
        declared(("canonical", "a"), head='<base href="https://cdn.example.org/x/">')[0]
        == "https://cdn.example.org/x/a"
    )


def test_a_relative_address_without_a_page_address_is_not_used():
    assert declared(("canonical", "/a"), url="") == ("", [UNUSABLE])


@pytest.mark.parametrize(
    ("address", "url", "expected"),
    [
        ("https://shop.example.org/", "https://shop.example.org/p/1", True),
        ("https://shop.example.org", "https://shop.example.org/?p=12", True),
        ("https://other.example.org/", "https://shop.example.org/p/1", True),
        ("https://shop.example.org/", "https://shop.example.org/?utm_source=x&fbclid=y", False),
        ("https://shop.example.org/", "https://shop.example.org/index.html", False),
        ("https://shop.example.org/?p=12", "https://shop.example.org/p/1", False),
        ("https://shop.example.org/p", "https://shop.example.org/p/1", False),
        ("https://shop.example.org/", "", False),
        ("https://[", "https://shop.example.org/p/1", False),
    ],
)
def test_a_home_page_is_told_from_a_page(address, url, expected):
    assert names_home_page(address, url) is expected


def test_odd_addresses_have_no_host():
    assert host_of("https://[bad") == host_of("") == host_of("/a/b") == ""
    assert resolve("https://a.example.org/x", "") == "https://a.example.org/x"
