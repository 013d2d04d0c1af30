"""Legacy encodings as the WHATWG Encoding Standard decodes them.

CPython's codecs of the same names differ: other mappings in Big5, Shift_JIS, EUC-JP, KOI8-U and
others, and another number of U+FFFD where bytes are broken. A quote must be found as the reader's
browser shows it, so each encoding goes through the standard's rules here.
"""

from workers.extract.legacy.decoders import decode_legacy

__all__ = ["decode_legacy"]
