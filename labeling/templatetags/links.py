"""Addresses: which may become links, and how a table's links keep its filters."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django import template

if TYPE_CHECKING:
    from django.http import QueryDict

register = template.Library()
LINKED_SCHEMES = {"http", "https"}


@register.filter
def is_web_address(value: str) -> bool:
    """Whether an address may become a link: http and https with a host, nothing else.

    >>> is_web_address("https://example.org/a"), is_web_address("JaVaScRiPt:alert(1)//https://example.org")
    (True, False)
    """
    try:
        parts = urlsplit(value.strip())
    except ValueError:
        return False
    return parts.scheme.lower() in LINKED_SCHEMES and bool(parts.netloc)


@register.filter
def host(value: str) -> str:
    """The host of a web address; empty for anything else.

    >>> host("https://Example.org:8080/a"), host("javascript:1")
    ('example.org:8080', '')
    """
    return urlsplit(value.strip()).netloc.rpartition("@")[2].lower() if is_web_address(value) else ""


@register.simple_tag(takes_context=True)
def query(context: dict[str, Any], **changes: object) -> str:
    """The page's query with some values changed; an empty value leaves its name out."""
    values: QueryDict = context["request"].GET.copy()
    for name, value in changes.items():
        values.pop(name, None)
        if value not in {None, ""}:
            values[name] = str(value)
    return f"?{values.urlencode()}"
