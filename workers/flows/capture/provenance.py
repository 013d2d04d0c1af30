"""What the warcinfo record of a segment says: every setting that shaped the records after it (WARC 1.1, 6.2).

A reader of the file alone can tell from it under which rules the records came to be: who asked, how far
bodies and heads were kept, what was taken away from the wire form, whether robots.txt was obeyed,
whether certificates were verified, and which networks beyond the public ones were open.
"""

from __future__ import annotations

from dataclasses import fields

from schemas.records.job import StoredJob
from workers.archive.warcinfo import Warcinfo
from workers.flows.capture.settings import CaptureSettings


def warcinfo_of(settings: CaptureSettings, job: StoredJob) -> Warcinfo:
    """The warcinfo of a segment. `settings` with the networks that the job opens."""
    asked, limits = job.options, settings.limits
    return Warcinfo(
        software=settings.software,
        operator=settings.contact,
        robots=asked.robots.value,
        user_agent=settings.user_agent,
        is_part_of=job.collection,
        options=(
            ("job", job.id),
            ("transfer-framing", "strip"),
            ("scope", asked.scope.value),
            ("depth", str(asked.depth)),
            ("requisites", _word(asked.requisites)),
            ("verify-certificates", _word(not asked.insecure_tls)),
            ("networks-opened", " ".join(str(network) for network in settings.allowed_networks) or "none"),
            *((each.name.replace("_", "-"), _number(getattr(limits, each.name))) for each in fields(limits)),
            ("max-redirects", str(settings.max_redirects)),
            ("compression", settings.compression),
            ("segment-bytes", str(settings.segment_bytes)),
            ("segment-seconds", _number(settings.segment_seconds)),
        ),
    )


def _word(flag: bool) -> str:
    return "yes" if flag else "no"


def _number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
