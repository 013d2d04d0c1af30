"""What goes to a chat-completions endpoint, and what counts as its answer. Pure.

Strict: of all that a model may say, one JSON object with one of the four values and a rationale is a judgement. A
name that stands twice, a number, NaN, another word, an answer cut short, one beside a call of tools, or under another
model's name is an error that says what to do (C37).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from pydantic import JsonValue

from schemas.canonical import canonical_bytes, canonical_sha256
from schemas.judging import HIDING, checker_id, says_something
from schemas.records.claim import Support
from schemas.records.judgement import ChatParameters
from workers.judge.question import Question

NAME: Final = "chat@1"
MAX_RATIONALE: Final = 4_000
PROMPT: Final = "support@1.txt"
_SHOWN: Final = 120
_CUT: Final = " [\u2026]"


@dataclass(frozen=True, slots=True)
class Answer:
    """A judgement as a model made it."""

    support: Support
    rationale: str


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why an answer is none, and what to do. It holds nothing that the endpoint wrote but a short, printable piece."""

    why: str
    next_step: str


def default_prompt() -> str:
    """The prompt that comes with this version."""
    return (files("workers.judge") / "prompts" / PROMPT).read_text(encoding="utf-8")


def checker_of(parameters: ChatParameters) -> tuple[str, str]:
    """Id and digest of an evaluator with these parameters."""
    value = parameters.model_dump(mode="json")
    return checker_id(NAME, value), canonical_sha256(value)


def request_of(question: Question, parameters: ChatParameters) -> bytes:
    """The body of the request. Temperature is the one number in it that is no integer, so it is no document of ours."""
    shown: dict[str, JsonValue] = {
        "claim": question.inputs.claim_text,
        "before": question.before,
        "quote": question.inputs.shown_quote,
        "after": question.after,
    }
    body: dict[str, JsonValue] = {
        "model": parameters.model,
        "messages": [
            {"role": "system", "content": parameters.prompt},
            {"role": "user", "content": canonical_bytes(shown).decode("utf-8")},
        ],
        "temperature": float(parameters.temperature),
        "max_tokens": parameters.max_tokens,
        "seed": parameters.seed,
        "stream": False,
    }
    if parameters.response_format != "none":
        body["response_format"] = {"type": parameters.response_format}
    return json.dumps(body, ensure_ascii=False).encode("utf-8")


def read_answer(body: bytes, parameters: ChatParameters) -> Answer | NoAnswer:
    """The judgement in an endpoint's answer."""
    try:
        document = _strict_json(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return NoAnswer(
            f"the endpoint's answer is no JSON in UTF-8: {_shown(body[:_SHOWN].decode('utf-8', 'replace'))}",
            "check CITEVAULT_JUDGE_URL: it ends in /v1 for most servers",
        )
    choices = document.get("choices") if isinstance(document, dict) else None
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return NoAnswer("the endpoint's answer has not one choice", "check that it speaks chat completions")
    served = document.get("model")
    if served != parameters.served_model:
        return NoAnswer(
            f"the endpoint answered as {_shown(served)}, and {parameters.served_model} is pinned",
            "pin the full name with CITEVAULT_JUDGE_MODEL, or set CITEVAULT_JUDGE_SERVED_MODEL to what it answers with",
        )
    choice = choices[0]
    message = choice.get("message")
    if choice.get("finish_reason") == "length":
        return NoAnswer("the answer was cut short", "raise CITEVAULT_JUDGE_MAX_TOKENS")
    if choice.get("finish_reason") not in (None, "stop") or not isinstance(message, dict):
        return NoAnswer(f"the model stopped for {_shown(choice.get('finish_reason'))}", "have a person judge this edge")
    if message.get("refusal"):
        return NoAnswer("the model refuses to judge this", "have a person judge this edge")
    content = message.get("content")
    if not isinstance(content, str) or message.get("tool_calls") or message.get("function_call"):
        return NoAnswer("the answer is not text alone", "use a model that answers with text and without tools")
    return _judgement(content)


def _judgement(content: str) -> Answer | NoAnswer:
    try:
        said = _strict_json(content)
    except (ValueError, RecursionError):
        return NoAnswer(
            f"the model did not answer with one JSON object: {_shown(content)}",
            "use CITEVAULT_JUDGE_FORMAT=json_object, or another model; nothing is guessed from prose",
        )
    if not isinstance(said, dict) or set(said) != {"support", "rationale"}:
        return NoAnswer(
            f"the answer has not just support and rationale: {_shown(content)}", "use another model or another prompt"
        )
    support, rationale = said["support"], said["rationale"]
    if not isinstance(support, str) or support not in set(Support):
        return NoAnswer(
            f"support is {_shown(support)}, which is none of {', '.join(Support)}",
            "have a person judge this edge, or use another model; a score is no judgement",
        )
    if not isinstance(rationale, str) or not says_something(rationale):
        return NoAnswer("the answer gives no rationale", "use another model or another prompt")
    try:
        kept = HIDING.sub("\N{REPLACEMENT CHARACTER}", " ".join(rationale.split()))
        kept.encode("utf-8")
    except UnicodeEncodeError:
        return NoAnswer("the rationale is no Unicode text", "have a person judge this edge")
    if len(kept) > MAX_RATIONALE:
        kept = kept[: MAX_RATIONALE - len(_CUT)] + _CUT
    return Answer(Support(support), kept)


def _strict_json(text: str) -> Any:
    """JSON in which no name stands twice and every number is one. ValueError, RecursionError."""
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _refuse(name: str) -> float:
    raise ValueError(name)


def _shown(value: object) -> str:
    """A piece of what the endpoint wrote, for a message."""
    text = value if isinstance(value, str) else repr(value)
    clean = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[:_SHOWN])
    return f"{clean!r}" + ("…" if len(text) > _SHOWN else "")
