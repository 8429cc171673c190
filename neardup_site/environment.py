"""Typed readers of environment variables: each setting is read once and refused with a sentence when it is wrong."""

import logging
import os
from importlib.util import find_spec
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off"}


def text(name: str, default: str = "") -> str:
    """The variable as it stands, or the default where it isn't set."""
    return os.environ.get(name, default)


def number(name: str, default: int, *, low: int, high: int) -> int:
    """A whole number between ``low`` and ``high``; raises ``ImproperlyConfigured`` otherwise."""
    raw = os.environ.get(name)
    if raw is None:
        return default
    try:
        value = int(raw)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {raw!r}") from None
    if not low <= value <= high:
        raise ImproperlyConfigured(f"{name} must lie between {low} and {high}, not {value}")
    return value


def switch(name: str, *, default: bool) -> bool:
    """A yes or no; raises ``ImproperlyConfigured`` for any other word."""
    raw = os.environ.get(name)
    if raw is None:
        return default
    if raw.lower() in TRUE_WORDS:
        return True
    if raw.lower() in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} must be yes or no, not {raw!r}")


def level(name: str, default: str) -> str:
    """A level of the log; raises ``ImproperlyConfigured`` for a word that is none."""
    value = os.environ.get(name, default).upper()
    if value not in logging.getLevelNamesMapping():
        raise ImproperlyConfigured(f"{name} must be DEBUG, INFO, WARNING, ERROR or CRITICAL, not {value!r}")
    return value


def words(name: str) -> list[str]:
    """A list, separated by commas; empty where it isn't set."""
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


def postgres(url: str) -> dict[str, object]:
    """Django's settings for ``postgres://user:password@host:port/name``; raises ``ImproperlyConfigured``.

    A host may be the folder of a socket with ``%2F`` for its slashes; what follows a ``?``, such as
    ``sslmode=require``, is handed to PostgreSQL's client.
    """
    parts = urlsplit(url)
    try:
        port = str(parts.port or "")
    except ValueError:
        port = None
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/") or port is None:
        raise ImproperlyConfigured("DATABASE_URL must look like postgres://user:password@host:5432/name")
    if find_spec("psycopg") is None:
        raise ImproperlyConfigured('DATABASE_URL needs psycopg: pip install "psycopg[binary]"')
    folder = unquote(parts.netloc.rpartition("@")[2].partition(":")[0])
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": folder if folder.startswith("/") else parts.hostname or "",
        "PORT": port,
        "OPTIONS": dict(parse_qsl(parts.query)),
        "CONN_HEALTH_CHECKS": True,
        "CONN_MAX_AGE": 600,
    }
