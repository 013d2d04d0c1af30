"""Capture: a batch of URLs becomes committed segments. `batch.capture_batch` is where to start reading."""
