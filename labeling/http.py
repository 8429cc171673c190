"""What pages share on their way in and out: who asks, page or partial, how many rows a page shows."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers

from labeling.services import access
from labeling.services.access import Right

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django_htmx.middleware import HtmxDetails

Row = TypeVar("Row", bound=Model)
Arguments = ParamSpec("Arguments")
VARYING_HEADERS = ("HX-Request", "HX-History-Restore-Request", "Cookie")
PAGE_ROWS = 50
MOST_DIGITS = 18


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
    a partial is never stored, so that going back can't show it in place of a page. ``may`` tells templates what to offer.
    """
    may = access.permissions(request.user, context.get("corpus"))
    is_partial = partial is not None and wants_partial(request)
    shown = partial if partial and is_partial else template
    response = render(request, shown, {"may": may, **context}, status=status)
    patch_vary_headers(response, VARYING_HEADERS)
    patch_cache_control(response, private=True, no_cache=True, **({"no_store": True} if is_partial else {}))
    return response


def administrator_required(view: View[Arguments]) -> View[Arguments]:
    """Refuse, with a sentence, everyone who doesn't run the installation."""

    @wraps(view)
    def guarded(request: PageRequest, *args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
        if not access.is_administrator(request.user):
            raise PermissionDenied(access.ADMINISTRATORS_ONLY)
        return view(request, *args, **kwargs)

    return cast("View[Arguments]", guarded)


def fetched(request: PageRequest, rows: QuerySet[Row], right: Right = Right.SEE, **lookup: object) -> Row:
    """The row that the person may see and do this with; 404 for one they may not know of, 403 with a sentence otherwise."""
    try:
        return access.fetch(rows, request.user, right, **lookup)
    except ObjectDoesNotExist as error:
        raise Http404 from error


def row_number(value: str) -> int:
    """The primary key that a value from outside names; 0, which no row has, for whatever is none."""
    return int(value) if value.isdecimal() and len(value) <= MOST_DIGITS else 0


def page_of(request: HttpRequest, rows: QuerySet[Row], *, per_page: int = PAGE_ROWS) -> Page[Row]:
    """The page that ``?page=`` names; the first for nonsense, the last for a number beyond it."""
    return Paginator(rows, per_page).get_page(request.GET.get("page"))
