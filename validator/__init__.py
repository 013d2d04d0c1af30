"""A separate program that trusts nothing it reads. It shares `schemas` with the archive and nothing else."""
