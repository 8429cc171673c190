from labeling.models.corpora import Corpus, Document, Text
from labeling.models.decisions import Cluster, Decision, Export, Link, Member
from labeling.models.jobs import Job, Problem, Segment, Worker
from labeling.models.labels import Label, SignInLink, Skip
from labeling.models.studies import Pair, Stratum, Study, StudyPair, StudyRecipe

__all__ = [
    "Cluster",
    "Corpus",
    "Decision",
    "Document",
    "Export",
    "Job",
    "Label",
    "Link",
    "Member",
    "Pair",
    "Problem",
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
