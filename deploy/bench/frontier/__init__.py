"""The frontier: taking a long list in, what it costs in Redis, and how fast it is leased and completed."""
