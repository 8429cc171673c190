"""What pages share on their way in and out: who asks, page or partial, how many rows a page shows."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django_htmx.middleware import HtmxDetails

Row = TypeVar("Row", bound=Model)
Arguments = ParamSpec("Arguments")
VARYING_HEADERS = ("HX-Request", "HX-History-Restore-Request", "Cookie")
PAGE_ROWS = 50
MOST_DIGITS = 18
OWNERS_ONLY = "Only owners may do this. Ask the person who runs this installation for the owner role (staff)."


class PageRequest(HttpRequest):
    """A request of somebody who has signed in."""

    htmx: "HtmxDetails"
    user: "User"


View = Callable[Concatenate[PageRequest, Arguments], HttpResponse]


def wants_partial(request: PageRequest) -> bool:
    """Whether htmx will swap the answer into a page; a page restored from the browser's history must be whole."""
    return bool(request.htmx) and not request.htmx.history_restore_request


def render_page(
    request: PageRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    partial: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page, or only its swappable part where htmx asks for it.

    Both say in ``Vary`` that they differ by htmx's headers, and are checked with the server before a cache shows them again;
    a partial is never stored, so that going back can't show it in place of a page.
    """
    is_partial = partial is not None and wants_partial(request)
    response = render(request, partial if partial and is_partial else template, dict(context), status=status)
    patch_vary_headers(response, VARYING_HEADERS)
    patch_cache_control(response, private=True, no_cache=True, **({"no_store": True} if is_partial else {}))
    return response


def owner_required(view: View[Arguments]) -> View[Arguments]:
    """Refuse, with a sentence, everyone who isn't an owner (Django's ``is_staff``)."""

    @wraps(view)
    def guarded(request: PageRequest, *args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
        if not request.user.is_staff:
            raise PermissionDenied(OWNERS_ONLY)
        return view(request, *args, **kwargs)

    return cast("View[Arguments]", guarded)


def row_number(value: str) -> int:
    """The primary key that a value from outside names; 0, which no row has, for whatever is none."""
    return int(value) if value.isdecimal() and len(value) <= MOST_DIGITS else 0


def page_of(request: HttpRequest, rows: QuerySet[Row], *, per_page: int = PAGE_ROWS) -> Page[Row]:
    """The page that ``?page=`` names; the first for nonsense, the last for a number beyond it."""
    return Paginator(rows, per_page).get_page(request.GET.get("page"))
