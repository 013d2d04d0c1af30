"""The rows of duplicates: signatures, candidates, accuracy, and from HTML on."""

from __future__ import annotations

import sys
from pathlib import Path

from deploy.bench.duplicates import accuracy, candidates, pipeline, signatures
from deploy.bench.extraction.pages import has_data
from deploy.bench.result import Result


def measure(folder: Path, peers_python: Path, documents: int = candidates.DOCUMENTS) -> list[Result]:
    """What needs the conformance data is left out where they are not."""
    work = folder / "duplicates"
    results = [
        *accuracy.measure(),
        *signatures.measure(peers_python, work),
        *candidates.measure(work.absolute(), documents),
    ]
    if has_data():
        return results + pipeline.measure(work.absolute())
    sys.stderr.write("HTML to candidates is left out: name the conformance data with CITEVAULT_CONFORMANCE_DATA\n")
    return results
