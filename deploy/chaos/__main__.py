"""`python -m deploy.chaos [WHAT …]`: put the local stack through what may happen to it, and look whether it is whole.

WHAT is `kills`, `broker`, `failover`, `clocks`, `outages`, `numbers`, `full-disk`, `namespaces`; all but the last
three without. Exit
0: whole. 1: something is not. 2: usage. 3: a part did not come up, a program is missing, or this machine does not
permit it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from deploy.bench.capture.origin import MissingProgramError
from deploy.chaos import broker, clocks, failover, full_disk, kills, numbers, outages, partition, report
from deploy.chaos.given import Given
from deploy.chaos.saying import say_on_stderr
from workers.errors import CitevaultError

FOLDER = Path("build/chaos")
WITHOUT = ("kills", "broker", "failover", "clocks", "outages")
Told = tuple[bool, str, dict[str, Any]]
"""Whether a run left everything whole; what it was, as text and for programs."""


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for, in turn."""
    given = _parser().parse_args(arguments)
    runs: dict[str, Callable[[argparse.Namespace], Iterator[Told]]] = {
        "kills": _kills,
        "broker": _broker,
        "failover": _failover,
        "numbers": _numbers,
        "clocks": _clocks,
        "outages": _outages,
        "full-disk": _full_disk,
        "namespaces": _namespaces,
    }
    told: list[Told] = []
    try:
        for what in given.what or WITHOUT:
            for one in runs[what](given):
                told.append(one)
                if not given.json:
                    sys.stdout.write(one[1] + "\n")
                    sys.stdout.flush()
    except (MissingProgramError, CitevaultError) as missing:
        say_on_stderr(f"chaos: {missing}")
        return 3
    if given.json:
        sys.stdout.write(json.dumps([document for _, _, document in told], indent=1) + "\n")
    return 0 if all(whole for whole, _, _ in told) else 1


def _kills(given: argparse.Namespace) -> Iterator[Told]:
    seeds, results = seeds_of(given.seeds, given.seed), list[kills.Result]()
    for seed in seeds:
        say_on_stderr(f"kills, seed {seed}")
        wanted = kills.Given(seed, given.urls, given.hosts, given.answer_seconds)
        result = kills.run(wanted, given.folder / f"kills-{seed}", say_on_stderr)
        document = report.document_of_kills(result)
        (given.folder / f"kills-{seed}.json").write_text(json.dumps(document, indent=1) + "\n")
        results.append(result)
        text = report.of_kills(result)
        last = len(results) == len(seeds)
        yield not result.findings, f"{text}\n\n{report.table_of_kills(results)}" if last else text, document


def seeds_of(given: Sequence[int], first: int) -> list[int]:
    """One number is how many, from the first on; several are the seeds themselves."""
    return list(given) if len(given) > 1 else list(range(first, first + given[0]))


def _broker(given: argparse.Namespace) -> Iterator[Told]:
    say_on_stderr("broker")
    drilled = broker.drill(given.folder / "broker", say_on_stderr, tasks=given.tasks, kills=given.broker_kills)
    yield drilled.whole, report.of_drill(drilled), report.document_of_drill(drilled)


def _failover(given: argparse.Namespace) -> Iterator[Told]:
    say_on_stderr("failover")
    result = failover.run(Given(given.seed), given.folder / "failover", say_on_stderr)
    yield not result.findings, report.of_failover(result), report.document("failover", result)


def _numbers(given: argparse.Namespace) -> Iterator[Told]:
    say_on_stderr("numbers")
    counted = numbers.run(
        given.folder / "numbers", say_on_stderr, calls=given.calls, processes=given.processes, seed=given.seed
    )
    yield counted.whole, numbers.told(counted), numbers.document(counted)


def _clocks(given: argparse.Namespace) -> Iterator[Told]:
    say_on_stderr("clocks")
    result = clocks.run(clocks.Given(given.seed), given.folder / "clocks", say_on_stderr)
    yield not result.findings, report.of_clocks(result), report.document("clocks", result)


def _outages(given: argparse.Namespace) -> Iterator[Told]:
    say_on_stderr("outages")
    wanted = outages.Given(given.seed, away_seconds=given.away_seconds)
    result = outages.run(wanted, given.folder / "outages", say_on_stderr)
    yield not result.findings, report.of_outages(result), report.document("outages", result)


def _full_disk(given: argparse.Namespace) -> Iterator[Told]:
    say_on_stderr("full-disk")
    result = full_disk.run(full_disk.Given(given.seed), given.folder / "full-disk", say_on_stderr)
    yield not result.findings, report.of_full_disk(result), report.document("full-disk", result)


def _namespaces(given: argparse.Namespace) -> Iterator[Told]:
    say_on_stderr("namespaces")
    lease, cut = given.lease_seconds, given.cut_seconds or 1.25 * given.lease_seconds
    wanted = partition.Given(given.seed, given.urls, given.hosts, lease_seconds=lease, cut_seconds=cut)
    result = partition.run(wanted, given.folder / "namespaces", say_on_stderr)
    yield not result.findings, report.of_partition(result), report.document("namespaces", result)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.chaos", description="Kill parts, and look what is left.")
    choices = [*WITHOUT, "numbers", "full-disk", "namespaces", []]
    parser.add_argument("what", nargs="*", choices=choices, metavar="WHAT")
    parser.add_argument("--folder", type=Path, default=FOLDER, metavar="DIR", help="where data and logs are left")
    parser.add_argument("--json", action="store_true", help="one document on stdout, nothing else there")
    own = parser.add_argument_group("kills", "workers, scheduler, Valkey and SeaweedFS while URLs are captured")
    own.add_argument("--seed", type=int, default=1, metavar="N", help="the first one")
    own.add_argument("--seeds", type=int, nargs="+", default=[1], metavar="N", help="how many; several: which")
    own.add_argument("--urls", type=int, default=kills.URLS, metavar="N")
    own.add_argument("--hosts", type=int, default=kills.HOSTS, metavar="N")
    own.add_argument("--answer-seconds", type=float, default=kills.ANSWER_SECONDS, metavar="S")
    three = parser.add_argument_group("namespaces", "three hosts, one of which is cut off twice (as root)")
    three.add_argument("--lease-seconds", type=float, default=60.0, metavar="S")
    three.add_argument("--cut-seconds", type=float, default=0.0, metavar="S", help="default: 1.25 leases")
    away = parser.add_argument_group("outages", "the store away, in every way")
    away.add_argument("--away-seconds", type=float, default=60.0, metavar="S", help="each time")
    drill = parser.add_argument_group("broker", "the ledger while Valkey is killed under Celery")
    drill.add_argument("--tasks", type=int, default=broker.TASKS, metavar="N")
    drill.add_argument("--broker-kills", type=int, default=broker.KILLS, metavar="N")
    calls = parser.add_argument_group("numbers", "processes that give citation numbers are killed; Redis is emptied")
    calls.add_argument("--calls", type=int, default=numbers.CALLS, metavar="N")
    calls.add_argument("--processes", type=int, default=numbers.PROCESSES, metavar="N")
    return parser


if __name__ == "__main__":
    sys.exit(main())
