"""What every store says of a file that changed between its digest and its upload, or of an object that is another."""

from __future__ import annotations

from typing import Final

CHANGED: Final = "the file holds other bytes than were written to it"
LOOK_AT_DISK: Final = "look at this machine's disk and memory; what is whole in the file is gone on with"
GIVES_BACK_OTHERS: Final = "the store gives back other bytes than were written"
STOP_WRITING: Final = "stop writing to this store and look into it"
