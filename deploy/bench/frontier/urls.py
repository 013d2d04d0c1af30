"""A list of URLs as people hand them in: made up, the same for the same seed, and shaped like a sample of the web.

Of 16,571 links in archived news pages: 76 characters on average, a quarter with a query, a few hosts with thousands of
pages and thousands of hosts with a few. One in forty is not in its normal form (a fragment, a tracking parameter, a
host in capitals, a raw `é`), one in a hundred comes a second time.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from deploy.bench.texts import words

URLS_A_HOST: Final = 25
_ODD: Final = ("{}#part", "{}?utm_source=feed", "{}?a=1&fbclid=abc", "{}/caf\u00e9", "{}/a b")
_ENDINGS: Final = ("", "/", ".html", "?id={}", "?page={}&lang=en")


def urls(count: int, seed: int = 1) -> Iterator[str]:
    """So many lines."""
    source = random.Random(seed)  # noqa: S311 (data, not a secret)
    vocabulary = sorted(set(words(20_000, seed)))
    hosts = _hosts(max(1, count // URLS_A_HOST), source, vocabulary)
    before = ""
    for number in range(count):
        place = int(len(hosts) ** source.random()) - 1  # as common as its rank says (Zipf)
        host = hosts[place if source.random() < 0.5 else source.randrange(len(hosts))]
        slug = "-".join(source.choices(vocabulary, k=source.randint(2, 5)))
        ending = source.choice(_ENDINGS).format(number)
        url = f"https://{host}/{source.choice(vocabulary)}/{number:x}-{slug}"
        dice = source.random()
        if dice < 0.025:
            url = source.choice(_ODD).format(url)
        elif dice < 0.035 and before:
            url = before
        else:
            url += ending
        before = url
        yield url


def _hosts(count: int, source: random.Random, vocabulary: list[str]) -> list[str]:
    return [
        f"{source.choice(('www.', '', ''))}{source.choice(vocabulary)}{number}.{source.choice(('com', 'org', 'co.uk'))}"
        for number in range(count)
    ]


def write_list(file: Path, count: int, seed: int = 1) -> None:
    """One a line; a file that is there already is taken as it is."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(".part")
        with new.open("w", encoding="utf-8") as stream:
            stream.writelines(f"{url}\n" for url in urls(count, seed))
        new.rename(file)
