from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User

from labeling.services import corpora

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@pytest.fixture
def at():
    return AT


@pytest.fixture
def ana(db):
    return User.objects.create_user("ana")


@pytest.fixture
def ben(db):
    return User.objects.create_user("ben")


@pytest.fixture
def corpus(db):
    return corpora.create_corpus(name="News", owner_id=None, at=AT)
