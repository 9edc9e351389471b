"""Call one function in a fresh interpreter, and tell its result and the peak of its memory."""

from __future__ import annotations

import importlib
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any


def fresh(function: str, **arguments: object) -> dict[str, Any]:
    """Return what ``module.function(**arguments)`` returns (a dict), with ``peak_mb`` added."""
    command = [sys.executable, str(Path(__file__).resolve()), function, json.dumps(arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    out: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return out


def peak_mb() -> float:
    """Return the most memory that this process has had in use.

    On Linux a process that was started by a larger one has the larger one's `ru_maxrss` (it is
    carried over exec), so the kernel's mark of this process alone is taken where there is one.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (1e6 if sys.platform == "darwin" else 1e3)
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / 1e6


if __name__ == "__main__":
    module, name = sys.argv[1].split(".")
    result = getattr(importlib.import_module(module), name)(**json.loads(sys.argv[2]))
    sys.stdout.write(json.dumps({**result, "peak_mb": peak_mb()}) + "\n")
