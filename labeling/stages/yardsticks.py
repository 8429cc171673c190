"""What counts as a match when a corpus is asked: the active decision says so, else its latest study, else a default."""

from dataclasses import replace
from typing import TYPE_CHECKING

from dedup.specs import MinHashSpec, SimHashSpec
from labeling.models import Corpus, Decision, Study
from labeling.services.corpora import normaliser_of
from labeling.services.partitions import active_decision
from labeling.services.studies import study_spec

if TYPE_CHECKING:
    from dedup.index import IndexSpec


def index_spec(corpus: Corpus, decision: Decision | None = None) -> "IndexSpec":
    """The recipes and the threshold by which a text from outside is compared with the corpus.

    k and threshold are those of the active decision where it looks at similarities; fingerprints are those of the study
    where it has any. A corpus without either is asked by three words a shingle and the threshold 0.6.
    """
    from dedup.index import DEFAULT_THRESHOLD, IndexSpec
    from dedup.index.spec import MOST_BITS

    normaliser = normaliser_of(corpus)
    decision = decision or active_decision(corpus)
    study = decision.study if decision is not None else _latest_study(corpus)
    minhash, threshold = MinHashSpec(normaliser=normaliser), DEFAULT_THRESHOLD
    simhash = SimHashSpec(normaliser=normaliser)
    if study is not None:
        spec = study_spec(study)
        by_recipe = {one.recipe: one for one in spec.minhash_specs}
        minhash = next(iter(by_recipe.values()))
        if decision is not None and decision.recipe.recipe in by_recipe:
            minhash, threshold = by_recipe[decision.recipe.recipe], decision.threshold
        simhash = spec.simhash_spec or simhash
    simhash = replace(simhash, max_distance=min(simhash.max_distance, MOST_BITS))
    return IndexSpec(minhash=minhash, simhash=simhash, threshold=threshold)


def _latest_study(corpus: Corpus) -> Study | None:
    return corpus.studies.filter(state=Study.State.READY, texts__gt=0).order_by("-id").first()
