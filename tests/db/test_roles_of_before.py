"""An installation from before there were roles goes on as it was."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE, AFTER = [("labeling", "0001_initial")], [("labeling", "0003_roles_of_before")]


@pytest.fixture
def _newest_again():
    yield
    call_command("migrate", verbosity=0)


@pytest.mark.usefixtures("_newest_again")
def test_everybody_labels_on_and_whoever_made_a_corpus_owns_it():
    executor = MigrationExecutor(connection)
    executor.migrate(BEFORE)
    old = executor.loader.project_state(BEFORE).apps
    people = {
        name: old.get_model("auth", "User").objects.create(
            username=name, is_staff=is_staff, is_active=is_active
        )
        for name, is_staff, is_active in (
            ("cleo", True, True),
            ("ana", False, True),
            ("import", False, False),
        )
    }
    old.get_model("labeling", "Corpus").objects.create(
        name="News", salt=1, created_by=people["cleo"], created_at=timezone.now()
    )

    executor = MigrationExecutor(connection)
    executor.migrate(AFTER)
    new = executor.loader.project_state(AFTER).apps

    roles = new.get_model("labeling", "Membership").objects.values_list("person__username", "role")
    assert dict(roles) == {"cleo": "owner", "ana": "labeller"}
