"""Which texts are one story, and which sources count as one: fingerprints, confirmation, clusters, groups, tiers.

Everything here is pure. Candidates are only suspected; what confirms them is written down with its figures.
"""
