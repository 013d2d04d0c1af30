"""From a report's words to evidence: where a quote stands, what is around it, what all edges say of a claim. Pure."""
