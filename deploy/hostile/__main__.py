"""`python -m deploy.hostile`: visit the hostile server, hold the archive against it, ask all readers and a browser, and
write `deploy/hostile/TABLE.md`.

Exit 0: nothing is lost, and every case is told for what it is. 1: something is not. 3: a program is missing.
"""

from __future__ import annotations

import argparse
import asyncio
import ipaddress
import json
import os
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from deploy.hostile.browser import NoBrowserError, browser_version, find_browser, look_at_all
from deploy.hostile.case import Case
from deploy.hostile.checking import what_is_wrong
from deploy.hostile.document import document, versions
from deploy.hostile.opinions import all_rows
from deploy.hostile.replay import NoReplayError
from deploy.hostile.run import Run, visit_all
from deploy.hostile.serve import all_cases, hostile_process
from deploy.hostile.table import BROWSER, TABLE, browser_answers
from deploy.hostile.unreadable import UNREADABLE
from scheduler.stack.running import RunningStores, running_parts
from workers.bootstrap import open_archive
from workers.config import Settings
from workers.frontier import names
from workers.frontier.epoch import raise_epoch

ROOT = Path(__file__).resolve().parents[2]
DONE, WRONG, MISSING = 0, 1, 3


def main() -> int:
    """Run all of it; progress goes to stderr."""
    given = _parser().parse_args()
    if not (given.peers / "cdxj-indexer").exists():
        return _missing(f"no cdxj-indexer and pywb in {given.peers}: run `make peers`, or set CITEVAULT_PEERS")
    data = given.conformance_data if given.conformance_data.is_dir() else None
    cases = all_cases(data)
    try:
        with tempfile.TemporaryDirectory(prefix="hostile-") as folder, hostile_process(data) as urls:
            return _make(cases, urls, Path(folder), given)
    except (NoBrowserError, NoReplayError) as error:
        return _missing(str(error))


def _make(cases: tuple[Case, ...], urls: dict[str, str], folder: Path, given: argparse.Namespace) -> int:
    browser = _browser(cases, urls, keep=given.keep_browser)
    _say(f"{len(cases)} cases through the data plane")
    with running_parts(folder / "parts") as stores:
        run = asyncio.run(_visit(_settings(folder, stores), list(urls.values())))
    wrong = {case.name: found for case in cases if (found := what_is_wrong(case, urls[case.name], run))}
    _say("FastWARC, warcio, cdxj-indexer and pywb read it back")
    rows = all_rows(run, cases, urls, given.peers, folder / "readers")
    told = versions(given.peers, json.loads(BROWSER.read_text(encoding="utf-8"))["browser"])
    TABLE.write_text(document(rows, browser, told), encoding="utf-8")
    for name, found in wrong.items():
        _say(f"{name}: {'; '.join(found)}")
    unreadable = {row.case.name for members in rows.values() for row in members if not row.readable}
    for name in sorted(unreadable ^ set(UNREADABLE)):
        _say(f"{name}: " + ("no reader finds its payload" if name in unreadable else "is on the list, yet can be read"))
    _say(f"{TABLE} is written: {len(cases) - len(wrong)} of {len(cases)} cases are as they must be")
    return WRONG if wrong or unreadable != set(UNREADABLE) else DONE


def _browser(cases: tuple[Case, ...], urls: dict[str, str], *, keep: bool) -> dict[str, str]:
    """What the browser does: asked now, or, with `keep`, when it was last asked about a case."""
    seen = browser_answers() if keep else {}
    new = [case for case in cases if case.name not in seen]
    if not new:
        return seen
    program = find_browser()
    _say(f"{browser_version(program)} opens {len(new)} cases")
    flooding = [case.name for case in new if case.endless and not case.pause]
    seen |= asyncio.run(look_at_all({case.name: urls[case.name] for case in new}, alone=flooding))
    stored = {
        "browser": browser_version(program),
        "looked_at": datetime.now(UTC).date().isoformat(),
        "cases": {case.name: seen[case.name] for case in cases},
    }
    BROWSER.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return seen


async def _visit(settings: Settings, urls: list[str]) -> Run:
    async with open_archive(settings) as archive:
        epoch = await raise_epoch(archive.store, now="2026-01-01T00:00:00Z", reason="a fresh archive")
        await archive.redis.set(names.EPOCH, str(epoch.epoch))
        return await visit_all(archive, epoch.epoch, urls)


def _settings(folder: Path, stores: RunningStores) -> Settings:
    loopback = (ipaddress.ip_network("127.0.0.0/8"),)
    return stores.reached_by(Settings(data_dir=folder, allow_networks=loopback, contact="https://example.org/contact"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m deploy.hostile", description="Visit a hostile server, and write what becomes of each answer."
    )
    peers = Path(os.environ.get("CITEVAULT_PEERS") or ROOT / "build" / "peers") / "bin"
    data = Path(os.environ.get("CITEVAULT_CONFORMANCE_DATA") or ROOT.parent / "shared" / "data")
    parser.add_argument("--peers", type=Path, default=peers, metavar="DIR", help="programs of pywb and cdxj-indexer")
    parser.add_argument("--conformance-data", type=Path, default=data, metavar="DIR", help="adds llhttp's responses")
    parser.add_argument(
        "--keep-browser", action="store_true", help="open only cases that no browser has been asked about"
    )
    return parser


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


def _missing(what: str) -> int:
    _say(f"hostile: {what}")
    return MISSING


if __name__ == "__main__":
    sys.exit(main())
