"""Redis adapters: frontier, ledger, catalog and the other ports that keep derived state."""
