"""What holds of conditional capture whatever a server does, over generated servers and visits.

The deciding parts are the product's own, from the request's conditions to the index that the receipt gives; the web,
the WARC file and Redis are stood in for, so that thousands of visits can be tried.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.ids import utc_string
from schemas.records.job import JobOptions, RobotsPolicy
from schemas.records.outcome import Hop, Outcome, RecordLocation, UrlOutcome
from workers.archive.exchange_records import exchange_records
from workers.archive.message import stored_message
from workers.archive.revisit import decide
from workers.capture.conditional import STRONG_PATIENCE, WEAK_PATIENCE
from workers.catalog.receipts import original_of, versions
from workers.exchange import Exchange, Response, Spool
from workers.flows.capture.outcomes import hop_of
from workers.flows.capture.recall import Memory, confirmed_by
from workers.flows.capture.settings import CaptureSettings
from workers.flows.capture.visit import Visitor
from workers.ports import QueuedUrl

URL = "http://site.test/page"
WARCINFO = "urn:uuid:00000000-0000-4000-8000-000000000000"
LONG_AGO = "Fri, 21 Aug 2026 10:00:00 GMT"


@dataclass(frozen=True)
class Step:
    """The server at one visit."""

    content: int
    status: int
    validators: str
    manners: str
    days: int


STEPS = st.builds(
    Step,
    content=st.integers(0, 2),
    status=st.sampled_from([200, 200, 200, 200, 404, 503]),
    validators=st.sampled_from(["strong", "weak", "date", "constant", "none"]),
    manners=st.sampled_from(["honest", "honest", "always 304", "never 304", "another ETag", "412"]),
    days=st.sampled_from([0, 0, 0, 0, 1, 12]),
)
HONEST = st.builds(
    Step,
    content=st.integers(0, 2),
    status=st.sampled_from([200, 200, 200, 404]),
    validators=st.sampled_from(["strong", "strong", "none"]),
    manners=st.sampled_from(["honest", "never 304"]),
    days=st.sampled_from([0, 0, 0, 0, 1, 12]),
)


@dataclass
class World:
    """A web of one page, an archive of its captures, and the clock."""

    step: Step | None = None
    moment: datetime = datetime(2026, 11, 1, tzinfo=UTC)
    known: dict = field(default_factory=dict)
    payloads: dict = field(default_factory=dict)
    responses: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Record id to the status and content that it holds."""
    asked: list[bool] = field(default_factory=list)
    """For each request of a visit whether it had conditions."""

    # the ports that a visit uses

    def now(self):
        return self.moment

    async def find(self, collection, urls):
        return {url: self.known[url] for url in urls if url in self.known}

    @asynccontextmanager
    async def turn(self, host, **_):
        yield

    async def answered(self, host, exchange):
        self.moment += timedelta(seconds=1)

    async def fetch(self, request):
        step, fields = self.step, dict(request.headers)
        headers = self.validators(step)
        asked = "If-None-Match" in fields or "If-Modified-Since" in fields
        self.asked.append(asked)
        matches = (fields.get("If-None-Match"), fields.get("If-Modified-Since")) == (
            headers.get("ETag"), headers.get("Last-Modified") if "If-Modified-Since" in fields else None,
        )  # fmt: skip
        if asked and step.manners == "412":
            return self.exchange(412, {}, b"no")
        if asked and step.manners == "another ETag":
            return self.exchange(304, {"ETag": '"of something else"'}, b"")
        if step.status == 200 and asked and (step.manners == "always 304" or (step.manners == "honest" and matches)):
            return self.exchange(304, headers if step.manners == "honest" else {}, b"")
        return self.exchange(step.status, headers, b"content %d of status %d" % (step.content, step.status))

    def validators(self, step):
        tag = hashlib.sha256(f"{step.content}/{step.status}".encode()).hexdigest()[:12]
        return {
            "strong": {"ETag": f'"{tag}"'},
            "weak": {"ETag": f'W/"{tag}"'},
            "constant": {"ETag": '"always"'},
            "date": {"Last-Modified": LONG_AGO},
            "none": {},
        }[step.validators]

    def exchange(self, status, headers, body):
        lines = [f"HTTP/1.1 {status} x", *(f"{name}: {value}" for name, value in headers.items())]
        return Exchange(
            url=URL,
            started_at=utc_string(self.moment),
            outcome=Outcome.CAPTURED,
            request=b"GET /page HTTP/1.1\r\n\r\n",
            response=Response(
                head="\r\n".join(lines).encode() + b"\r\n\r\n",
                content=Spool(body),
                framing="none" if status == 304 else "length",
                status=status,
                headers=tuple((name.encode(), value.encode()) for name, value in headers.items()),
            ),
        )

    # the archive

    async def visit(self, visitor, receipt, step):
        """One visit: its hops, written and taken into the index as recorder and settle do it."""
        self.step = step
        self.moment += timedelta(days=step.days, seconds=10)
        self.asked = []
        visit = await replace(visitor, memory=Memory(self, "default")).visit(QueuedUrl(URL, URL, "site.test"))
        hops = tuple(map(self.write, visit.exchanges, visit.recalls))
        outcome = UrlOutcome(requested_url=URL, normalized_url=URL, visit=1, outcome=hops[-1].outcome, hops=hops)
        for seen in versions(receipt.model_copy(update={"outcomes": (outcome,)})):
            self.known[seen.url] = seen.version
            if seen.version is None:
                del self.known[seen.url]
        return hops

    def write(self, exchange, recall) -> Hop:
        message = stored_message(exchange)
        found = confirmed_by(exchange, recall) or self.payloads.get(message.payload_sha256)
        records = exchange_records(exchange, decide(exchange, message, found), warcinfo_id=WARCINFO, message=message)
        places = tuple(RecordLocation(record_id=each.id, type=each.type, offset=0, length=1) for each in records.all)
        hop = hop_of(
            exchange, records.outcome, places, refers_to=records.refers_to, reusable=message.payload_sha256 is not None,
            recall=recall,
        )  # fmt: skip
        if records.response.type == "response":
            self.responses[records.response.id] = (exchange.response.status, self.step.content)
        if original := original_of(hop):
            self.payloads.setdefault(original.content_sha256, original)
        return hop


