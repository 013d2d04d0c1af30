"""References as HTML with Robust Links, as CSL-JSON 1.0, and as BibTeX. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from bibtexparser.entrypoint import write_string
from bibtexparser.library import Library
from bibtexparser.model import Entry, Field
from markupsafe import Markup
from pydantic import JsonValue
from pylatexenc.latexencode import unicode_to_latex

from workers.cite.references import Reference, Version


def html(references: Iterable[Reference]) -> str:
    """An ordered list. Links carry `data-originalurl`, `data-versionurl` and `data-versiondate` (Robust Links) of the
    state that they speak of, and each quote leads to its passage."""
    items = Markup("").join(_item(one) for one in references)
    return f'<ol class="references">\n{items}</ol>\n'


def _item(one: Reference) -> Markup:
    about = ", ".join(filter(None, (one.publisher, one.published, one.version)))
    quotes = Markup("").join(
        Markup('  <li><a href="{}"{}><q dir="auto">{}</q></a> {} {}</li>\n').format(
            _safe(link.url), _robust(one.version_of(link)), link.quote, link.support.value, link.claim_id
        )
        for link in one.quotes
    )
    return Markup(
        '<li id="ref-{}" value="{}">{}<a href="{}"{}>{}</a>{}. Archived <time>{}</time> ({}).{}{}</li>\n'
    ).format(
        one.shown,
        one.shown,
        Markup("{}. ").format("; ".join(one.authors)) if one.authors else "",
        _safe(one.snapshot.final_url),
        _robust(Version(one.snapshot, one.version_url)),
        one.name,
        Markup(". {}").format(about) if about else "",
        one.snapshot.retrieved_at,
        one.snapshot.id,
        Markup("").join(_also(version) for version in one.also),
        Markup("\n<ul>\n{}</ul>\n").format(quotes) if quotes else "",
    )


def _also(version: Version) -> Markup:
    """Another cited state of the same number."""
    shot = version.snapshot
    return Markup(' Also cited: <a href="{}"{}>{}</a>, archived <time>{}</time> ({}).').format(
        _safe(shot.final_url), _robust(version), version.name, shot.retrieved_at, shot.id
    )


def _robust(version: Version) -> Markup:
    """Attributes of a link to a page: which state of it is meant."""
    copy = Markup(' data-versionurl="{}"').format(version.url) if version.url else Markup("")
    return Markup(' data-originalurl="{}"{} data-versiondate="{}"').format(
        version.snapshot.final_url, copy, version.snapshot.retrieved_at
    )


def _safe(url: str) -> str:
    """A link that a browser opens: http and https only, whatever a record says."""
    return url if url.lower().startswith(("http://", "https://")) else "about:blank"


def csl_json(references: Iterable[Reference]) -> list[JsonValue]:
    """CSL-JSON items. What has no place in CSL stands in `custom`; an identifier that only the page's text names, such
    as a DOI of its bibliography, is none of its own and is left out (C05)."""
    return [_csl(one) for one in references]


def _csl(one: Reference) -> JsonValue:
    shot = one.snapshot
    fields: dict[str, JsonValue] = {
        "id": f"ref-{one.number}",
        "type": "webpage",
        "citation-number": str(one.shown),
        "title": one.name,
        "author": [{"literal": name} for name in one.authors],
        "container-title": one.publisher or None,
        "issued": _date(one.published),
        "accessed": _date(shot.retrieved_at[:10]),
        "URL": shot.final_url,
        "version": one.version,
        "language": shot.language,
        "archive": "Citevault",
        "archive_location": one.version_url or shot.id,
        "custom": {
            "number": one.number,
            "snapshot_id": shot.id,
            "source_id": shot.source_id,
            "text_sha256": shot.text_sha256,
            "tier": one.tier.value,
            "retrieved_at": shot.retrieved_at,
            "also_cited": [
                {"snapshot_id": other.id, "URL": other.final_url, "retrieved_at": other.retrieved_at}
                for other in one.earlier
            ],
        },
    }
    return {name: value for name, value in fields.items() if value not in (None, [])}


def _date(day: str | None) -> JsonValue:
    return None if day is None else {"date-parts": [[int(part) for part in day.split("-")]]}


def bibtex(references: Iterable[Reference]) -> str:
    """biblatex `@online` entries in ASCII; addresses stand as they are, since `url` is read verbatim."""
    entries = [Entry("online", f"ref{one.number}", _fields(one)) for one in references]
    return str(write_string(Library([*entries])))


def _fields(one: Reference) -> list[Field]:
    shot = one.snapshot
    authors = " and ".join("{" + _latex(name) + "}" for name in one.authors)
    also = "".join(f"; also cited: {other.id}" for other in one.earlier)
    values = {
        "title": "{" + _latex(one.name) + "}",
        "author": authors,
        "organization": _latex(one.publisher),
        "date": one.published,
        "version": one.version,
        "url": shot.final_url.replace("{", "%7B").replace("}", "%7D"),
        "urldate": shot.retrieved_at[:10],
        "note": _latex(f"Citation {one.shown}, archived as {shot.id}{also}"),
    }
    return [Field(name, value) for name, value in values.items() if value]


def _latex(text: str) -> str:
    return str(unicode_to_latex(" ".join(text.split()), unknown_char_policy="keep", unknown_char_warning=False))
