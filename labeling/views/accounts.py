"""Signing in, by password or by the link that the terminal printed, and out."""

import hashlib

from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from labeling.http import PageRequest, render_page
from labeling.models import SignInLink

BACKEND = "django.contrib.auth.backends.ModelBackend"
HOME = "labeling:corpora"


def _next_address(request: PageRequest) -> str:
    """Where to go after signing in, if the address stays on this host."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    is_own = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if is_own else ""


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: PageRequest) -> HttpResponse:
    """Ask for name and password; say where the one-time link of the first start is printed."""
    form = AuthenticationForm(request, data=request.POST or None)
    if request.method == "POST" and form.is_valid():
        login(request, form.get_user())
        return redirect(_next_address(request) or HOME)
    status = 422 if request.method == "POST" else 200
    context = {"form": form, "next": _next_address(request)}
    return render_page(request, "labeling/sign_in.html", context, status=status)


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_link(request: PageRequest, secret: str) -> HttpResponse:
    """Show a button first, so that programs that follow links in mails and chats don't use the link up; then sign in."""
    secret_hash = hashlib.sha256(secret.encode()).hexdigest()
    now = timezone.now()
    open_links = SignInLink.objects.filter(
        secret_hash=secret_hash, used_at=None, expires_at__gt=now, user__is_active=True
    )
    link = open_links.select_related("user").first()
    if link is None:
        return render_page(request, "labeling/sign_in_link.html", {"link": None}, status=410)
    if request.method != "POST":
        return render_page(request, "labeling/sign_in_link.html", {"link": link})
    if not open_links.update(used_at=now):
        return render_page(request, "labeling/sign_in_link.html", {"link": None}, status=410)
    login(request, link.user, backend=BACKEND)
    return redirect(HOME)


@login_not_required
@require_POST
def sign_out(request: PageRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    return redirect("labeling:sign_in")
