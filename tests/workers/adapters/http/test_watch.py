"""One timer serves all answers of a connection, and rings for none of them too late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from workers.adapters.http.watch import Watch


class Timers(asyncio.SelectorEventLoop):
    """A loop that counts the timers that are set."""

    def __init__(self) -> None:
        super().__init__()
        self.dues: list[float] = []

    def call_at(self, when: float, callback: Callable[..., object], *args: object, context=None):
        self.dues.append(when)
        return super().call_at(when, callback, *args, context=context)


def in_loop(scenario: Callable[[Timers], None]) -> None:
    loop = Timers()
    try:
        scenario(loop)
    finally:
        loop.close()


@settings(max_examples=50)
@given(st.lists(st.floats(10.0, 1000.0), min_size=1, max_size=20))
def test_whoever_waits_is_called_by_then_or_earlier(patience: list[float]) -> None:
    def scenario(loop: Timers) -> None:
        watch, now = Watch(loop), loop.time()
        for seconds in patience:
            watch.look_by(now + seconds, lambda: None)
            assert loop.dues[-1] <= now + seconds
            watch.rest()

    in_loop(scenario)


def test_quick_answers_share_a_timer() -> None:
    def scenario(loop: Timers) -> None:
        watch = Watch(loop)
        for number in range(100):
            watch.look_by(loop.time() + 60.0 + number, lambda: None)
            watch.rest()
        assert len(loop.dues) == 1

    in_loop(scenario)


def test_a_timer_that_rings_late_for_one_and_early_for_another_calls_who_waits_now() -> None:
    calls: list[str] = []

    def scenario(loop: Timers) -> None:
        watch = Watch(loop)
        watch.look_by(loop.time() + 0.01, lambda: calls.append("first"))
        watch.rest()
        watch.look_by(loop.time() + 60.0, lambda: calls.append("second"))
        loop.run_until_complete(asyncio.sleep(0.05))
        assert calls == ["second"]
        watch.look_by(loop.time() + 0.01, lambda: calls.append("third"))
        watch.end()
        loop.run_until_complete(asyncio.sleep(0.05))
        assert calls == ["second"]

    in_loop(scenario)
