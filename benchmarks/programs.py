"""What is measured: neardup in several ways, and its peers, each with the number of texts that it can take."""

from collections.abc import Mapping
from dataclasses import dataclass, field

LENGTHS = (300, 30)
FULL_TEXTS = {300: 100_000, 30: 500_000}
REFERENCE = "sha1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One way to go from texts to clusters.

    ``environment`` is the peer's, or empty for neardup itself. ``texts`` is the number of texts by their length in
    words, where it isn't the full number: slow programs get fewer texts from the same generator, which favours them.
    """

    name: str
    title: str
    module: str
    environment: str = ""
    arguments: tuple[str, ...] = ()
    threads: int = 1
    texts: Mapping[int, int] = field(default_factory=lambda: FULL_TEXTS)

    @property
    def is_ours(self) -> bool:
        """Whether this is neardup."""
        return not self.environment


def ours(name: str, title: str, *arguments: str, threads: int = 1) -> Program:
    """Describe one way to call neardup."""
    return Program(
        name=name,
        title=f"neardup, {title}",
        module="benchmarks.ours",
        arguments=(*arguments, f"--threads={threads}"),
        threads=threads,
    )


def peer(module: str, title: str, environment: str, texts: Mapping[int, int] = FULL_TEXTS) -> Program:
    """Describe one way to call a peer."""
    return Program(
        name=module, title=title, module=f"benchmarks.peers.{module}", environment=environment, texts=texts
    )


OURS = (
    ours(REFERENCE, "datasketch-default bits"),
    ours("tokens", "fast hash", "--hash=tokens"),
    ours("sha1-estimate", "datasketch-default bits, verified by estimate", "--verification=estimate"),
    ours("tokens-estimate", "fast hash, verified by estimate", "--hash=tokens", "--verification=estimate"),
    ours("sha1-256", "datasketch-default bits, 256 permutations", "--num-perm=256"),
    ours("tokens-256", "fast hash, 256 permutations", "--hash=tokens", "--num-perm=256"),
    ours("sha1-2-threads", "datasketch-default bits, 2 threads", threads=2),
    ours("tokens-2-threads", "fast hash, 2 threads", "--hash=tokens", threads=2),
    ours(
        "sha1-four-k",
        "datasketch-default bits, only signatures, k = 1, 3, 5, 7",
        "--ks=1,3,5,7",
        "--verification=none",
    ),
    ours(
        "tokens-four-k",
        "fast hash, only signatures, k = 1, 3, 5, 7",
        "--hash=tokens",
        "--ks=1,3,5,7",
        "--verification=none",
    ),
)

PEERS = (
    peer("daft_signatures", "daft, with neardup's candidates", "daft"),
    peer("rensa_full", "rensa, full mode", "rensa"),
    peer(
        "rensa_lesson_shingles",
        "rensa, full mode, shingles by the lesson's code",
        "rensa",
        {300: 20_000, 30: 100_000},
    ),
    peer("gaoya_index", "gaoya", "gaoya", {300: 100_000, 30: 250_000}),
    peer("datasketch_bulk", "datasketch, bulk", "datasketch", {300: 15_000, 30: 30_000}),
    peer("text_dedup_command", "text-dedup, command", "text_dedup", {300: 8_000, 30: 15_000}),
    peer("lesson_loop", "the lesson's loop", "datasketch", {300: 3_000, 30: 12_000}),
    peer("datatrove_pipeline", "datatrove", "datatrove", {300: 1_500, 30: 6_000}),
)
