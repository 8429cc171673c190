"""What the figures were measured on."""

import importlib.metadata
import os
import platform
from pathlib import Path

FLAGS = ("avx2", "avx512f", "avx512bw", "avx512dq", "sha_ni")
DISTRIBUTIONS = ("numpy", "numba", "llvmlite", "scipy", "datasketch", "pyarrow")


def describe() -> dict[str, object]:
    """Processor, memory, operating system, Python and the versions that neardup itself runs with."""
    processor = _fields(Path("/proc/cpuinfo"))
    present = processor.get("flags", "").split()
    memory_kb = int(_fields(Path("/proc/meminfo"))["MemTotal"].split()[0])
    return {
        "processor": processor.get("model name", platform.machine()),
        "family_and_model": f"{processor.get('cpu family', '?')}/{processor.get('model', '?')}",
        "cores": os.cpu_count(),
        "flags": [flag for flag in FLAGS if flag in present],
        "memory_gb": round(memory_kb / 1_048_576, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": {name: importlib.metadata.version(name) for name in DISTRIBUTIONS},
    }


def load() -> float:
    """Processes that wanted to run in the last minute; far above what the measuring itself needs, figures are off."""
    return round(os.getloadavg()[0], 2)


def _fields(path: Path) -> dict[str, str]:
    """First value of each ``name: value`` line."""
    fields: dict[str, str] = {}
    for line in path.read_text(encoding="ascii", errors="replace").splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    return fields
