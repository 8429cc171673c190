"""Signing in before anything else, also for requests that can't be answered with another page."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import url_has_allowed_host_and_scheme

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


class SignInFirstMiddleware(LoginRequiredMiddleware):
    """Lead people who have not signed in to the sign-in, and afterwards to a page.

    A request of htmx makes the browser load its page anew, since the sign-in must not be swapped into a part of it. A
    form that was sent leads to the page that it stood on: its own address may only take forms.
    """

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseBase:
        """Answer somebody who has not signed in."""
        if request.headers.get("HX-Request"):
            return HttpResponse(status=401, headers={"HX-Refresh": "true"})
        if request.method in SAFE_METHODS:
            return super().handle_no_permission(request, view_func)
        return redirect_to_login(_page_of_form(request), settings.LOGIN_URL)


def _page_of_form(request: HttpRequest) -> str:
    """The page that a form was sent from, where the browser says so; else the first page."""
    address = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure()):
        return "/"
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
