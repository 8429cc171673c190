"""One virtual environment per peer under ``benchmarks/.envs``, so that no peer's dependencies touch another's.

``python -m benchmarks.environments`` builds what is missing and says plainly what could not be installed.
"""

import argparse
import json
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENTS = Path(__file__).parent / ".envs"
MARKER = "requirements.installed"

REQUIREMENTS: dict[str, tuple[str, ...]] = {
    "datasketch": ("datasketch==2.0.0",),
    "rensa": ("rensa==0.5.0",),
    "gaoya": ("gaoya==0.2.2",),
    # Daft has no step from signatures to candidate pairs; ours, which is lent to it, needs the other four.
    "daft": ("daft==0.7.26", "numpy==2.4.6", "numba==0.68.1", "scipy==1.17.1", "datasketch==2.0.0"),
    # A bare install misses regex, tokenizers and the English word tokenizer; release 0.10.1 fails with xxhash 4.
    "datatrove": (
        "datatrove[processing]==0.10.1",
        "xxhash==3.8.2",
        "regex==2026.11.19",
        "tokenizers==0.23.3",
        "spacy==3.8.18",
    ),
    # Release 0.4.1 asks for Python 3.12.
    "text_dedup": ("text-dedup==0.4.0",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What became of one peer's environment; ``problem`` is empty when it is ready."""

    peer: str
    python: Path
    problem: str = ""

    @property
    def is_ready(self) -> bool:
        """Whether the peer can be measured."""
        return not self.problem


def prepare(peer: str, *, rebuild: bool = False) -> Environment:
    """Build the environment of one peer, or reuse it when it holds the pinned requirements already."""
    folder = ENVIRONMENTS / peer
    python = folder / "bin" / "python"
    wanted = "\n".join(REQUIREMENTS[peer])
    marker = folder / MARKER
    if not rebuild and marker.is_file() and marker.read_text() == wanted:
        return Environment(peer=peer, python=python)
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    problem = _install(python, REQUIREMENTS[peer])
    if not problem:
        marker.write_text(wanted)
    return Environment(peer=peer, python=python, problem=problem)


def _install(python: Path, requirements: tuple[str, ...]) -> str:
    """Install with pip, without a cache; answer pip's last words when it fails."""
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-cache-dir",
        "--disable-pip-version-check",
    ]
    finished = subprocess.run([*command, *requirements], capture_output=True, text=True, check=False)
    if finished.returncode == 0:
        return ""
    lines = [line for line in finished.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"pip ended with {finished.returncode}"


def installed_versions(environment: Environment) -> dict[str, str]:
    """Every installed distribution with its version."""
    command = [str(environment.python), "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    return {row["name"]: row["version"] for row in json.loads(finished.stdout)}


def main() -> None:
    """Build every environment that is missing and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peers", nargs="*", help=f"some of: {', '.join(REQUIREMENTS)} (all)")
    parser.add_argument("--rebuild", action="store_true")
    options = parser.parse_args()
    problems = 0
    for peer in options.peers or REQUIREMENTS:
        environment = prepare(peer, rebuild=options.rebuild)
        problems += not environment.is_ready
        print(f"{peer:12} {environment.problem or 'ready'}", flush=True)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
