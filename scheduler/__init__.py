"""The control plane: what to fetch and when, and the front door (CLI, HTTP, local stack)."""
