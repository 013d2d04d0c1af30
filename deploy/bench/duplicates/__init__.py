"""Fingerprints, candidates and clusters against datasketch, rensa, text-dedup and datatrove."""
