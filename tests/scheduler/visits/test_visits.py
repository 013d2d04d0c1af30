"""Scheduled visits over the whole data plane, against a web that changes, on a clock that a test sets."""

from __future__ import annotations

import asyncio
import socket
from datetime import timedelta

import pytest

from scheduler.cadence.changing import paused, resumed
from scheduler.rebuild import rebuild
from scheduler.service.wiring import rebuild_ports_of
from scheduler.visits import VisitLimits
from scheduler.visits.enrolment import Enrolled, change_each
from scheduler.visits.queueing import due_at
from scheduler.visits.rounds import read_rounds
from scheduler.visits.shards import shard_of
from schemas import keys
from schemas.ids import utc_string
from schemas.records.receipt import Receipt
from schemas.records.schedule import Adaptive, Every
from workers.errors import RetryableError
from workers.flows.documents import read_object
from workers.frontier import names

pytestmark = pytest.mark.real

DAY = timedelta(days=1)
WEEK = timedelta(days=8)
"""A week, and room for any jitter."""
TEXT = "The barrier consists of 14 gates, each 32 metres wide, and closes within four hours of a warning. " * 6
OTHER = "Nothing on this page speaks of gates any more; the site sells furniture, lamps and carpets by post. " * 6


def html(text: str, title: str = "Barrier") -> bytes:
    return f"<html><head><title>{title}</title></head><body><article><p>{text}</p></article></body></html>".encode()


def page(site, path: str, text: str, *fields: str) -> str:
    site.says(path, html(text), "Content-Type: text/html", *fields)
    return site.url(path)


def status(site, path: str, line: str) -> None:
    site.answers[path] = f"HTTP/1.1 {line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()


def asked(site, path: str) -> int:
    return sum(request.split(b" ")[1].decode() == path for request in site.requests)


def test_a_page_that_nobody_captured_is_visited_at_once_and_then_each_week(revisited, raw_web):
    site = raw_web("127.0.0.31")
    url = page(site, "/barrier", TEXT)

    async def scenario():
        async with revisited() as archive:
            await archive.add(url)
            assert await archive.visit() == 1
            first = await archive.schedule(url)
            assert await archive.visit() == 0, "nothing is due"
            archive.now += WEEK
            assert await archive.visit() == 1
            return first, await archive.schedule(url), await archive.plane.archive.catalog.snapshots_of(url)

    first, second, snapshots = asyncio.run(scenario())
    assert (first.visits[0].verdict, first.visits[0].period, first.next_period) == ("first", 0, 1)
    assert [visit.verdict for visit in second.visits] == ["first", "unchanged"]
    assert [visit.period for visit in second.visits] == [0, 1]
    assert second.visits[1].snapshot_id == snapshots[0]
    assert len(snapshots) == 2
    assert asked(site, "/barrier") == 2


def test_a_captured_page_is_due_one_distance_after_its_capture(revisited, raw_web):
    site = raw_web("127.0.0.32")
    url = page(site, "/barrier", TEXT)

    async def scenario():
        async with revisited() as archive:
            await archive.archive_now(url)
            await archive.add(url)
            assert await archive.visit() == 0
            archive.now += WEEK
            page(site, "/barrier", OTHER)
            assert await archive.visit() == 1
            receipts = [
                await read_object(archive.plane.archive.store, key, Receipt)
                async for key in archive.plane.archive.store.list(keys.COMMITS)
            ]
            return await archive.schedule(url), [each.outcomes[0].visit for each in receipts]

    found, visits = asyncio.run(scenario())
    assert [visit.verdict for visit in found.visits] == ["changed"], "compared with the capture before"
    assert found.visits[0].overlap_ppm == 0
    assert found.looks[0].changed
    assert sorted(visits) == [1, 2], "(job, visit, URL): the first fetch of a page is visit 1, the next is 2"


