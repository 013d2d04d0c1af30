"""Extract: a committed segment becomes texts, snapshot lines and fingerprints. Start at `segment.extract_segment`."""

from workers.flows.extract.ports import ExtractPorts, OutputPorts, TextExtractor
from workers.flows.extract.segment import ExtractedSegment, extract_segment, write_outputs

__all__ = ["ExtractPorts", "ExtractedSegment", "OutputPorts", "TextExtractor", "extract_segment", "write_outputs"]
