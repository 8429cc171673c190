"""Every address of the pages: what it takes to ask for it, and one that exists."""

import json
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.urls import get_resolver, reverse
from django.utils import timezone

from labeling.models import Export, Invitation, Membership
from tests.web import rows

NAMES = sorted(pattern.name for pattern in get_resolver("labeling.urls").url_patterns)
NEEDS = {
    # name: what GET needs, what POST needs; None where the method is refused.
    # "nothing": also signed out. "account": signed in. "see", "label", "adjudicate", "own": the right in the corpus.
    # "administer": running the installation.
    "buckets_csv": ("see", None),
    "cluster": ("see", None),
    "cluster_pair": ("see", "label"),
    "clusters": ("see", None),
    "corpora": ("account", None),
    "corpus": ("see", None),
    "corpus_new": ("administer", "administer"),
    "decide": ("own", "own"),
    "decision": ("see", None),
    "document": ("see", None),
    "documents": ("see", None),
    "evaluation": ("see", None),
    "evaluation_csv": ("see", None),
    "export_file": ("see", None),
    "export_new": ("see", "label"),
    "held_pair": ("see", "label"),
    "held_pairs": ("see", None),
    "ingest": ("own", "own"),
    "ingest_preview": ("own", "own"),
    "invitation_withdraw": (None, "own"),
    "invite": (None, "own"),
    "job": ("see", None),
    "job_cancel": (None, "own"),
    "job_problems": ("see", None),
    "job_resume": (None, "own"),
    "join": ("nothing", "nothing"),
    "keys": ("account", None),
    "label": ("label", None),
    "label_answer": ("label", "label"),
    "label_remark": (None, "label"),
    "label_skip": (None, "label"),
    "label_undo": (None, "label"),
    "member_remove": (None, "own"),
    "pair": ("see", None),
    "pairs": ("see", None),
    "people": ("see", None),
    "role_change": (None, "own"),
    "sample": (None, "administer"),
    "sign_in": ("nothing", "nothing"),
    "sign_in_link": ("nothing", "nothing"),
    "sign_out": (None, "nothing"),
    "study": ("see", None),
    "study_new": ("own", "own"),
}
ONLY_POST = {name for name, (get, _) in NEEDS.items() if get is None}
TAKE_POST = {name for name, (_, post) in NEEDS.items() if post is not None}
PUBLIC = {name for name, needs in NEEDS.items() if "nothing" in needs}
NOT_HTML = {"buckets_csv", "evaluation_csv", "export_file", "job_problems"}


def every_address(study, author):
    """An address that leads somewhere for each name."""
    corpus = study.corpus
    decision = rows.make_decision(study, author=author)
    job = rows.make_job(corpus)
    cluster = decision.clusters.order_by("id").first()
    texts = cluster.members.values_list("document__text", flat=True).order_by("id")[:2]
    now = timezone.now()
    member, _ = Membership.objects.get_or_create(
        corpus=corpus,
        person=rows.make_person("Member", role=None),
        defaults={"role": "reader", "added_at": now},
    )
    invitation = Invitation.objects.create(
        corpus=corpus, role="reader", secret_hash="x", invited_at=now, expires_at=now + timedelta(days=1)
    )
    keys = {
        "cluster_id": cluster.pk,
        "corpus_id": corpus.pk,
        "decision_id": decision.pk,
        "document_id": corpus.documents.first().pk,
        "export_id": _export(decision).pk,
        "held_id": rows.hold(decision, *corpus.texts.order_by("ordinal")[:2]).pk,
        "invitation_id": invitation.pk,
        "job_id": job.pk,
        "membership_id": member.pk,
        "one": texts[0],
        "other": texts[len(texts) - 1],
        "secret": "no-such-secret",
        "study_id": study.pk,
        "study_pair_id": study.study_pairs.first().pk,
        "token": _upload(corpus),
    }
    patterns = {pattern.name: pattern.pattern for pattern in get_resolver("labeling.urls").url_patterns}
    return {
        name: reverse(f"labeling:{name}", kwargs={key: keys[key] for key in patterns[name].converters})
        for name in NEEDS
    }


def _export(decision):
    Path(settings.EXPORTS_DIR).mkdir(parents=True, exist_ok=True)
    (Path(settings.EXPORTS_DIR) / "links.csv").write_text("left_id,right_id\n")
    return Export.objects.create(
        decision=decision,
        what="links",
        format="csv",
        file="links.csv",
        rows=0,
        size=17,
        sha256="0" * 64,
        at=rows.AT,
    )


def _upload(corpus):
    folder = Path(settings.UPLOADS_DIR) / "an-upload"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "docs.jsonl").write_text('{"id": "a", "text": "one two three"}\n')
    manifest = {"corpus": corpus.pk, "paths": [str(folder / "docs.jsonl")], "format": "auto"}
    (folder / "upload.json").write_text(json.dumps(manifest))
    return "an-upload"
