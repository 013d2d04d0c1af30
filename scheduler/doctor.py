"""What is wrong with this installation, in words: each check says what it saw and what to do next.

Every check is a value; none raises, whatever is missing. A check that could not look says so and is not ok.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import platform
import resource
import stat
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

from scheduler.contacts import ANYBODY, NOBODY_NAMED, disagreement, restart_with
from scheduler.in_hand import SILENT_SECONDS, folders_of, spool_fault
from scheduler.numbered_logs import log_faults
from scheduler.rebuild import damaged_objects
from scheduler.stack.state import StackPaths, holder
from scheduler.stack.stores import valkey_binary, weed_binary
from scheduler.stuck import stuck_sentences
from scheduler.uploads import ORPHANED_AFTER, orphans
from scheduler.visits.setting_aside import damaged_shards, unread_schedules
from schemas import keys
from workers.adapters.disk import amount, full_of, room_at
from workers.adapters.redis.client import address, connect, redis_errors
from workers.adapters.redis.liveness import Liveness
from workers.adapters.stores import open_store, probe_conditional_put
from workers.bootstrap import open_archive
from workers.config import Settings, unknown_variables
from workers.errors import CitevaultError, UnsafeStoreError
from workers.flows.compiled import uncompiled
from workers.flows.numbered import RESTORE
from workers.frontier.epoch import read_epoch
from workers.ports import Uploads

GIB = 1024**3
LEAST_FREE_BYTES = 2 * GIB
LEAST_FILES = 1024
MAKE_ROOM = "make room there, or enlarge it; nothing is lost, and what waits goes on by itself"
BEGIN_AGAIN = "`citevault rebuild` begins an epoch above every one that receipts speak of"
RESTORE_SCHEDULES = (
    "restore them from a copy of the bucket; where there is none, `citevault schedule set-aside` goes on without them"
)
MOST_SKEW_SECONDS = 60.0  # S3 refuses at 15 minutes; WARC dates are wrong long before
LOOK_SECONDS = 10.0
SWEPT_WITHIN = timedelta(hours=1)  # the scheduler was down for a while, or the store
OLDEST_REDIS = (7, 0)
INSTALL = "pip install './[archive]' in Citevault's checkout"  # it is in no index: a name alone is anybody's
LIBRARIES = ("celery", "redis", "boto3", "aiohttp", "trafilatura", "fastwarc", "pydantic")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `message` says what was seen; `next_step` is empty where nothing need be done. One
    that is ok and has a `next_step` is a note: everything works, and could do so better."""

    name: str
    ok: bool
    message: str
    next_step: str = ""


def diagnose(settings: Settings, workers_contact: str | None = None) -> list[Check]:
    """All checks, quick ones first. `settings` with the addresses of the local stack, where that runs, and the contact
    that its workers have."""
    checks = [
        *versions(),
        *binaries(settings),
        compiled_fingerprints(),
        contact(settings, workers_contact),
        variables(),
        data_directory(settings.data_dir),
        disk_space(settings.data_dir, settings.spool_dir),
        spool_room(settings),
        signing_key(settings.signing_key),
        open_files(),
    ]
    checks += asyncio.run(redis_checks(settings))
    checks += asyncio.run(store_checks(settings))
    if all(check.ok for check in checks if check.name in ("redis", "s3")):
        checks += [asyncio.run(pipeline(settings)), *asyncio.run(standing_troubles(settings))]
    checks.append(clock(settings))
    return checks if full_of(folders_of(settings)) is None else list(map(_for_want_of_room, checks))


def _for_want_of_room(check: Check) -> Check:
    """A store of this machine that fails while a disk of it is full is not mended by trying again."""
    if check.ok or check.name not in ("redis", "s3", "pipeline", "conditional put"):
        return check
    return replace(check, next_step="a disk of this machine is full (see the check disk space): make room first")


def versions() -> list[Check]:
    """Python and the libraries whose behaviour we build on."""
    python = platform.python_version()
    found = Check("python", sys.version_info >= (3, 11), f"Python {python}", "")
    if not found.ok:
        found = Check("python", False, f"Python {python} is too old", "use Python 3.11 or newer")
    installed, missing = [], []
    for name in LIBRARIES:
        try:
            installed.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return [found, Check("libraries", False, f"missing: {', '.join(missing)}", INSTALL)]
    return [found, Check("libraries", True, ", ".join(installed))]


