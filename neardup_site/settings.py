"""One settings file: safe by default, changed only by the environment variables listed in docs/settings.md."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from neardup_site import environment

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(environment.text("NEARDUP_DATA_DIR") or BASE_DIR / "data").resolve()
ARRAYS_DIR = DATA_DIR / "arrays"
UPLOADS_DIR = DATA_DIR / "uploads"
EXPORTS_DIR = DATA_DIR / "exports"


def _secret_key() -> str:
    """The key from the environment, else one made at the first start and kept in the data folder."""
    given = environment.text("NEARDUP_SECRET_KEY")
    if given:
        return given
    file = DATA_DIR / "secret_key"
    try:
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        if not file.exists() or not file.stat().st_size:
            _write_secret_key(file)
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"The data folder {DATA_DIR} can't be used: {error.strerror}") from error


def _write_secret_key(file: Path) -> None:
    """Write a new key, whole or not at all: an empty one would be found again at every start."""
    unfinished = file.with_name(f".secret_key.{os.getpid()}")
    unfinished.touch(mode=0o600)
    try:
        unfinished.write_text(secrets.token_urlsafe(50), encoding="utf-8")
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


SECRET_KEY = _secret_key()
DEBUG = environment.switch("NEARDUP_DEBUG", default=False)
ALLOWED_HOSTS = environment.words("NEARDUP_ALLOWED_HOSTS") or ["localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = environment.words("NEARDUP_TRUSTED_ORIGINS")
WORKERS = environment.number("NEARDUP_WORKERS", 2, low=1, high=64)
UPLOAD_LIMIT_MB = environment.number("NEARDUP_UPLOAD_LIMIT_MB", 500, low=1, high=100_000)
BEHIND_TLS_PROXY = environment.switch("NEARDUP_BEHIND_TLS_PROXY", default=False)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "labeling",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "labeling.middleware.SignInFirstMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "neardup_site.urls"
WSGI_APPLICATION = "neardup_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASE_URL = environment.text("DATABASE_URL")
DATABASES = {
    "default": environment.postgres(DATABASE_URL)
    if DATABASE_URL
    else {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "neardup.sqlite3",
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000",
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LOGIN_URL = "labeling:sign_in"
LOGIN_REDIRECT_URL = "labeling:corpora"
LOGOUT_REDIRECT_URL = "labeling:sign_in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

SESSION_COOKIE_AGE = 60 * 60 * 24 * 30
SESSION_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if BEHIND_TLS_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    USE_X_FORWARDED_HOST = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 31_536_000

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "font-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": environment.level("NEARDUP_LOG_LEVEL", "WARNING")},
}
