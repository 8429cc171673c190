"""Web addresses as pages declare them."""

from urllib.parse import parse_qsl, urljoin, urlsplit

from lxml.etree import _Element as Element

CONFLICT = "the page declares several canonical addresses that differ; none was used"
UNUSABLE = "the declared canonical address can't be used"
HOME_PAGE = "the declared canonical address is the home page; it was not used"
_HOME_PATHS = frozenset({"", "/", "/index.html", "/index.htm", "/index.php", "/default.aspx", "/home"})
_TRACKING = frozenset({"fbclid", "gclid", "msclkid", "mc_cid", "mc_eid", "ref", "source"})


def declared_canonical(tree: Element, url: str) -> tuple[str, list[str]]:
    """The address that ``link rel=canonical`` names, made absolute against the page's base or ``url``; and remarks.

    Empty where none is declared, where it has no host or another scheme than http(s), and where several differ.
    """
    base = _base(tree, url)
    declared = [str(link.get("href") or "").strip() for link in tree.iter("link") if _is_canonical(link)]
    found = {resolve(address, base) for address in declared if address}
    usable = found - {""}
    if len(usable) > 1:
        return "", [CONFLICT]
    if not usable:
        return "", [UNUSABLE] if declared else []
    return usable.pop(), []


def resolve(address: str, base: str) -> str:
    """An absolute http(s) address with a host, or the empty text.

    >>> resolve("../ferry.html", "https://news.example.org/2024/print/ferry.html")
    'https://news.example.org/2024/ferry.html'
    >>> resolve("https:///t/1", "https://forum.example.org/t/1")
    ''
    """
    if not _has_host_if_any(address):
        return ""
    try:
        parts = urlsplit(urljoin(base, address))
        if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
            return ""
        parts.port  # noqa: B018 - raises ValueError for a port that is no number
    except ValueError:
        return ""
    return parts._replace(fragment="").geturl()


def host_of(url: str) -> str:
    """The host of an address in lower case, or the empty text.

    >>> host_of("https://News.Example.org:443/a")
    'news.example.org'
    """
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def names_home_page(address: str, url: str) -> bool:
    """Whether an address is the root of a site while the page's own one is not.

    >>> names_home_page("https://shop.example.org/", "https://shop.example.org/p/1")
    True
    """
    try:
        target, own = urlsplit(address), urlsplit(url)
    except ValueError:
        return False
    if target.path not in {"", "/"} or target.query or not own.hostname:
        return False
    return own.path.lower() not in _HOME_PATHS or any(
        not _is_tracking(name) for name, _ in parse_qsl(own.query)
    )


def _is_tracking(name: str) -> bool:
    return name.lower().startswith("utm_") or name.lower() in _TRACKING


def _has_host_if_any(address: str) -> bool:
    scheme, slashes, rest = address.partition("//")
    if not slashes or (scheme and not scheme.endswith(":")):
        return True
    return bool(rest) and rest[0] not in "/?#"


def _is_canonical(link: Element) -> bool:
    return "canonical" in (link.get("rel") or "").lower().split()


def _base(tree: Element, url: str) -> str:
    for element in tree.iter("base"):
        href = (element.get("href") or "").strip()
        if href:
            return str(urljoin(url, href))
    return url
