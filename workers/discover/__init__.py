"""Which links of a page are followed: scope, exclusions, traps, each with its reason. Pure; start at `judge.judge`."""
