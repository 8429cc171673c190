"""The people of a corpus: their roles, invitations, and joining by a link."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.forms.people import InvitationForm, JoinForm, RoleForm
from labeling.http import PageRequest, fetched, render_page
from labeling.models import Corpus, Invitation, Membership, Role
from labeling.services import memberships
from labeling.services.access import Right
from labeling.views.accounts import BACKEND


def _context(corpus: Corpus, form: InvitationForm) -> dict[str, Any]:
    now = timezone.now()
    members = corpus.memberships.select_related("person", "added_by").order_by("person__username", "id")
    administrators = User.objects.filter(is_active=True, is_staff=True)
    return {
        "corpus": corpus,
        "form": form,
        "members": members,
        "administrators": administrators.exclude(memberships__corpus=corpus).order_by("username"),
        "invitations": corpus.invitations.filter(
            used_at=None, withdrawn_at=None, expires_at__gt=now
        ).select_related("invited_by"),
        "roles": Role.choices,
    }


@require_safe
def people(request: PageRequest, corpus_id: int) -> HttpResponse:
    """Who has which role in the corpus; owners invite, change and remove here."""
    corpus = fetched(request, Corpus.objects.all(), pk=corpus_id)
    return render_page(request, "labeling/people.html", _context(corpus, InvitationForm()))


@require_POST
def invite(request: PageRequest, corpus_id: int) -> HttpResponse:
    """Make an invitation and show its link, once."""
    corpus = fetched(request, Corpus.objects.all(), Right.OWN, pk=corpus_id)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return render_page(request, "labeling/people.html", _context(corpus, form), status=422)
    values = form.cleaned_data
    invitation, secret = memberships.invite(
        corpus=corpus,
        role=Role(values["role"]),
        days=values["days"],
        by=request.user,
        at=timezone.now(),
        for_whom=values["for_whom"],
    )
    link = request.build_absolute_uri(reverse("labeling:join", args=[secret]))
    context = _context(corpus, InvitationForm()) | {"invitation": invitation, "link": link}
    response = render_page(request, "labeling/people.html", context)
    response["Cache-Control"] = "no-store, private"
    return response


@require_POST
def invitation_withdraw(request: PageRequest, invitation_id: int) -> HttpResponse:
    """Make an invitation's link worthless."""
    rows = Invitation.objects.select_related("corpus")
    invitation = fetched(request, rows, Right.OWN, pk=invitation_id)
    memberships.withdraw(invitation=invitation, by=request.user, at=timezone.now())
    messages.success(request, "The invitation is withdrawn; its link doesn't work any more.", "good")
    return redirect("labeling:people", invitation.corpus_id)


@require_POST
def role_change(request: PageRequest, membership_id: int) -> HttpResponse:
    """Give a person of the corpus another role."""
    member = fetched(
        request, Membership.objects.select_related("corpus", "person"), Right.OWN, pk=membership_id
    )
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose one of the roles; nothing was changed.", "bad")
        return redirect("labeling:people", member.corpus_id)
    try:
        changed = memberships.set_role(
            corpus=member.corpus,
            person=member.person,
            role=Role(form.cleaned_data["role"]),
            by=request.user,
            at=timezone.now(),
        )
    except memberships.MembershipError as error:
        messages.error(request, str(error), "bad")
    else:
        sentence = f"{member.person} is {changed.get_role_display().lower()} of “{member.corpus}” now."
        messages.success(request, sentence, "good")
    return redirect("labeling:people", member.corpus_id)


@require_POST
def member_remove(request: PageRequest, membership_id: int) -> HttpResponse:
    """Take a person's role away; their answers stay."""
    member = fetched(
        request, Membership.objects.select_related("corpus", "person"), Right.OWN, pk=membership_id
    )
    try:
        memberships.remove(corpus=member.corpus, person=member.person, by=request.user, at=timezone.now())
    except memberships.MembershipError as error:
        messages.error(request, str(error), "bad")
    else:
        messages.success(
            request, f"{member.person} has no role in “{member.corpus}” any more; the answers stay.", "good"
        )
    return redirect("labeling:people", member.corpus_id)


def _joined(request: PageRequest, invitation: Invitation, person: User) -> HttpResponse:
    role = invitation.get_role_display().lower()
    messages.success(request, f"Welcome, {person}: you are {role} of “{invitation.corpus}”.", "good")
    return redirect("labeling:corpus", invitation.corpus_id)


def _accept(request: PageRequest, invitation: Invitation) -> HttpResponse:
    """Accept as the person who is signed in."""
    try:
        memberships.accept(invitation=invitation, person=request.user, at=timezone.now())
    except memberships.MembershipError as error:
        messages.error(request, str(error), "bad")
        return redirect("labeling:corpora")
    return _joined(request, invitation, request.user)


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: PageRequest, secret: str) -> HttpResponse:
    """Say what the link invites to; accept it with the account that is signed in, or with a new one."""
    invitation = memberships.open_invitation(secret, timezone.now())
    if invitation is None:
        return render_page(request, "labeling/join.html", {"invitation": None}, status=410)
    if request.user.is_authenticated and request.method == "POST":
        return _accept(request, invitation)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            person = memberships.join(
                invitation=invitation,
                name=values["username"],
                password=values["password"],
                at=timezone.now(),
            )
        except memberships.MembershipError as error:
            form.add_error("username", str(error))
        else:
            login(request, person, backend=BACKEND)
            return _joined(request, invitation, person)
    context = {"invitation": invitation, "form": form, "here": request.path}
    status = 422 if request.method == "POST" else 200
    return render_page(request, "labeling/join.html", context, status=status)
