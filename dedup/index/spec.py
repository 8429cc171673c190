"""What an index of texts is made with, and what counts as a match in it."""

from dataclasses import dataclass

from dedup.banding import study_bands
from dedup.specs import BandingSpec, MinHashSpec, NormaliserName, SimHashSpec, StreamSpec, digest_of

DEFAULT_THRESHOLD = 0.6
MARGIN = 0.1
LOWEST_COLLECTED = 0.05
MOST_BITS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSpec:
    """The recipes of an index, and the similarity from which a text counts as a match.

    Signatures are cut into bands for a similarity ``MARGIN`` below the threshold, with the weights of a study, so that
    few texts above the threshold are missed. Raises ``ValueError`` where the two recipes read words differently, or
    fingerprints may differ in more than 7 bits: blocks would then be so short that all texts share some.
    """

    minhash: MinHashSpec
    simhash: SimHashSpec
    threshold: float = DEFAULT_THRESHOLD

    def __post_init__(self) -> None:
        if self.minhash.normaliser != self.simhash.normaliser:
            raise ValueError(
                f"signatures read words by “{self.minhash.normaliser}”, fingerprints by “{self.simhash.normaliser}”"
            )
        if not 0 <= self.simhash.max_distance <= MOST_BITS:
            raise ValueError(
                f"fingerprints may differ in 0 to {MOST_BITS} bits, not {self.simhash.max_distance}"
            )

    @property
    def normaliser(self) -> NormaliserName:
        """How texts are cut into words."""
        return self.minhash.normaliser

    @property
    def stream(self) -> StreamSpec:
        """How texts become clean streams."""
        return StreamSpec(normaliser=self.normaliser)

    @property
    def banding(self) -> BandingSpec:
        """How signatures are cut; at the threshold 0.6 and 128 permutations 30 bands of 4 rows."""
        return study_bands(max(LOWEST_COLLECTED, round(self.threshold - MARGIN, 6)), self.minhash.num_perm)

    @property
    def recipe(self) -> str:
        """Readable name; the threshold is part of it only through the bands."""
        bits = f"within:{self.simhash.max_distance}"
        return f"index|{self.minhash.recipe}|{self.banding.recipe}|{self.simhash.recipe}|{bits}"

    @property
    def digest(self) -> str:
        """Short name of the recipe."""
        return digest_of(self.recipe)