def visited(steps, receipt):
    """The hops of each visit with whether each was asked on conditions, and the world after them."""
    world = World()
    settings = CaptureSettings(software="s", user_agent="u", worker="w")
    options = JobOptions(robots=RobotsPolicy.IGNORE)
    visitor = Visitor(world, Memory(world, "default"), None, world, world, settings, options)

    async def all_of_them():
        for step in steps:
            hops = await world.visit(visitor, receipt, step)
            assert len(hops) == len(world.asked), "whatever came back is a hop"
            yield step, hops, world.asked

    async def within():
        return [each async for each in all_of_them()]

    return asyncio.run(within()), world


@settings(deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_a_304_that_counts_refers_to_a_whole_200_of_the_page_whatever_the_server_does(
    receipt_of, tmp_path_factory, steps
):
    visits, world = visited(steps, receipt_of([]))
    for _, hops, _ in visits:
        for hop in hops:
            if hop.outcome is Outcome.NOT_MODIFIED:
                assert world.responses[hop.refers_to][0] == 200
            if hop.outcome is Outcome.REVISIT:
                assert hop.refers_to in world.responses


@settings(deadline=None)
@given(st.lists(HONEST, max_size=25))
def test_of_an_honest_server_every_visit_holds_what_the_page_was(receipt_of, steps):
    visits, world = visited(steps, receipt_of([]))
    for step, hops, _ in visits:
        (hop,) = hops
        held = world.responses[hop.refers_to or hop.record("response").record_id]
        assert held == (step.status, step.content)


@settings(deadline=None)
@given(st.lists(STEPS, max_size=40))
@example([Step(0, 200, "strong", "honest", 0)] * 25)
@example([Step(0, 200, "weak", "always 304", 0)] * 25)
def test_no_server_is_believed_for_longer_than_was_decided(receipt_of, steps):
    """By count and by age, and by less where validators tell less."""
    in_a_row, since = 0, None
    visits, _ = visited(steps, receipt_of([]))
    for _, hops, _ in visits:
        last = hops[-1]
        moment = datetime.fromisoformat(last.retrieved_at)
        if last.outcome is Outcome.NOT_MODIFIED:
            in_a_row += 1
            assert in_a_row <= STRONG_PATIENCE.confirmations
            assert moment - since < STRONG_PATIENCE.age
            if last.revalidation.etag is None or last.revalidation.etag.startswith("W/"):
                assert in_a_row <= WEAK_PATIENCE.confirmations
                assert moment - since < WEAK_PATIENCE.age
        elif last.http_status == 200:
            in_a_row, since = 0, moment


@settings(deadline=None)
@given(st.lists(STEPS, max_size=40))
@example([Step(content, 200, "constant", "never 304", 0) for content in (0, 1, 0, 2, 2)])
@example([Step(0, 200, "strong", "honest", 0), *(Step(each, 200, "date", "honest", 0) for each in (1, 0, 2, 2))])
def test_validators_under_which_content_changed_are_not_sent_before_they_change(receipt_of, steps):
    """Told from what went over the wire alone."""
    visits, world = visited(steps, receipt_of([]))
    burnt = last = None
    for step, hops, asked in visits:
        assert burnt is None or not asked[0]
        assert not any(asked[1:])
        if hops[-1].http_status == 200:
            validators = world.validators(step)
            if validators != burnt:
                burnt = validators if last and validators == last[0] and step.content != last[1] else None
            last = (validators, step.content) if validators else None
