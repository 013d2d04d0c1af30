"""robots.txt over processes: who asks for it, who goes by what another learned, and what holds while a site is down."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from schemas.records.outcome import Outcome
from workers.adapters.redis.client import connect
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.robots_copies import RedisRobotsCopies
from workers.capture.robots_answer import AllowAll, Rules, Unreachable
from workers.exchange import Exchange, Response, Spool
from workers.flows.capture.robots import RobotsCache
from workers.frontier import names
from workers.frontier.epoch import Epoch

SITE = "https://a.test"
FORBIDS = b"User-agent: *\nDisallow: /x\nCrawl-delay: 3"


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 29, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return self.moment.timestamp()


class Counted:
    """The shared copies, and how often they were looked up."""

    def __init__(self, copies: RedisRobotsCopies) -> None:
        self.copies = copies
        self.gets = 0

    async def get(self, site: str) -> bytes | None:
        self.gets += 1
        return await self.copies.get(site)

    async def put(self, site: str, copy: bytes, *, seconds: float) -> None:
        await self.copies.put(site, copy, seconds=seconds)


class Web:
    """Answers to robots.txt requests, by URL; None: no answer."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, bytes, str] | Outcome] = {}
        self.asked: list[str] = []

    async def fetch(self, url: str) -> Exchange:
        self.asked.append(url)
        await asyncio.sleep(0)
        answer = self.answers.get(url, (404, b"", ""))
        if isinstance(answer, Outcome):
            return Exchange(url=url, started_at="2026-11-29T12:00:00Z", outcome=answer, failure="no")
        status, body, location = answer
        fields = ((b"Location", location.encode()),) if location else ()
        response = Response(head=b"", content=Spool(body), framing="length", status=status, headers=fields)
        return Exchange(url=url, started_at="2026-11-29T12:00:00Z", outcome=Outcome.CAPTURED, response=response)


Make = Callable[[], RobotsCache]


@pytest.fixture
def with_sites(redis_url: str) -> Callable[..., None]:
    """Run a scenario with a maker of caches (one a process) over one Redis."""

    def run(scenario: Callable[[Make, Web, Time, Counted], Awaitable[None]]) -> None:
        async def within() -> None:
            client = connect(redis_url)
            try:
                await client.set(names.EPOCH, "1")
                copies, clock, web = Counted(RedisRobotsCopies(Guard(client, Epoch(number=1)))), Time(), Web()
                await scenario(lambda: RobotsCache("citevault", clock, copies), web, clock, copies)
            finally:
                await client.aclose()

        asyncio.run(within())

    return run


def test_what_one_process_learned_all_go_by_and_a_page_costs_no_look_up(with_sites):
    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        web.answers[f"{SITE}/robots.txt"] = (200, FORBIDS, "")
        first, second = make(), make()
        found = [await first.rules(f"{SITE}/{page}", web.fetch) for page in range(5)]
        shared = [await second.rules(f"{SITE}/{page}", web.fetch) for page in range(5)]
        assert web.asked == [f"{SITE}/robots.txt"]
        assert copies.gets == 2, "one a process"
        for rules in (*found, *shared):
            assert isinstance(rules.decision, Rules)
            assert not rules.decision.rules.allows(f"{SITE}/x")
            assert rules.crawl_delay == 3

    with_sites(scenario)


def test_rules_are_of_one_scheme_host_and_port(with_sites):
    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        cache = make()
        for site in ("https://a.test", "http://a.test", "https://a.test:8443", "https://b.test"):
            await cache.rules(f"{site}/1", web.fetch)
            await cache.rules(f"{site}/2", web.fetch)
        assert web.asked == [
            "https://a.test/robots.txt",
            "http://a.test/robots.txt",
            "https://a.test:8443/robots.txt",
            "https://b.test/robots.txt",
        ]

    with_sites(scenario)


def test_many_pages_at_once_ask_once(with_sites):
    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        cache = make()
        await asyncio.gather(*(cache.rules(f"{SITE}/{page}", web.fetch) for page in range(20)))
        assert len(web.asked) == 1

    with_sites(scenario)


