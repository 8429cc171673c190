"""Roles in a corpus: given by an invitation or by name, changed, taken away; each change is in the audit log."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from labeling.models import Corpus, Invitation, Membership, Role
from labeling.services import audit

STRENGTH = {Role.READER: 0, Role.LABELLER: 1, Role.ADJUDICATOR: 2, Role.OWNER: 3}
MOST_DAYS = 90


class MembershipError(ValueError):
    """A role can't be given, changed or taken away; the message is one sentence for people."""


@transaction.atomic
def set_role(*, corpus: Corpus, person: User, role: Role, by: User | None, at: datetime) -> Membership:
    """Give a person a role in the corpus, in place of the one they have.

    Raises ``MembershipError`` for one's own role: an owner who gives up the corpus by mistake couldn't take it back.
    """
    if by is not None and by.pk == person.pk:
        raise MembershipError("Nobody changes their own role; ask another owner to do it.")
    before = Membership.objects.filter(corpus=corpus, person=person).first()
    if before is not None and before.role == role:
        return before
    row, _ = Membership.objects.update_or_create(
        corpus=corpus, person=person, defaults={"role": role, "added_by": by, "added_at": at}
    )
    if role != Role.OWNER:
        _withdraw_those_of(person, corpus, at)
    audit.write(
        action="role given" if before is None else "role changed",
        what=person.get_username(),
        by=by,
        at=at,
        corpus=corpus,
        role=role.value,
        before=None if before is None else before.role,
    )
    return row


@transaction.atomic
def remove(*, corpus: Corpus, person: User, by: User | None, at: datetime) -> None:
    """Take a person's role in the corpus away; their answers stay. Raises ``MembershipError`` for one's own."""
    if by is not None and by.pk == person.pk:
        raise MembershipError("Nobody removes themselves; ask another owner to do it.")
    row = Membership.objects.filter(corpus=corpus, person=person).first()
    if row is None:
        raise MembershipError(f"{person.get_username()} has no role in “{corpus}”.")
    row.delete()
    _withdraw_those_of(person, corpus, at)
    audit.write(
        action="role taken away", what=person.get_username(), by=by, at=at, corpus=corpus, before=row.role
    )


def _withdraw_those_of(person: User, corpus: Corpus, at: datetime) -> None:
    """Nobody comes in by a link of somebody who may not invite any more."""
    corpus.invitations.filter(invited_by=person, used_at=None, withdrawn_at=None).update(withdrawn_at=at)


def secret_hash(secret: str) -> str:
    """What is kept of the secret of a link."""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def invite(
    *, corpus: Corpus, role: Role, days: int, by: User | None, at: datetime, for_whom: str = ""
) -> tuple[Invitation, str]:
    """Make a link's secret that gives whoever opens it first the role, within so many days; only its hash is kept.

    Raises ``MembershipError`` unless ``days`` lies between 1 and 90.
    """
    if not 1 <= days <= MOST_DAYS:
        raise MembershipError(f"An invitation lasts 1 to {MOST_DAYS} days, not {days}.")
    secret = secrets.token_urlsafe(32)
    row = Invitation.objects.create(
        corpus=corpus,
        role=role,
        for_whom=for_whom,
        secret_hash=secret_hash(secret),
        invited_by=by,
        invited_at=at,
        expires_at=at + timedelta(days=days),
    )
    audit.write(
        action="invited",
        what=for_whom or "somebody",
        by=by,
        at=at,
        corpus=corpus,
        role=role.value,
        days=days,
    )
    return row, secret


def open_invitation(secret: str, at: datetime) -> Invitation | None:
    """The invitation of a link that is neither used, withdrawn nor too old."""
    rows = Invitation.objects.filter(used_at=None, withdrawn_at=None, expires_at__gt=at)
    return rows.select_related("corpus").filter(secret_hash=secret_hash(secret)).first()


@transaction.atomic
def withdraw(*, invitation: Invitation, by: User, at: datetime) -> None:
    """Make the link worthless; one that was used or withdrawn already stays as it is."""
    if Invitation.objects.filter(pk=invitation.pk, used_at=None, withdrawn_at=None).update(withdrawn_at=at):
        audit.write(
            action="invitation withdrawn",
            what=invitation.for_whom or "somebody",
            by=by,
            at=at,
            corpus=invitation.corpus,
            role=invitation.role,
        )


@transaction.atomic
def accept(*, invitation: Invitation, person: User, at: datetime) -> Membership:
    """Use the link up and give its role to the person; a stronger role that they have already stays.

    Raises ``MembershipError`` where somebody else was faster.
    """
    unused = Invitation.objects.filter(pk=invitation.pk, used_at=None, withdrawn_at=None, expires_at__gt=at)
    if not unused.update(used_at=at, used_by=person):
        raise MembershipError("This invitation was used or withdrawn a moment ago; ask for a new one.")
    corpus, role = invitation.corpus, Role(invitation.role)
    row = Membership.objects.filter(corpus=corpus, person=person).first()
    if row is not None and STRENGTH[Role(row.role)] >= STRENGTH[role]:
        return row
    before = None if row is None else row.role
    row, _ = Membership.objects.update_or_create(
        corpus=corpus,
        person=person,
        defaults={"role": role, "added_by_id": invitation.invited_by_id, "added_at": at},
    )
    audit.write(
        action="invitation accepted",
        what=person.get_username(),
        by=person,
        at=at,
        corpus=corpus,
        role=role.value,
        before=before,
    )
    return row


@transaction.atomic
def join(*, invitation: Invitation, name: str, password: str, at: datetime) -> User:
    """Make an account for somebody who has none, and accept. Raises ``MembershipError`` where the name is taken."""
    taken = MembershipError(f"The name “{name}” is taken; choose another one.")
    if User.objects.filter(username__iexact=name).exists():
        raise taken
    try:
        with transaction.atomic():
            person = User.objects.create_user(name, password=password)
    except IntegrityError as error:
        raise taken from error
    accept(invitation=invitation, person=person, at=at)
    return person
