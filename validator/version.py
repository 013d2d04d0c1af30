"""The version of this program, as reports name it. A test holds it to the package's."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
