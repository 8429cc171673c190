"""The first administrator, and links that sign one person in, once."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User

from labeling.models import SignInLink

FIRST_NAME = "admin"
LINK_LIVES = timedelta(hours=24)


def first_administrator() -> User:
    """The administrator that the first start makes; without a password until somebody sets one."""
    model = get_user_model()
    person, is_new = model.objects.get_or_create(
        username=FIRST_NAME, defaults={"is_staff": True, "is_superuser": True}
    )
    if is_new:
        person.set_unusable_password()
        person.save(update_fields=["password"])
    return person


def has_anybody_signed_in() -> bool:
    """Whether any person has ever signed in."""
    return get_user_model().objects.exclude(last_login=None).exists()


def make_sign_in_link(*, user: User, at: datetime) -> str:
    """A fresh secret that signs the person in once, within 24 hours; only its hash is stored."""
    SignInLink.objects.filter(user=user, used_at=None, expires_at__lte=at).delete()
    secret = secrets.token_urlsafe(32)
    SignInLink.objects.create(
        user=user, secret_hash=hashlib.sha256(secret.encode()).hexdigest(), expires_at=at + LINK_LIVES
    )
    return secret
