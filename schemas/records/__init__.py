"""Record types, one concept a module. Every stored document is one of these."""
