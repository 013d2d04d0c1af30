"""The ledger of judgements: what a checker said of one claim and one quote, for good (R097, R098, X33).

One object a judgement, `judgements/<inputs_sha256>/<key>-<10 digits>.json`, created and never changed. It names no
report, claim id or evidence id: whoever quotes the same for the same claim finds it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from schemas.records.base import Count, LongText, ParameterId, Record, Sha256, ShortText, UtcTime
from schemas.records.claim import LEFT_OUT, MAX_PARTS, ClaimText, QuoteText, Support

Said = Annotated[LongText, StringConstraints(min_length=1, pattern=r"\S")]
Named = Annotated[ShortText, StringConstraints(min_length=1, pattern=r"\S")]


class JudgementInputs(Record):
    """What a judgement is of; a bundle's `inputs_sha256` is the digest of just this."""

    claim_text: ClaimText
    quote: QuoteText
    prefix: ShortText
    suffix: ShortText
    text_sha256: Sha256
    parts: Annotated[tuple[QuoteText, ...], Field(max_length=MAX_PARTS, exclude_if=lambda parts: not parts)] = ()
    """The words of each part of a quote that leaves something out; none where all of it is quoted."""

    @property
    def shown_quote(self) -> str:
        """The words that are quoted; what is left out is marked."""
        return LEFT_OUT.join(self.parts) or self.quote


class JudgementEntry(Record):
    """One object of the ledger."""

    schema_id: Literal["citevault/judgement@1"] = Field(alias="schema")
    sequence: Annotated[int, Field(ge=1)]
    """Its number under its key, from 1 without gaps: a person may look again, and others may look too."""
    inputs: JudgementInputs
    inputs_sha256: Sha256
    context_sha256: Sha256
    """Of the RFC 8785 bytes of `{before, after}`: the passage around the quote that the checker was shown."""
    checker_version: ParameterId
    checker_sha256: Sha256 | None
    """Of the RFC 8785 bytes of the checker's parameters, a policy of kind `checker`; null: it has none."""
    support: Support
    rationale: Said
    judged_at: UtcTime
    by: Named
    """The person; or the model as the endpoint named it, and its host."""


class ChatParameters(Record):
    """All that an answer of a language model depends on and that we can pin: the value of a `chat@1` policy."""

    checker: Literal["chat@1"]
    model: Named
    served_model: Named
    """The name that the endpoint must answer with: an alias that begins to mean another model is noticed."""
    temperature: Annotated[str, StringConstraints(pattern=r"^(?:[01](?:\.[0-9]{1,3})?|2(?:\.0{1,3})?)$")]
    """A decimal from 0 to 2, as text: signed documents hold no fractions (decision 13)."""
    prompt: Said
    """The system message, whole. The user message is the RFC 8785 form of `{claim, before, quote, after}`."""
    context_chars: Annotated[int, Field(ge=0, le=20_000)]
    """Code points of the text that are shown before the quote, and after it."""
    max_tokens: Annotated[Count, Field(ge=16, le=100_000)]
    response_format: Literal["json_object", "none"]
    seed: Count
