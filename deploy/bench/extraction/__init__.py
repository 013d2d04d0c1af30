"""Extraction of real pages: quality against what trafilatura reaches on them, and time against trafilatura."""
