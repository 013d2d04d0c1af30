"""The rows of duplicates: signatures, candidates, accuracy, and from HTML on."""

from __future__ import annotations

import sys
from pathlib import Path

from deploy.bench.duplicates import accuracy, candidates, pipeline, signatures
from deploy.bench.extraction.pages import has_data
from deploy.bench.parts import Part
from deploy.bench.result import Result


def parts(folder: Path, peers_python: Path, documents: int = candidates.DOCUMENTS) -> list[Part]:
    """Each by itself."""
    work = folder / "duplicates"
    return [
        accuracy.measure,
        lambda: signatures.measure(peers_python, work),
        lambda: candidates.measure(work.absolute(), documents),
        lambda: _from_html(work.absolute()),
    ]


def _from_html(work: Path) -> list[Result]:
    if has_data():
        return pipeline.measure(work)
    sys.stderr.write("HTML to candidates is left out: name the conformance data with CITEVAULT_CONFORMANCE_DATA\n")
    return []
