"""Whether the gate still bites: bundles that are forged on purpose, and a count of those that it refuses."""
