"""The whole way in a process and an installation of its own: from documents and answers to files and lists.

``python -m tests.db.whole_way FOLDER`` reads ``docs.jsonl`` and ``answers.jsonl`` there and writes what came of them,
and a backup; with ``FOLDER BACKUP`` it brings a backup back, and writes what can be read from it.
"""

import os
import re
import sys
from pathlib import Path
from urllib.parse import quote

FILES = {
    "assignments": ("csv", "csv-spreadsheet", "jsonl", "parquet", "xlsx"),
    "links": ("csv",),
    "labels": ("jsonl",),
    "report": ("html",),
}
SEARCHES = ("A", "é", "É", "ß", "SS", "a-b", "%", "_", "\\")
LISTS = {
    "documents": "/corpora/{corpus}/documents/",
    **{
        f"search-{place}": f"/corpora/{{corpus}}/documents/?q={quote(word)}"
        for place, word in enumerate(SEARCHES)
    },
    "pairs": "/studies/{study}/pairs/",
    "duplicates": "/studies/{study}/pairs/?verdict=duplicate",
    "clusters": "/decisions/{decision}/clusters/?order=loosest",
    "decision": "/decisions/{decision}/",
    "job": "/jobs/1/",
}
VOLATILE = re.compile(
    r'name="csrfmiddlewaretoken" value="[^"]*"|\d+ [a-z]+ ago|<time[^>]*>.*?</time>|\d+(\.\d+)? (s|ms)\b'
)


def main(folder, backup=None):
    import django
    from django.core.management import call_command

    django.setup()
    if backup is None:
        go(folder)
    else:
        call_command("restore", backup, stdout=sys.stderr)
    write_files(folder)
    write_lists(folder)


def go(folder):
    from django.core.management import call_command

    from labeling.models import Decision

    trust = ("--source-trust", "ä=1,a=2")
    call_command("ingest", folder / "docs.jsonl", "--corpus", "News", *trust, stdout=sys.stderr)
    call_command(
        "study", "News", "--name", "whole", "--k", "2", "--k", "3", "--simhash", "tf", stdout=sys.stderr
    )
    call_command("labels", "import", "whole", folder / "answers.jsonl", stdout=sys.stderr)
    call_command("decide", "whole", "--k", "3", "--threshold", "0.5", stdout=sys.stderr)
    Decision.objects.update(at="2026-03-02T09:30:00Z")
    call_command("backup", folder / "state.zip", stdout=sys.stderr)


def write_files(folder):
    from django.core.management import call_command

    for what, formats in FILES.items():
        for format_ in formats:
            target = folder / f"{what}.{format_}"
            call_command(
                "export", "1", "--what", what, "--format", format_, "--out", target, stdout=sys.stderr
            )
    for command in (("documents", "News"), ("pairs", "whole"), ("queue", "whole", "--all")):
        with (folder / f"{command[0]}.lines").open("w") as file:
            call_command(*command, stdout=file)


def write_lists(folder):
    """Pages with lists, without what is new each time."""
    from django.contrib.auth.models import User
    from django.test import Client

    from labeling.models import Corpus, Decision, Study

    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.create_superuser("an owner"))
    ids = {
        "corpus": Corpus.objects.get().pk,
        "study": Study.objects.get().pk,
        "decision": Decision.objects.get().pk,
    }
    for name, address in LISTS.items():
        page = client.get(address.format(**ids))
        assert page.status_code == 200, (name, page.status_code)
        (folder / f"{name}.page").write_text(VOLATILE.sub("", page.text))


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "neardup_site.settings"
    main(*map(Path, sys.argv[1:]))
