"""Light values behave as frozen dataclasses do, but for the assignment that only the type checker sees."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workers.light import light


@light
class _Light:
    name: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class _Frozen:
    name: str
    size: int = 0


def test_a_light_value_is_compared_hashed_and_replaced_by_its_fields() -> None:
    one, same, other = _Light("a", 1), _Light("a", size=1), _Light("b", 1)
    assert one == same != other
    assert len({one, same, other}) == 2
    assert replace(one, name="b") == other
    assert not hasattr(one, "__dict__")


def test_a_light_value_reads_like_a_frozen_one() -> None:
    assert repr(_Light("a")).replace("_Light", "_Frozen") == repr(_Frozen("a"))
    assert hash(_Light("a", 2)) == hash(_Frozen("a", 2))
    assert _Light.__match_args__ == _Frozen.__match_args__
