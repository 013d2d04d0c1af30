"""`text-v1`: the form in which extracted text is stored, hashed and cited (`schemas/README.md, text-v1`).

Imports the standard library only, and of that nothing which knows characters better than the pinned
tables beside this file: equal input gives equal output under every Python, today and later. The
rules stand in `normalize.py`, cases for other implementations in `vectors.json`.
"""

from schemas.text_v1.normalize import NORMALIZER, NormalizedText, NotTextError, is_normalized, normalize
from schemas.text_v1.offsets import OffsetMap, OffsetMapError, Run

__all__ = [
    "NORMALIZER",
    "NormalizedText",
    "NotTextError",
    "OffsetMap",
    "OffsetMapError",
    "Run",
    "is_normalized",
    "normalize",
]
