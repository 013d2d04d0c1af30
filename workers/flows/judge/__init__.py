"""Judging the edges of a bundle, and the ledger of what was said of them."""
