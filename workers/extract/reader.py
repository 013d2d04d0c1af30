"""`reader_status`: whether a text may be cited, by rules in a fixed order (X18, R122).

Only `ok` is citeable, so a rule that speaks wrongly takes a good page away, and one that stays silent
lets a wall be cited. Every rule about content therefore asks for a short text as well: a wall or an
error page says little, and an article about captchas says much. Each answer names its rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from schemas.records.outcome import Outcome
from schemas.records.snapshot import ReaderStatus
from workers.extract import notices
from workers.extract.decode import DecodeFailure, DecodeProblem
from workers.extract.extraction import Extracted, NotExtracted
from workers.extract.markers import WALL_CHARACTERS

NOTICE_CHARACTERS: Final = 1500
STUB_CHARACTERS: Final = 1500
SCRIPT_NOTICE_CHARACTERS: Final = 300
_SCRIPT_NOTICE: Final = "javascript"
BROKEN_PER_MILLE: Final = 20
"""Undecodable sequences for each 1,000 characters of the page above which its charset is taken to be wrong."""

_STRONG = frozenset(
    {"cloudflare", "datadome", "perimeterx", "imperva", "akamai", "aws-waf", "sucuri", "ddos-guard", "anubis",
     "google-sorry", "consent"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """A status, and for any but `ok` the rule that decided."""

    status: ReaderStatus
    reason: str | None


OK = Verdict(ReaderStatus.OK, None)


def read_status(
    http_status: int | None, outcome: Outcome, content: Extracted | NotExtracted | DecodeFailure
) -> Verdict:
    """The verdict on one answer. `http_status`: of the answer that holds the payload, for a 304 the original's."""
    return _by_http(http_status, outcome) or (
        _by_text(content) if isinstance(content, Extracted) else _without_text(content)
    )


def _by_http(http_status: int | None, outcome: Outcome) -> Verdict | None:
    if http_status is not None and http_status != 206 and not 200 <= http_status < 300:
        return Verdict(ReaderStatus.HTTP_ERROR, f"http-status.{http_status}")
    if outcome is Outcome.TRUNCATED:
        return Verdict(ReaderStatus.TRUNCATED, "capture.truncated")
    if http_status == 206:
        return Verdict(ReaderStatus.TRUNCATED, "http-status.206")
    return None


def _without_text(content: NotExtracted | DecodeFailure) -> Verdict:
    if isinstance(content, NotExtracted):
        return Verdict(content.status, content.reason)
    reason = f"content-coding.{content.problem}"
    if content.problem is DecodeProblem.TRUNCATED:
        return Verdict(ReaderStatus.TRUNCATED, reason)
    return Verdict(ReaderStatus.EXTRACT_FAILED, reason)


def _by_text(content: Extracted) -> Verdict:
    title = content.title or ""
    length = len(content.text)
    return (
        _blocked(content, title, length)
        or _missing(content, title, length)
        or _behind_paywall(content, length)
        or _empty(content)
        or _undecodable(content)
        or OK
    )


def _blocked(content: Extracted, title: str, length: int) -> Verdict | None:
    if length >= WALL_CHARACTERS:
        return None
    wall = next((name for name in content.markers if name in _STRONG), None)
    if wall is not None:
        return Verdict(ReaderStatus.BLOCKED, f"blocked.{wall}")
    if length < NOTICE_CHARACTERS and notices.title_says(notices.WALL_TITLE, title):
        return Verdict(ReaderStatus.BLOCKED, "blocked.title")
    if length < NOTICE_CHARACTERS and "captcha" in content.markers and notices.WALL_TEXT.search(content.text):
        return Verdict(ReaderStatus.BLOCKED, "blocked.captcha")
    return None


def _missing(content: Extracted, title: str, length: int) -> Verdict | None:
    if length >= NOTICE_CHARACTERS:
        return None
    if notices.title_says(notices.MISSING, title):
        return Verdict(ReaderStatus.SOFT_404, "soft-404.title")
    first_line = content.text.split("\n", 1)[0]
    if length < NOTICE_CHARACTERS // 3 and len(first_line) < 120 and notices.MISSING.search(first_line):
        return Verdict(ReaderStatus.SOFT_404, "soft-404.text")
    return None


def _behind_paywall(content: Extracted, length: int) -> Verdict | None:
    if length >= STUB_CHARACTERS:
        return None
    if content.accessible_for_free is False:
        return Verdict(ReaderStatus.PAYWALL, "paywall.declared")
    if notices.PAYWALL.search(content.text):
        return Verdict(ReaderStatus.PAYWALL, "paywall.text")
    return None


def _empty(content: Extracted) -> Verdict | None:
    needs_script = "needs-script" in content.markers
    if needs_script and len(content.text) < SCRIPT_NOTICE_CHARACTERS and _SCRIPT_NOTICE in content.text.lower():
        return Verdict(ReaderStatus.EMPTY, "empty.needs-script")
    if content.text.strip():
        return None
    return Verdict(ReaderStatus.EMPTY, "empty.needs-script" if needs_script else "empty.no-text")


def _undecodable(content: Extracted) -> Verdict | None:
    if content.broken * 1000 > BROKEN_PER_MILLE * max(1, content.characters):
        return Verdict(ReaderStatus.EXTRACT_FAILED, "charset.undecodable")
    return None
