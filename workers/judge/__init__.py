"""Semantic judgements: what is asked, what counts as an answer, what a person should look at. Pure."""
