"""From a list that somebody hands in to a stored job: read, normalize, collapse, store, queue; in this order.

Input is untrusted: it is read in pieces, every line may be bad, and a bad one is kept with its number and
reason while the rest goes on. Nothing is queued that is not stored before, so a job survives whatever
happens after its id was printed.
"""

from scheduler.intake.acceptance import (
    IntakeInterruptedError,
    NothingToArchive,
    Order,
    accept,
    accept_taken,
    resume_intake,
    take_in,
)
from scheduler.intake.lines import SeedLines, read_lines, read_urls
from scheduler.intake.source import Kind, Source, open_source

__all__ = [
    "IntakeInterruptedError",
    "Kind",
    "NothingToArchive",
    "Order",
    "SeedLines",
    "Source",
    "accept",
    "accept_taken",
    "open_source",
    "read_lines",
    "read_urls",
    "resume_intake",
    "take_in",
]