def test_after_a_day_the_site_is_asked_and_while_it_is_down_its_last_word_holds(with_sites):
    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        web.answers[f"{SITE}/robots.txt"] = (200, FORBIDS, "")
        first = make()
        await first.rules(SITE, web.fetch)
        clock.moment += timedelta(hours=25)
        web.answers[f"{SITE}/robots.txt"] = (503, b"", "")
        stale = await first.rules(f"{SITE}/x", web.fetch)
        assert isinstance(stale.decision, Rules)
        assert not stale.decision.rules.allows(f"{SITE}/x")
        assert stale.copy_of == datetime(2026, 11, 29, 12, tzinfo=UTC)
        assert len(web.asked) == 2
        elsewhere = await make().rules(f"{SITE}/x", web.fetch)
        assert isinstance(elsewhere.decision, Rules), "another process, that never saw it up, goes by it too"
        assert elsewhere.last is None
        assert len(web.asked) == 2, "and does not try again at once"
        clock.moment += timedelta(seconds=61)
        web.answers[f"{SITE}/robots.txt"] = Outcome.TIMEOUT
        assert isinstance((await make().rules(SITE, web.fetch)).decision, Rules)
        assert len(web.asked) == 3, "but soon"
        clock.moment += timedelta(days=31)
        assert isinstance((await make().rules(SITE, web.fetch)).decision, Unreachable)
        clock.moment += timedelta(hours=1)
        web.answers[f"{SITE}/robots.txt"] = (404, b"", "")
        assert isinstance((await first.rules(SITE, web.fetch)).decision, AllowAll), "the first answer counts"

    with_sites(scenario)


def test_a_site_that_never_answered_is_closed_and_says_why(with_sites):
    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        web.answers[f"{SITE}/robots.txt"] = Outcome.DNS_FAILED
        for cache in (make(), make()):
            rules = await cache.rules(SITE, web.fetch)
            assert isinstance(rules.decision, Unreachable)
            assert rules.failure is Outcome.DNS_FAILED
        assert len(web.asked) == 1

    with_sites(scenario)


@pytest.mark.parametrize("outcome", [Outcome.GUARD_DENIED, Outcome.TLS_FAILED])
def test_what_only_one_job_may_not_reach_is_not_remembered(with_sites, outcome):
    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        cache = make()
        web.answers[f"{SITE}/robots.txt"] = outcome
        assert (await cache.rules(SITE, web.fetch)).failure is outcome
        web.answers[f"{SITE}/robots.txt"] = (200, FORBIDS, "")
        assert isinstance((await cache.rules(SITE, web.fetch)).decision, Rules)

    with_sites(scenario)


@pytest.mark.parametrize("outcome", [Outcome.GUARD_DENIED, Outcome.DNS_FAILED])
def test_a_failure_of_a_host_that_the_file_redirects_to_is_none_of_the_site(with_sites, outcome):
    """Else a robots.txt that leads to a private address would make its site's pages look private."""

    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        web.answers[f"{SITE}/robots.txt"] = (302, b"", "https://b.test/robots.txt")
        web.answers["https://b.test/robots.txt"] = outcome
        rules = await make().rules(SITE, web.fetch)
        assert isinstance(rules.decision, Unreachable)
        assert rules.failure is None

    with_sites(scenario)


def test_what_an_unverified_connection_brought_binds_no_verified_one(with_sites):
    """Who sits in between could else open a site, or close it, for every job."""

    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        cache = make()
        await cache.rules(SITE, web.fetch, verified=False)
        web.answers[f"{SITE}/robots.txt"] = (200, FORBIDS, "")
        assert isinstance((await cache.rules(SITE, web.fetch)).decision, Rules)
        assert isinstance((await cache.rules(SITE, web.fetch, verified=False)).decision, AllowAll)
        assert len(web.asked) == 2

    with_sites(scenario)


@pytest.mark.parametrize(("redirects", "decision"), [(5, Rules), (6, AllowAll)])
def test_five_redirects_are_followed_to_other_hosts_too(with_sites, redirects, decision):
    """RFC 9309, 2.3.1.2."""

    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        url = f"{SITE}/robots.txt"
        for number in range(redirects):
            following = f"https://{number}.test/rules"
            web.answers[url] = (301, b"", following)
            url = following
        web.answers[url] = (200, FORBIDS, "")
        rules = await make().rules(SITE, web.fetch)
        assert isinstance(rules.decision, decision)
        assert len(web.asked) == 6

    with_sites(scenario)


def test_a_circle_of_redirects_is_left_at_once(with_sites):
    """Complaint 65."""

    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        web.answers[f"{SITE}/robots.txt"] = (302, b"", "https://b.test/robots.txt")
        web.answers["https://b.test/robots.txt"] = (302, b"", f"{SITE}/robots.txt")
        assert isinstance((await make().rules(SITE, web.fetch)).decision, AllowAll)
        assert web.asked == [f"{SITE}/robots.txt", "https://b.test/robots.txt"]

    with_sites(scenario)


def test_a_damaged_copy_is_asked_for_anew(with_sites):
    async def scenario(make: Make, web: Web, clock: Time, copies: Counted) -> None:
        await copies.put(f"{SITE}/robots.txt", b"not a copy", seconds=60)
        assert isinstance((await make().rules(SITE, web.fetch)).decision, AllowAll)
        assert len(web.asked) == 1

    with_sites(scenario)
