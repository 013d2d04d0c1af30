"""Numbers with what they count, in the number that English asks for: `1 URL`, `2 URLs`. Pure."""

from __future__ import annotations

_PLURAL_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("xes", "x"),
    ("leaves", "leaf"),
    ("aliases", "alias"),
    ("s", ""),
)


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number and its noun, with a verb if it has one: `counted(1, "host waits", "hosts wait")`. `many`: `one` with an
    s where it is left out."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def counted_things(number: int, many: str) -> str:
    """The same of a phrase in the plural, whose first word that ends in s is what is counted: `figures of edges`."""
    if number != 1:
        return f"{number} {many}"
    words = many.split(" ")
    place = next((at for at, word in enumerate(words) if word.endswith("s")), None)
    if place is not None:
        words[place] = _singular(words[place])
    return " ".join(["1", *("its" if word == "their" else word for word in words)])


def _singular(word: str) -> str:
    ending, instead = next((pair for pair in _PLURAL_ENDINGS if word.endswith(pair[0])), ("", ""))
    return word.removesuffix(ending) + instead