def binaries(settings: Settings) -> list[Check]:
    """The two servers of the local stack, where they would be used."""
    checks = []
    for name, configured, find, variable in (
        ("valkey binary", bool(settings.redis_url), valkey_binary, "CITEVAULT_REDIS_URL"),
        ("weed binary", bool(settings.s3_endpoint), weed_binary, "CITEVAULT_S3_ENDPOINT"),
    ):
        found = _found(find)
        if found is None and not configured:
            remedy = f"{INSTALL}, or set {variable}"
            checks.append(Check(name, False, f"not found for {platform.system()} {platform.machine()}", remedy))
        else:
            checks.append(Check(name, True, str(found) if found else "not found, and not needed"))
    return checks


def _found(find: Callable[[], Path | None]) -> Path | None:
    try:
        return find()
    except ImportError:
        return None


def compiled_fingerprints() -> Check:
    """Whether workers of this machine make fingerprints by compiled code: a note where they do not."""
    name, slow = "compiled fingerprints", uncompiled()
    if slow is None:
        return Check(name, True, "they are, and give the right values")
    return Check(name, True, slow.what, slow.next_step)


def contact(settings: Settings, workers: str | None = None) -> Check:
    """Of this command and, where a local stack runs, of its `workers`: public addresses want the same of both."""
    differs = disagreement(settings.contact, workers)
    if differs is not None:
        return Check("contact", False, differs.what, differs.next_step)
    if settings.contact:
        return Check("contact", True, settings.agent)
    return Check(
        "contact",
        False,
        "CITEVAULT_CONTACT does not say whom to write to, so public addresses are refused",
        NOBODY_NAMED.next_step if workers is None else restart_with(ANYBODY),
    )


def variables(environ: Mapping[str, str] | None = None) -> Check:
    """Misspelt variables would else be ignored in silence."""
    unknown = unknown_variables(environ)
    if not unknown:
        return Check("variables", True, "every CITEVAULT_ variable is known")
    listed = ", ".join(f"{name} ({near}?)" if near else name for name, near in unknown.items())
    return Check("variables", False, f"without meaning: {listed}", "correct or unset them")


def data_directory(data_dir: Path) -> Check:
    """It holds secrets, so others must not read it; and we must be able to write."""
    name = "data directory"
    existing = next((folder for folder in (data_dir, *data_dir.parents) if folder.exists()), Path("/"))
    if not existing.is_dir():
        return Check(name, False, f"{existing} is no folder", "give another --data-dir")
    if not os.access(existing, os.W_OK | os.X_OK):
        return Check(name, False, f"{existing} cannot be written", "change its owner, or give another --data-dir")
    if existing != data_dir:
        return Check(name, True, f"{data_dir} does not exist yet; the first start makes it")
    secrets = data_dir / "keys"
    if secrets.is_dir() and stat.S_IMODE(secrets.stat().st_mode) & 0o077:
        return Check(name, False, f"others can look into {secrets}", f"chmod 700 {secrets}")
    return Check(name, True, str(data_dir))


def disk_space(*folders: Path) -> Check:
    """Room for the spool and the local stores, at the fullest of the places."""
    least = min(map(room_at, folders), key=lambda room: room.free_bytes)
    if least.free_bytes >= LEAST_FREE_BYTES and not least.is_full:
        return Check("disk space", True, f"{amount(least.free_bytes)} free on the file system at {least.mount}")
    full = "full: " if least.is_full else ""
    return Check("disk space", False, f"{full}{least.sentence(LEAST_FREE_BYTES)}", MAKE_ROOM)


def spool_room(settings: Settings) -> Check:
    """Whether workers of this machine begin batches: they can write to the spool, and there is room in it."""
    folder, least = settings.spool_dir, settings.spool_free_bytes
    fault = spool_fault(settings)
    if fault is not None:
        return Check("spool room", False, f"{fault.what}; at {fault.where}", fault.next_step)
    room = room_at(folder)
    if room.free_bytes >= least:
        return Check("spool room", True, f"{amount(room.free_bytes)} free on the file system at {room.mount}")
    return Check(
        "spool room", False, f"workers begin no batch: {room.sentence(least)}",
        "make room, or lower CITEVAULT_SPOOL_FREE_BYTES; they go on by themselves",
    )  # fmt: skip


