"""Capture: batches of URLs become committed segments. Start reading at `in_turn` and `batch`."""
