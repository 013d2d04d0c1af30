"""Options of `archive` that make a crawl of it: how deep, how far, what not, and how much at most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

import click
from pydantic import JsonValue

from schemas.records.job import JobOptions, Scope
from workers.errors import PermanentError
from workers.flows.discover import MOST_PATTERNS, exclusions

F = TypeVar("F", bound=Callable[..., object])
MAX_DEPTH: Final = 100
MAX_PAGES: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class CrawlWish:
    """What the command line says of links. None: nothing."""

    depth: int | None = None
    scope: Scope | None = None
    exclude: tuple[str, ...] = ()
    max_pages: int | None = None
    max_pages_per_host: int | None = None


def crawl_options(command: F) -> F:
    """`--depth` and what belongs to it."""
    for option in reversed(
        (
            click.option(
                "--depth",
                type=click.IntRange(0, MAX_DEPTH),
                help="Follow links, so many from a given URL at most. Default: 0, the given URLs alone.",
            ),
            click.option(
                "--sitemap",
                "sitemaps",
                multiple=True,
                metavar="URL",
                help="Archive what a sitemap lists, and the sitemap; of an index, its sitemaps; of a robots.txt, those "
                "that it names. Repeatable.",
            ),
            click.option(
                "--scope",
                type=click.Choice([scope.value for scope in Scope]),
                help="How far links are followed: below the given URL's folder (prefix, the default with --depth), on "
                "its host, or within its registrable domain (domain, the default with --sitemap). page follows none.",
            ),
            click.option(
                "--exclude",
                multiple=True,
                metavar="PATTERN",
                help="Do not follow links that match: a part of a URL, `*` any characters, `$` its end. Repeatable.",
            ),
            click.option(
                "--max-pages",
                type=click.IntRange(1, MAX_PAGES),
                help="Pages that may be found by links, in all. Default: 100000.",
            ),
            click.option(
                "--max-pages-per-host",
                type=click.IntRange(1, MAX_PAGES),
                help="The same of one host. Default: 10000; with --sitemap as --max-pages.",
            ),
        )
    ):
        command = option(command)
    return command


def with_crawl(own: JobOptions, wish: CrawlWish) -> JobOptions:
    """A job's options with what the command line says; what it names goes before them. PermanentError where together
    they mean nothing."""
    said: dict[str, JsonValue | Scope | tuple[str, ...]] = {}
    if wish.depth is not None:
        said["depth"] = wish.depth
    if wish.scope is not None:
        said["scope"] = wish.scope
    if wish.exclude:
        said["exclude"] = (*own.exclude, *wish.exclude)
    if wish.max_pages is not None:
        said["max_pages"] = wish.max_pages
    if wish.max_pages_per_host is not None:
        said["max_pages_per_host"] = wish.max_pages_per_host
    options = own.model_copy(update=said)
    if options.follow_depth and wish.scope is None and "scope" not in own.model_fields_set:
        options = options.model_copy(update={"scope": Scope.DOMAIN if options.sitemaps else Scope.PREFIX})
    per_host_named = wish.max_pages_per_host is not None or "max_pages_per_host" in own.model_fields_set
    if options.sitemaps and not per_host_named:
        options = options.model_copy(update={"max_pages_per_host": options.max_pages})  # most list one host
    _check(options, depth_named=wish.depth is not None or "depth" in own.model_fields_set)
    return options


def _check(options: JobOptions, *, depth_named: bool) -> None:
    if options.depth > MAX_DEPTH:
        raise PermanentError(f"a depth of {options.depth}", where="depth", next_step=f"give {MAX_DEPTH} at most")
    if options.follow_depth and options.scope is Scope.PAGE:
        raise PermanentError(
            f"the scope page follows no links, and {'a depth' if options.depth else 'a sitemap'} is given",
            where="scope",
            next_step="give prefix, host or domain, or leave out the depth and the sitemaps",
        )
    if not depth_named and not options.sitemaps and (options.exclude or options.scope is not Scope.PAGE):
        raise PermanentError(
            "scope and exclude speak of links, and none are followed",
            where="depth",
            next_step="say how many links deep with --depth N",
        )
    if len(options.exclude) > MOST_PATTERNS:
        raise PermanentError(
            f"{len(options.exclude)} patterns are excluded", where="exclude", next_step=f"give {MOST_PATTERNS} at most"
        )
    exclusions(options.exclude)
