"""Signs of life: what a process did last, and when. Health means work done, not a process that exists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError
from redis.asyncio import Redis

from workers.adapters.redis.replies import text_map
from workers.adapters.redis.translate import script_errors
from workers.frontier import names


class SignOfLife(BaseModel):
    """One process as it last told. `worked_at_ms`: when it last finished a piece of work; 0: none yet."""

    model_config = ConfigDict(frozen=True, strict=True)

    alive_at_ms: int
    worked_at_ms: int = 0
    done: dict[str, int] = {}
    """Pieces of work since its start, by kind."""
    trouble: str = ""
    """The error that keeps it from its work, in words; empty while there is none."""


@dataclass(frozen=True, slots=True)
class Liveness:
    """Signs of life of all processes of an archive, by their names."""

    client: Redis

    async def tell(self, name: str, sign: SignOfLife) -> None:
        """Write down how a process is."""
        with script_errors("sign of life"):
            await self.client.hset(names.ALIVE, name, sign.model_dump_json())

    async def all(self) -> Mapping[str, SignOfLife]:
        """Who told what last. What another version wrote is left out."""
        with script_errors("signs of life"):
            found = text_map(await self.client.hgetall(names.ALIVE))
        signs: dict[str, SignOfLife] = {}
        for name, text in found.items():
            try:
                signs[name] = SignOfLife.model_validate_json(text)
            except ValidationError:
                continue
        return signs
