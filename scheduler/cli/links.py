"""What a crawl has found, as `status` tells it."""

from __future__ import annotations

import click
from pydantic import JsonValue

from scheduler.cli.output import shown
from scheduler.links import WHY, LinkReader
from schemas.records.job import JobOptions


def links_told(links: LinkReader) -> dict[str, JsonValue]:
    """For `--json`: `left_out` counts links, each as often as pages have it."""
    return {
        "pages": links.pages,
        "found": links.found,
        "cut_pages": links.cut_pages,
        "unread_sitemaps": [{"url": url, "why": why} for url, why in links.unread.items()],
        "left_out": [
            {
                "reason": reason.value,
                "outcome": reason.outcome.value,
                "links": count,
                "why": WHY[reason],
                "examples": list(links.examples.get(reason, ())),
            }
            for reason, count in sorted(links.left_out.items())
        ],
    }


def say_links(links: LinkReader, options: JobOptions) -> None:
    """For people, on stdout."""
    click.echo(
        f"links: {links.found} pages found on {links.pages} pages "
        f"({_how(options)}, {sum(links.left_out.values())} links not followed)"
    )
    for reason, count in sorted(links.left_out.items()):
        click.echo(f"  not followed: {count} links, {reason.outcome.value} ({reason.value}): {WHY[reason]}")
        for url in links.examples.get(reason, ()):
            click.echo(f"    such as {shown(url)}")
    if links.cut_pages:
        click.echo(f"  pages with more than 2,000 links, of which the rest is not followed: {links.cut_pages}")
    for url, why in links.unread.items():
        click.echo(f"  not all of the sitemap {shown(url)} was read: {shown(why)}")


def _how(options: JobOptions) -> str:
    return f"depth {options.depth}, scope {options.scope.value}{', sitemaps are read' if options.sitemaps else ''}"