def signing_key(path: Path) -> Check:
    if not path.exists():
        return Check("signing key", True, f"none at {path} yet; the first start of the local stack makes it")
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        return Check("signing key", False, f"others can read {path}", f"chmod 600 {path}, and rotate the key")
    return Check("signing key", True, str(path))


def open_files() -> Check:
    """Each connection of a capture worker is an open file."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= LEAST_FILES:
        return Check("open files", True, f"at most {'any number' if soft == resource.RLIM_INFINITY else soft}")
    return Check("open files", False, f"at most {soft}", f"ulimit -n {LEAST_FILES} or more")


async def redis_checks(settings: Settings) -> list[Check]:
    """Reachable, new enough, and never evicting."""
    if not settings.redis_url:
        return [Check("redis", False, "the local stack does not run", "start it with `citevault up`")]
    client = connect(settings.redis_url, connections=1, timeout_seconds=LOOK_SECONDS)
    try:
        with redis_errors(settings.redis_url):
            began = time.monotonic()
            await client.ping()
            took = (time.monotonic() - began) * 1000
            facts = await client.info()
    except CitevaultError as refused:
        return [Check("redis", False, refused.what, refused.next_step or "start it")]
    finally:
        await client.aclose()
    return [
        Check("redis", True, f"{address(settings.redis_url)} answers in {took:.1f} ms"),
        _redis_version(facts),
        _redis_memory(facts),
    ]


def _redis_version(facts: Mapping[str, object]) -> Check:
    product = "Valkey" if "valkey_version" in facts else "Redis"
    version = str(facts.get("valkey_version") or facts.get("redis_version", ""))
    numbers = [int(part) if part.isdigit() else 0 for part in version.split(".")[:2]]
    if tuple(numbers) >= OLDEST_REDIS:
        return Check("redis version", True, f"{product} {version}")
    return Check("redis version", False, f"{product} {version or 'unknown'}", "use Redis 7 or Valkey")


def _redis_memory(facts: Mapping[str, object]) -> Check:
    policy = str(facts.get("maxmemory_policy", "unknown"))
    if policy == "noeviction":
        return Check("redis memory", True, "maxmemory-policy noeviction")
    return Check(
        "redis memory",
        False,
        f"maxmemory-policy {policy}: keys of the frontier may vanish",
        "set maxmemory-policy to noeviction",
    )


async def store_checks(settings: Settings) -> list[Check]:
    """Reachable, the bucket is there, and conditional writes hold. Writes the one probe object."""
    if not settings.s3_endpoint:
        return [Check("s3", False, "the local stack does not run", "start it with `citevault up`")]
    store = open_store(settings)
    where = f"{settings.s3_endpoint}, bucket {settings.s3_bucket}"
    try:
        await asyncio.wait_for(store.info("control/epoch"), LOOK_SECONDS * settings.s3_attempts)
        await asyncio.wait_for(probe_conditional_put(store), LOOK_SECONDS * settings.s3_attempts)
    except UnsafeStoreError as unsafe:
        return [Check("s3", True, where), Check("conditional put", False, unsafe.what, unsafe.next_step)]
    except CitevaultError as refused:
        return [Check("s3", False, f"{where}: {refused.what}", refused.next_step or "correct the settings")]
    except TimeoutError:
        return [Check("s3", False, f"{where}: no answer in time", "look at the store, then try again")]
    else:
        uploads = await unfinished_uploads(store.uploads, datetime.now(UTC))
    finally:
        store.close()
    honoured = Check("conditional put", True, "If-None-Match and If-Match are honoured")
    return [Check("s3", True, where), honoured, uploads]


async def unfinished_uploads(uploads: Uploads, now: datetime) -> Check:
    """Whether uploads in parts lie about that the scheduler should have aborted: it looks every quarter of an hour."""
    name = "unfinished uploads"
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            found = [upload async for upload in orphans(uploads, now=now, after=ORPHANED_AFTER + SWEPT_WITHIN)]
    except CitevaultError as refused:
        remedy = refused.next_step or "let these credentials list and abort multipart uploads"
        return Check(name, False, f"could not be listed: {refused.what}", remedy)
    except TimeoutError:
        return Check(name, False, "could not be listed in time", "look at the store, then try again")
    if not found:
        return Check(name, True, "none that nobody will finish")
    oldest = min(found, key=lambda upload: upload.begun_at)
    return Check(
        name,
        False,
        f"{len(found)} that nobody will finish, the oldest of {oldest.begun_at:%Y-%m-%dT%H:%M:%SZ}: {oldest.key}",
        "start the scheduler, which aborts them; where it runs, its log says what keeps it from that",
    )


async def pipeline(settings: Settings) -> Check:
    """Whether all that is committed gets on, and whether all objects could be read when Redis was rebuilt."""
    try:
        async with open_archive(settings) as archive:
            if await read_epoch(archive.store) is None:
                async for _ in archive.store.list(keys.COMMITS):
                    return Check("pipeline", False, f"{keys.EPOCH} is gone, and receipts are there", BEGIN_AGAIN)
                return Check("pipeline", True, "the archive is new")
            aside = await archive.frontier.aside()
            sentences = await stuck_sentences(
                archive.ledger, [each.key for each in await damaged_objects(archive.store)], aside
            )
            schedules = await damaged_shards(archive.store)
    except CitevaultError as error:
        return Check("pipeline", False, f"could not be looked at: {error.what}", error.next_step)
    if schedules:
        return Check("pipeline", False, "; ".join([*sentences, unread_schedules(schedules)]), RESTORE_SCHEDULES)
    if not sentences:
        return Check("pipeline", True, "nothing is parked or damaged")
    return Check("pipeline", False, "; ".join(sentences), "see `citevault status JOB`; remove the cause, then retry")


async def standing_troubles(settings: Settings) -> list[Check]:
    """What keeps the scheduler from its work at present, and which numbered logs take no entry any more."""
    try:
        async with asyncio.timeout(LOOK_SECONDS), open_archive(settings) as archive:
            sign = (await Liveness(archive.redis).all()).get("scheduler")
            faults = await log_faults(archive.store)
    except (CitevaultError, TimeoutError) as error:
        return [Check("numbered logs", False, f"could not be looked at: {error or 'no answer in time'}", "try again")]
    trouble = "" if sign is None or time.time() - sign.alive_at_ms / 1000 > SILENT_SECONDS else sign.trouble
    return [
        Check("scheduler troubles", not trouble, trouble or "none that it tells", "see its log" if trouble else ""),
        Check("numbered logs", not faults, "; ".join(map(str, faults)) or "whole", RESTORE if faults else ""),
    ]


def clock(settings: Settings) -> Check:
    """This machine's clock against the Date of an S3 answer, to a second."""
    if not settings.s3_endpoint or settings.store_folder is not None:
        return Check("clock", True, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}; there is no S3 to compare it with")
    try:
        skew = _skew_seconds(settings.s3_endpoint)
    except (OSError, http.client.HTTPException, ValueError, TypeError) as refused:
        return Check("clock", False, f"could not be compared with S3's: {refused}", "see the check s3")
    if abs(skew) <= MOST_SKEW_SECONDS:
        return Check("clock", True, f"within {abs(skew):.0f} s of S3's")
    direction = "ahead of" if skew > 0 else "behind"
    return Check("clock", False, f"{abs(skew):.0f} s {direction} S3's", "set the clock (NTP)")


def _skew_seconds(endpoint: str) -> float:
    parts = urlsplit(endpoint)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=LOOK_SECONDS)
    try:
        connection.request("HEAD", "/")
        stated = connection.getresponse().headers.get("Date", "")
    finally:
        connection.close()
    return (datetime.now(UTC) - parsedate_to_datetime(stated)).total_seconds()


def parts(data_dir: Path) -> list[Check]:
    """Whether each part of the running local stack lives: it holds its lock as long as it does."""
    paths = StackPaths(data_dir)
    checks = []
    for lock in sorted(paths.run.glob("*.lock")):
        alive = holder(lock) is not None
        message = "runs" if alive else "does not run; the supervisor starts it again, with longer and longer pauses"
        checks.append(Check(lock.stem, alive, message, "" if alive else f"read {paths.logs / lock.stem}.log"))
    return checks


def worst_exit(checks: Iterable[Check]) -> int:
    """Exit code of `citevault doctor`: 0 all well, 1 something to be done, 3 a store cannot be used."""
    failed = {check.name for check in checks if not check.ok}
    if failed & {"redis", "s3", "conditional put"}:
        return 3
    return 1 if failed else 0
