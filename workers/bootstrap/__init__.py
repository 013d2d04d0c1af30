"""Wiring: which adapter stands behind which port. The one place that knows all of them."""

from workers.bootstrap.archive import Archive, open_archive

__all__ = ["Archive", "open_archive"]
