"""Which document stands for a cluster, and why.

Each rule narrows the documents that are still in question; the next rule decides between those that are left;
the smallest id comes last, so the choice never depends on the order in which documents arrive.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from dedup.addresses import names_home_page

RuleName = Literal["canonical", "first_seen", "trust"]
ORDER: tuple[RuleName, ...] = ("canonical", "first_seen", "trust")
SMALLEST_ID = "smallest_id"
ONLY_DOCUMENT = "only_document"


class NoRepresentativeError(ValueError):
    """None of the documents has content, so none can represent the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What the rules look at in one document. ``first_seen`` is an aware time, or None if it isn't known."""

    id: str
    url: str = ""
    canonical_url: str = ""
    first_seen: datetime | None = None
    source: str = ""
    has_content: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """Place of the chosen member, the rule that first told it apart, and the reason for people."""

    index: int
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Narrowing:
    kept: list[int]
    reason: str


def choose(
    members: Sequence[Member], order: Sequence[RuleName] = ORDER, trust: Mapping[str, int] | None = None
) -> Choice:
    """Choose the document that represents the others.

    ``canonical`` prefers the member whose own address is declared canonical by most members, ``first_seen``
    the earliest one, ``trust`` the source with the lowest rank (sources without a rank come last). Whatever
    is still tied goes to the smallest id, compared by code points. A document without content never
    represents; raises
    ``NoRepresentativeError`` if there is no other. Raises ``ValueError`` for an unknown rule.

    >>> choose([Member(id="b"), Member(id="a")])
    Choice(index=1, rule='smallest_id', reason='smallest id of 2')
    """
    unknown = set(order) - set(ORDER)
    if unknown:
        raise ValueError(
            f"unknown rules for representatives: {', '.join(sorted(unknown))}; known: {', '.join(ORDER)}"
        )
    candidates = [index for index, member in enumerate(members) if member.has_content]
    if not candidates:
        raise NoRepresentativeError(f"none of {len(members)} documents has content")
    if len(candidates) == 1:
        reason = (
            "only document" if len(members) == 1 else f"only one of {len(members)} documents with content"
        )
        return Choice(candidates[0], ONLY_DOCUMENT, reason)
    return _decide(members, candidates, order, trust or {})


def _decide(
    members: Sequence[Member], candidates: list[int], order: Sequence[RuleName], trust: Mapping[str, int]
) -> Choice:
    rules: dict[RuleName, Callable[[list[int]], _Narrowing]] = {
        "canonical": lambda kept: _by_canonical(members, kept),
        "first_seen": lambda kept: _by_first_seen(members, kept),
        "trust": lambda kept: _by_trust(members, kept, trust),
    }
    used: list[tuple[str, str]] = []
    for rule in order:
        narrowing = rules[rule](candidates)
        if len(narrowing.kept) < len(candidates):
            candidates = narrowing.kept
            used.append((rule, narrowing.reason))
        if len(candidates) == 1:
            break
    if len(candidates) > 1:
        used.append((SMALLEST_ID, f"smallest id of {len(candidates)}"))
    index = min(candidates, key=lambda candidate: (members[candidate].id, candidate))
    return Choice(index, used[0][0], ", then ".join(reason for _, reason in used))


def _by_canonical(members: Sequence[Member], candidates: list[int]) -> _Narrowing:
    declared = Counter(key for member in members if (key := _declared(member)))
    votes = {index: declared[comparable_url(members[index].url)] for index in candidates}
    most = max(votes.values())
    if most == 0:
        return _Narrowing(candidates, "")
    kept = [index for index in candidates if votes[index] == most]
    own = {comparable_url(member.url) for member in members}
    elsewhere = sum(count for key, count in declared.items() if key not in own)
    reason = f"declared canonical by {most} of {len(members)}"
    if elsewhere:
        reason += f" ({elsewhere} name{'s' * (elsewhere == 1)} a page outside the cluster)"
    return _Narrowing(kept, reason)


def _declared(member: Member) -> str:
    """What a page declares; a page inside a site that names the site's home page says nothing about its own text."""
    if names_home_page(member.canonical_url, member.url):
        return ""
    return comparable_url(member.canonical_url)


def _by_first_seen(members: Sequence[Member], candidates: list[int]) -> _Narrowing:
    seen = {index: at for index in candidates if (at := members[index].first_seen) is not None}
    if not seen:
        return _Narrowing(candidates, "")
    earliest = min(seen.values())
    kept = [index for index, at in seen.items() if at == earliest]
    same_day = sum(at.date() == earliest.date() for at in seen.values()) > len(kept)
    shown = f"{earliest.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if same_day else earliest.date().isoformat()
    return _Narrowing(kept, f"earliest, {shown}")


def _by_trust(members: Sequence[Member], candidates: list[int], trust: Mapping[str, int]) -> _Narrowing:
    ranks = {index: trust[source] for index in candidates if (source := members[index].source) in trust}
    if not ranks:
        return _Narrowing(candidates, "")
    best = min(ranks.values())
    kept = [index for index, rank in ranks.items() if rank == best]
    sources = sorted({members[index].source for index in kept})
    return _Narrowing(kept, f"most trusted source, {' or '.join(sources)}")


def comparable_url(url: str) -> str:
    """Form in which two addresses are compared; empty if it isn't an ``http`` or ``https`` address.

    Only what never changes the page is levelled: case of scheme and host, the scheme's own port, an empty
    path, and the fragment.

    >>> comparable_url("HTTPS://News.Example.org:443/2024/Ferry?id=1#top")
    'https://news.example.org/2024/Ferry?id=1'
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return ""
    host = parts.netloc.lower()
    default_port = ":80" if parts.scheme == "http" else ":443"
    return urlunsplit((parts.scheme, host.removesuffix(default_port), parts.path or "/", parts.query, ""))
