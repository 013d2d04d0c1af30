"""Commands that hiredis writes out are the bytes that redis-py would have sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.asyncio.connection import Connection
from redis.exceptions import DataError

from workers.adapters.redis.packed import PIECE_BYTES, PackedConnection

NAMES = st.sampled_from(["EVALSHA", "CLIENT SETINFO", "HSET", b"GET"])
ARGUMENTS = st.one_of(
    st.binary(max_size=200),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=50),
    st.integers(),
    st.floats(),
    st.binary(max_size=50).map(memoryview),
    st.binary(min_size=7_000, max_size=7_001),
)
COMMANDS = st.builds(lambda name, arguments: (name, *arguments), NAMES, st.lists(ARGUMENTS, max_size=8))


@given(COMMANDS)
def test_a_command_is_written_as_redis_py_writes_it(command: tuple[bytes | str, ...]) -> None:
    assert b"".join(PackedConnection().pack_command(*command)) == b"".join(Connection().pack_command(*command))


@given(st.lists(COMMANDS, max_size=20))
def test_commands_that_go_together_are_the_same_bytes_in_order(commands: list[tuple[bytes | str, ...]]) -> None:
    assert b"".join(PackedConnection().pack_commands(commands)) == b"".join(Connection().pack_commands(commands))


def test_many_commands_are_sent_in_pieces_of_a_bounded_size() -> None:
    commands = [("SET", b"k", b"v" * 1000)] * 1000
    pieces = PackedConnection().pack_commands(commands)
    assert len(pieces) > 10
    assert max(map(len, pieces)) < PIECE_BYTES + 2000


@pytest.mark.parametrize("value", [None, True, [], {}])
def test_what_has_no_form_on_the_wire_is_refused(value: object) -> None:
    with pytest.raises(DataError):
        PackedConnection().pack_command("SET", "key", value)  # type: ignore[arg-type]
