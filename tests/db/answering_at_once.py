"""Run in its own process on a database of its own: two people answer the same pair at the same moment, again and again.

Prints the pairs with the number of their labels, and the codes of all answers.
"""

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import django

REPETITIONS = 20


def served(client, study, pair):
    html = client.get(f"/studies/{study.pk}/label/", {"pair": pair.pk}).content.decode()
    return dict(re.findall(r'<input type="hidden" name="(key|study_pair|swapped)" value="([^"]*)">', html))


def main():
    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    from labeling.models import Label
    from tests.web import rows
    from tests.web.conftest import client_of

    study = rows.make_study(rows.make_planted_corpus())
    clients = [client_of(rows.make_person(name)) for name in ("Ana", "Ben")]
    together = Barrier(len(clients))

    def send(place, fields):
        try:
            together.wait(timeout=30)
            response = clients[place].post(
                f"/studies/{study.pk}/label/answer/", {**fields, "verdict": "duplicate"}
            )
            return response.status_code
        finally:
            connection.close()

    codes = []
    pairs = list(study.study_pairs.all())
    with ThreadPoolExecutor(len(clients)) as threads:
        for repetition in range(REPETITIONS):
            forms = [served(client, study, pairs[repetition % len(pairs)]) for client in clients]
            codes += list(threads.map(send, range(len(clients)), forms))
    labels = {pair.pk: Label.objects.filter(pair=pair.pair).count() for pair in pairs}
    json.dump({"codes": codes, "labels": sum(labels.values()), "repetitions": REPETITIONS}, sys.stdout)


if __name__ == "__main__":
    main()
