from labeling.models.corpora import Corpus, Document, Text
from labeling.models.decisions import Cluster, Decision, Export, HeldPair, Link, Member
from labeling.models.jobs import Job, Problem, Segment, Worker
from labeling.models.labels import Label, Remark, SignInLink, Skip
from labeling.models.people import AuditEntry, Invitation, Membership, Role
from labeling.models.studies import Pair, Stratum, Study, StudyPair, StudyRecipe

__all__ = [
    "AuditEntry",
    "Cluster",
    "Corpus",
    "Decision",
    "Document",
    "Export",
    "HeldPair",
    "Invitation",
    "Job",
    "Label",
    "Link",
    "Member",
    "Membership",
    "Pair",
    "Problem",
    "Remark",
    "Role",
    "Segment",
    "SignInLink",
    "Skip",
    "Stratum",
    "Study",
    "StudyPair",
    "StudyRecipe",
    "Text",
    "Worker",
]
