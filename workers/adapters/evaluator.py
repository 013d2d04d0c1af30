"""The evaluator that the settings name: what it is pinned to. PermanentError says which setting is missing or wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from schemas.records.judgement import ChatParameters
from workers.config import Settings
from workers.errors import PermanentError
from workers.judge.chat import NAME, default_prompt

MAX_PROMPT_BYTES: Final = 64 * 1024
SEED: Final = 0
"""Sent along, so that servers which heed it answer the same again; others leave it out."""


def parameters_in_force(settings: Settings) -> ChatParameters:
    """All that is sent with a question, but the question."""
    for name, value in (("CITEVAULT_JUDGE_URL", settings.judge_url), ("CITEVAULT_JUDGE_MODEL", settings.judge_model)):
        if not value:
            raise PermanentError(
                "there is no model to ask",
                where=name,
                next_step="set it, or judge by hand with `citevault judge review`",
            )
    try:
        return ChatParameters(
            checker=NAME,
            model=settings.judge_model,
            served_model=settings.judge_served_model or settings.judge_model,
            temperature=settings.judge_temperature,
            prompt=_prompt(settings.judge_prompt),
            context_chars=settings.judge_context_chars,
            max_tokens=settings.judge_max_tokens,
            response_format="none" if settings.judge_format == "none" else "json_object",
            seed=SEED,
        )
    except ValidationError as error:
        fault = error.errors()[0]
        raise PermanentError(
            f"{fault['loc'][0]} cannot be pinned: {fault['msg']}", next_step="correct the setting of that name"
        ) from None


def _prompt(file: str) -> str:
    if not file:
        return default_prompt()
    try:
        with Path(file).expanduser().open("rb") as stream:
            data = stream.read(MAX_PROMPT_BYTES + 1)
        if len(data) > MAX_PROMPT_BYTES:
            raise PermanentError(f"the prompt is larger than {MAX_PROMPT_BYTES} bytes", where=file)
        return data.decode("utf-8")
    except OSError as error:
        why = error.strerror
    except UnicodeDecodeError:
        why = "it is no UTF-8"
    raise PermanentError(
        f"the prompt cannot be read: {why}", where=file, next_step="correct CITEVAULT_JUDGE_PROMPT, or the file"
    )
