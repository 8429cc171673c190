"""The cast of the web tests: Ana and Ben label, Cleo owns, Dan has no account that works."""

import pytest
from django.core.cache import cache
from django.test import Client

from tests.web import rows


def client_of(person):
    client = Client()
    client.force_login(person)
    return client


@pytest.fixture(autouse=True)
def _quick_passwords(settings):
    """Passwords of tests are worth nothing, so they are hashed quickly."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def ana(db):
    return rows.make_person("Ana")


@pytest.fixture
def ben(db):
    return rows.make_person("Ben")


@pytest.fixture
def cleo(db):
    return rows.make_person("Cleo", is_owner=True)


@pytest.fixture
def as_ana(ana):
    return client_of(ana)


@pytest.fixture
def as_ben(ben):
    return client_of(ben)


@pytest.fixture
def as_cleo(cleo):
    return client_of(cleo)


@pytest.fixture
def as_stranger(db):
    return Client()


@pytest.fixture
def corpus(db):
    return rows.make_planted_corpus()


@pytest.fixture
def study(corpus):
    return rows.make_study(corpus)


@pytest.fixture(autouse=True)
def _nothing_remembered():
    """Figures are remembered by the newest label's number, and numbers begin anew in every test."""
    cache.clear()
