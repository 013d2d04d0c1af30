"""What a crawl has found, as `status` tells it."""

from __future__ import annotations

import click
from pydantic import JsonValue

from scheduler.cli.output import shown
from scheduler.links import WHY, LinkReader
from schemas.counted import counted
from schemas.records.job import JobOptions
from workers.flows.discover.listed import NOTHING_READ


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


def say_links(links: LinkReader, options: JobOptions, *, ended: bool = False) -> None:
    """For people, on stdout. `ended`: the job has an outcome for every URL, and no links to take any more."""
    click.echo(
        f"links: {counted(links.found, 'page')} found on {counted(links.pages, 'page')} "
        f"({_how(options)}, {counted(sum(links.left_out.values()), 'link')} not followed)"
    )
    for reason, count in sorted(links.left_out.items()):
        click.echo(f"  not followed: {counted(count, 'link')}, {reason.outcome.value} ({reason.value}): {WHY[reason]}")
        for url in links.examples.get(reason, ()):
            click.echo(f"    such as {shown(url)}")
    if links.cut_pages:
        click.echo(f"  pages with more than 2,000 links, of which the rest is not followed: {links.cut_pages}")
    missed = {url: why for url, why in links.unread.items() if why.endswith(NOTHING_READ)}
    for url, why in links.unread.items():
        told = f"sitemap {shown(url)}" if url in missed else f"not all of the sitemap {shown(url)} was read"
        click.echo(f"  {told}: {shown(why)}")
    none_read = options.sitemaps and ended and not links.pages
    if none_read:
        click.echo("  no sitemap was read: nothing that the job asked for answered with one")
    if missed or none_read:
        click.echo("  next, for sitemaps: see which one the site's robots.txt names, and archive that with --sitemap")


def _how(options: JobOptions) -> str:
    return f"depth {options.depth}, scope {options.scope.value}{', sitemaps are read' if options.sitemaps else ''}"