def test_an_unchanged_page_is_asked_for_news_only(revisited, raw_web):
    site = raw_web("127.0.0.33")
    url = page(site, "/barrier", TEXT, 'ETag: "v1"')

    def not_modified(connection: socket.socket) -> None:
        assert b'If-None-Match: "v1"' in site.requests[-1]
        connection.sendall(b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\nConnection: close\r\n\r\n')

    async def scenario():
        async with revisited() as archive:
            await archive.add(url)
            await archive.visit()
            site.answers["/barrier"] = not_modified
            archive.now += WEEK
            await archive.visit()
            return await archive.schedule(url)

    found = asyncio.run(scenario())
    assert [visit.verdict for visit in found.visits] == ["first", "unchanged"]
    assert found.visits[1].outcome == "not_modified"


def gone(site) -> None:
    status(site, "/barrier", "410 Gone")


def soft_404(site) -> None:
    site.says("/barrier", html("We are sorry.", "Page not found"), "Content-Type: text/html")


def home(site) -> None:
    site.redirects("/barrier", site.url("/"))
    page(site, "/", OTHER)


def moved_to_the_root(site) -> None:
    site.redirects("/barrier", site.url("/"))
    page(site, "/", TEXT)


def broken(site) -> None:
    status(site, "/barrier", "503 Service Unavailable")


def refused(site) -> None:
    status(site, "/barrier", "403 Forbidden")


def silent(site) -> None:
    site.answers["/barrier"] = b""


def denied(site) -> None:
    site.says("/robots.txt", b"User-agent: *\nDisallow: /\n", "Content-Type: text/plain")


@pytest.mark.parametrize(
    ("becomes", "verdict"),
    [
        (gone, "gone"),
        (soft_404, "soft_404"),
        (home, "redirected_home"),
        (moved_to_the_root, "unchanged"),
        (broken, "unreadable"),
        (refused, "blocked"),
        (silent, "no_answer"),
        (denied, "not_made"),
    ],
)
def test_what_became_of_a_page_is_told(revisited, raw_web, becomes, verdict):
    """X18: a page that is gone is told as such, also where the server says that all is well."""
    site = raw_web("127.0.0.34")
    url = page(site, "/barrier", TEXT)

    async def scenario():
        async with revisited() as archive:
            await archive.add(url)
            await archive.visit()
            becomes(site)
            archive.now += WEEK
            await archive.visit()
            if verdict == "no_answer":
                await archive.try_again()
            return await archive.schedule(url)

    found = asyncio.run(scenario())
    assert [visit.verdict.value for visit in found.visits] == ["first", verdict]
    assert found.away == (verdict in ("gone", "soft_404", "redirected_home"))
    assert found.seen is not None, "what was seen well is what later visits are compared with"
    assert len(found.looks) == (verdict == "unchanged")


def test_missed_periods_are_one_visit_that_says_how_many_they_were(revisited, raw_web):
    site = raw_web("127.0.0.35")
    url = page(site, "/barrier", TEXT)

    async def scenario():
        async with revisited() as archive:
            await archive.add(url)
            await archive.visit()
            archive.now += 5 * timedelta(days=7) + DAY
            assert await archive.visit() == 1
            assert await archive.visit() == 0
            return await archive.schedule(url)

    found = asyncio.run(scenario())
    assert (found.visits[1].period, found.visits[1].missed, found.periods_missed) == (5, 4, 4)
    assert found.next_period == 6
    assert asked(site, "/barrier") == 2


@pytest.mark.parametrize("step", ["round", "job", "queued", "captured", "folded"])
def test_a_scheduler_that_dies_loses_no_visit_and_makes_none_twice(revisited, raw_web, monkeypatch, step):
    site = raw_web("127.0.0.36")
    urls = [page(site, f"/{number}", f"{number} {TEXT}") for number in range(3)]

    class KilledError(BaseException):
        pass

    async def killed(*_: object, **__: object) -> None:
        raise KilledError

    async def scenario():
        async with revisited() as archive:
            await archive.add(*urls)
            with monkeypatch.context() as patched:
                if step == "round":
                    patched.setattr("scheduler.visits.visiting.start_round", killed)
                elif step == "job":
                    patched.setattr("scheduler.visits.round_job.resume_intake", killed)
                elif step == "queued":
                    patched.setattr(type(archive.ports.due), "drop", killed)
                if step in ("round", "job", "queued"):
                    archive.visiting._check_at = archive.now + WEEK
                    with pytest.raises(KilledError):
                        await archive.visiting.step(archive.now)
                else:
                    await archive.visiting.step(archive.now)
                    await archive.work()
                if step == "folded":
                    patched.setattr("scheduler.visits.visiting.close_round", killed)
                    with pytest.raises(KilledError):
                        await archive.visiting.step(archive.now)
            archive.die()
            await archive.visit()
            await archive.visit()
            return [await archive.schedule(url) for url in urls], await archive.plane.archive.frontier.jobs()

    found, jobs = asyncio.run(scenario())
    assert [(each.visits_made, [visit.period for visit in each.visits]) for each in found] == [(1, [0])] * 3
    assert len(jobs) == 1
    assert [asked(site, f"/{number}") for number in range(3)] == [1, 1, 1]


def test_of_two_schedulers_that_plan_at_once_one_plans(revisited, raw_web):
    site = raw_web("127.0.0.37")
    url = page(site, "/barrier", TEXT)

    async def scenario():
        async with revisited() as archive:
            await archive.add(url)
            stalled = archive.visiting
            await stalled._load()
            stalled._check_at = archive.now + WEEK
            archive.die()
            assert await archive.visiting.step(archive.now) == 1
            await archive.ports.due.put([due_at(await archive.schedule(url))])
            with pytest.raises(RetryableError, match="another scheduler"):
                await stalled.step(archive.now)
            assert await stalled.step(archive.now) == 0, "it has read what the other one planned"
            await archive.work()
            assert await stalled.step(archive.now) == 1, "and takes it in like its own"
            return await archive.schedule(url)

    found = asyncio.run(scenario())
    assert found.visits_made == 1
    assert asked(site, "/barrier") == 1


def test_an_entry_that_the_queue_lost_is_found_again(revisited, raw_web):
    site = raw_web("127.0.0.38")
    urls = [page(site, f"/{number}", TEXT) for number in range(4)]

    async def scenario():
        async with revisited() as archive:
            await archive.add(*urls)
            await archive.ports.due.drop([(await archive.schedule(url)).id for url in urls[:2]])
            planned = await archive.visit()
            return planned, [await archive.verdicts(url) for url in urls]

    planned, verdicts = asyncio.run(scenario())
    assert planned == 4
    assert verdicts == [["first"]] * 4


def test_a_days_budget_is_kept_and_cited_pages_go_first(revisited, raw_web):
    site = raw_web("127.0.0.39")
    plain = [page(site, f"/plain/{number}", TEXT) for number in range(4)]
    cited = [page(site, f"/cited/{number}", TEXT) for number in range(2)]

    async def scenario():
        async with revisited(VisitLimits(budget=3, gather_seconds=0)) as archive:
            archive.now = archive.now.replace(hour=12)
            await archive.add(*plain)
            await archive.add(*cited, cited=True)
            archive.now += timedelta(hours=1)
            today = [await archive.visit(), await archive.visit()]
            first = [bool(await archive.verdicts(url)) for url in cited]
            archive.now += DAY
            archive.die()
            tomorrow = [await archive.visit(), await archive.visit()]
            return today, first, tomorrow

    today, first, tomorrow = asyncio.run(scenario())
    assert today == [3, 0]
    assert first == [True, True]
    assert tomorrow == [3, 0]


def test_a_removed_and_a_paused_page_are_not_visited(revisited, raw_web):
    site = raw_web("127.0.0.40")
    urls = [page(site, f"/{number}", TEXT) for number in range(3)]

    async def scenario():
        async with revisited() as archive:
            await archive.add(*urls)
            made = [(await archive.schedule(url)).id for url in urls]
            store, due, now = archive.ports.store, archive.ports.due, utc_string(archive.now)
            await change_each(made[:1], lambda known, _: None, Enrolled(), store=store, due=due)
            await change_each(made[1:2], lambda known, _: paused(known, now=now), Enrolled(), store=store, due=due)
            assert await archive.visit() == 1
            assert await archive.verdicts(urls[1]) == []
            archive.now += 3 * WEEK
            later = utc_string(archive.now)
            await change_each(made[1:2], lambda known, _: resumed(known, now=later), Enrolled(), store=store, due=due)
            await archive.visit()
            return await archive.schedule(urls[1]), await archive.schedule(urls[2])

    was_paused, active = asyncio.run(scenario())
    assert (was_paused.visits_made, was_paused.periods_missed) == (1, 0)
    assert active.visits_made == 2
    assert asked(site, "/0") == 0


def test_an_adaptive_page_is_visited_as_often_as_it_changes(revisited, raw_web):
    site = raw_web("127.0.0.41")
    lively, still = (page(site, path, TEXT) for path in ("/lively", "/still"))

    async def scenario():
        async with revisited() as archive:
            await archive.add(lively, still, cadence=Adaptive(least_seconds=86_400, most_seconds=60 * 86_400))
            for number in range(40):
                page(site, "/lively", f"{TEXT} Day {number}.")
                await archive.visit()
                archive.now += DAY
            return await archive.schedule(lively), await archive.schedule(still)

    changing, same = asyncio.run(scenario())
    assert changing.changes_a_day_ppm > 3 * same.changes_a_day_ppm
    assert changing.visits_made > 2 * same.visits_made
    assert [visit.verdict.value for visit in changing.visits][1:] == ["changed"] * (len(changing.visits) - 1)
    assert [visit.verdict.value for visit in same.visits][1:] == ["unchanged"] * (len(same.visits) - 1)
    assert asked(site, "/lively") == changing.visits_made


def test_a_cancelled_job_ends_its_round_and_the_page_is_due_again_later(revisited, raw_web):
    site = raw_web("127.0.0.42")
    url = page(site, "/barrier", TEXT)

    async def scenario():
        async with revisited() as archive:
            await archive.add(url)
            await archive.visiting.step(archive.now)
            (job_id,) = await archive.plane.archive.frontier.jobs()
            await archive.plane.archive.redis.hset(names.job(job_id), "state", "cancelled")
            await archive.visiting.step(archive.now)
            return await archive.schedule(url), await read_rounds(archive.ports.store)

    cancelled, rounds = asyncio.run(scenario())
    assert [visit.verdict.value for visit in cancelled.visits] == ["not_made"]
    assert (cancelled.visits_made, cancelled.next_period, rounds.open) == (0, 1, {})
    assert cancelled.due_at > cancelled.created_at


def test_what_is_due_waits_for_company_and_not_for_ever(revisited, raw_web):
    site = raw_web("127.0.0.43")
    urls = [page(site, f"/{number}", TEXT) for number in range(3)]

    async def scenario():
        async with revisited(VisitLimits(gather_seconds=300, round_visits=3)) as archive:
            await archive.add(*urls[:2])
            waits = await archive.visit()
            await archive.add(urls[2])
            full = await archive.visit()
            archive.now += WEEK
            return waits, full, await archive.visit()

    assert asyncio.run(scenario()) == (0, 3, 3)


def test_a_round_whose_schedules_are_damaged_stays_open_and_the_others_go_on(revisited, raw_web):
    site = raw_web("127.0.0.44")
    first, second = (page(site, path, TEXT) for path in ("/first", "/second"))

    async def scenario():
        async with revisited() as archive:
            store = archive.plane.archive.store
            await archive.add(first)
            await archive.visiting.step(archive.now)
            await archive.work()
            key = keys.schedules(shard_of((await archive.schedule(first)).id))
            good, info = await store.get(key), await store.info(key)
            assert await store.replace(key, b"damaged", etag=info.etag)
            await archive.add(second)
            await archive.visit()
            damaged = await archive.verdicts(second), list((await read_rounds(store)).open)
            info = await store.info(key)
            assert await store.replace(key, good, etag=info.etag)
            archive.now += timedelta(hours=1)
            await archive.visit()
            return damaged, await archive.verdicts(first), list((await read_rounds(store)).open)

    damaged, verdicts, still_open = asyncio.run(scenario())
    assert damaged == (["first"], [1])
    assert (verdicts, still_open) == (["first"], [])
    assert asked(site, "/first") == 1


def test_a_page_that_is_tried_for_hours_keeps_the_others_of_its_round_from_nothing(revisited, raw_web):
    site = raw_web("127.0.0.45")
    good, quiet = page(site, "/good", TEXT), site.url("/quiet")
    site.answers["/quiet"] = b""

    async def scenario():
        async with revisited() as archive:
            await archive.add(good, quiet, cadence=Every(every_seconds=3600))
            assert await archive.visit() == 2
            archive.now += timedelta(minutes=11)
            await archive.visit()
            partly = await archive.verdicts(good), await archive.verdicts(quiet)
            archive.now += timedelta(hours=1)
            assert await archive.visit() == 1, "the good one goes on"
            await archive.try_again()
            return partly, await archive.verdicts(good), await archive.verdicts(quiet), archive.ports.store

    partly, good_then, quiet_then, _ = asyncio.run(scenario())
    assert partly == (["first"], [])
    assert good_then[:2] == ["first", "unchanged"]
    assert quiet_then == ["no_answer"]


def test_a_rebuild_gives_the_queue_back_and_a_visit_on_its_way_is_made_once(revisited, raw_web):
    site = raw_web("127.0.0.46")
    urls = [page(site, f"/{number}", TEXT) for number in range(3)]

    async def scenario():
        async with revisited() as archive:
            plane, now = archive.plane, utc_string(archive.now)
            await archive.add(urls[0])
            await archive.visiting.step(archive.now)
            await archive.add(*urls[1:])
            await plane.archive.redis.flushall()
            rebuilt = await rebuild(rebuild_ports_of(plane.archive), now=now, reason="a test emptied Redis")
            plane.epoch = rebuilt.epoch
            counts = await archive.ports.due.counts(now_ms=plane.now_ms())
            archive.die()
            await archive.visit()
            archive.now += timedelta(seconds=10)  # a host that another job was at is looked at again soon, not at once
            await archive.visit()
            return rebuilt, counts, [await archive.verdicts(url) for url in urls]

    rebuilt, counts, verdicts = asyncio.run(scenario())
    assert (counts.waiting, counts.due) == (3, 3)
    assert rebuilt.objects >= 3 + 2, "each schedule's shard, and the round's job with its seeds"
    assert verdicts == [["first"]] * 3
    assert [asked(site, f"/{number}") for number in range(3)] == [1, 1, 1]
