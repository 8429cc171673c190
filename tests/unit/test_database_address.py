"""What ``DATABASE_URL`` may say, and what is refused before anything is connected."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from neardup_site import environment

pytest.importorskip("psycopg", reason="PostgreSQL's client isn't installed")


def test_an_address_is_taken_apart():
    found = environment.postgres("postgres://ana:p%40ss@db.example.org:5433/near%2Fdup?sslmode=require")

    assert (found["USER"], found["PASSWORD"], found["HOST"]) == ("ana", "p@ss", "db.example.org")
    assert (found["PORT"], found["NAME"], found["OPTIONS"]) == ("5433", "near/dup", {"sslmode": "require"})


def test_the_folder_of_a_socket_keeps_its_capital_letters():
    found = environment.postgres("postgresql://ana@%2FRun%2FPostgreSQL/neardup")

    assert (found["HOST"], found["PORT"]) == ("/Run/PostgreSQL", "")


@pytest.mark.parametrize(
    "address", ["mysql://ana@host/neardup", "postgres://host", "postgres://host:port/name", "neardup"]
)
def test_an_address_that_makes_no_sense_is_refused_without_showing_the_password(address):
    with pytest.raises(ImproperlyConfigured, match="must look like postgres://user:password@host"):
        environment.postgres(address)


def test_a_missing_client_is_named_with_what_installs_it(monkeypatch):
    monkeypatch.setattr(environment, "find_spec", lambda name: None)

    with pytest.raises(ImproperlyConfigured, match="pip install"):
        environment.postgres("postgres://host/name")
