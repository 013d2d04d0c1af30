"""Extract: a committed segment becomes texts, snapshot lines and fingerprints. Start at `segment.extract_segment`."""

from workers.flows.extract.ports import ExtractPorts, TextExtractor
from workers.flows.extract.segment import ExtractedSegment, extract_segment

__all__ = ["ExtractPorts", "ExtractedSegment", "TextExtractor", "extract_segment"]
