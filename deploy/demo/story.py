"""The demo, step by step. Each step runs a real command, checks that it did what it must, and tells what it did.

No number is written down here: what is printed was read from the commands' answers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

from deploy.demo import checking, writing
from deploy.demo.answers import Archived, ClusterRow, ManifestRow, SnapshotRow, Stack
from deploy.demo.breaking import Change, break_copy
from deploy.demo.commands import Answer, Commands
from deploy.demo.draft import FIRST_BULLETIN, NOW, careless, filled, first_draft
from deploy.demo.failure import StepFailedError, require
from deploy.demo.folder import DemoFolder
from deploy.demo.server import SampleWeb
from deploy.demo.sites import REQUISITES
from deploy.demo.telling import Telling
from schemas.reading import DocumentError, read_document
from schemas.records.bundle import Bundle
from schemas.records.cluster import Cluster
from schemas.records.finding import Report

OPENED = "127.0.0.0/8"
CHANGING = "/status"
RESTARTED = "is started again"
"""How the supervisor says so in its log."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What every step needs."""

    folder: DemoFolder
    web: SampleWeb
    run: Commands
    tell: Telling

    def start(self) -> Stack:
        """The local stack: stores, workers, scheduler, web."""
        self.run.citevault("up", "--detach").must_exit(0)
        path = self.folder.path / "run" / "stack.json"
        require(path.is_file(), f"the stack is up, but {path} is not there")
        stack = Stack.model_validate_json(path.read_bytes())
        self.tell.say(f"everything answers; pages for people at {stack.web} while the demo runs")
        return stack

    def archive(self) -> Archived:
        """Hand in the seed list and wait until the signed log holds what was captured."""
        answer = self.run.citevault(
            "archive", "--from", str(self.folder.seeds), "--allow-network", OPENED, "--wait", "--json"
        )
        answer.must_exit(1)  # one page is forbidden by robots.txt, and "not everything was captured" is exit 1
        job = answer.read(Archived)
        checking.job_ended_as_it_must(job, answer.said())
        outcomes = ", ".join(f"{count} {name}" for name, count in sorted(job.ended.outcomes.items()))
        self.tell.say(
            f"{job.lines} lines of seeds: {job.seeds} resources, {job.duplicates} other spellings of them, "
            f"{job.bad_lines} bad line kept with its number"
        )
        self.tell.say(f"outcomes: {outcomes}")
        return job

    def missing(self, job: Archived) -> None:
        """Why a URL is missing."""
        status = checking.status_of(self.run.citevault("status", job.job_id, "--json").must_exit(0))
        require(
            [item.outcome for item in status.missing] == ["robots_denied"],
            "exactly the page that robots.txt forbids must be missing",
            str(status.missing),
        )
        for item in status.missing:
            self.tell.say(f"missing: {item.url} ({item.outcome}: {item.why})")

    def requisites(self, job: Archived) -> None:
        """What the pages need to look as they do is in the archive with them, and is no page of its own."""
        status = checking.status_of(self.run.citevault("status", job.job_id, "--json").must_exit(0))
        checking.requisites_are_there(status, REQUISITES)
        self.tell.say(f"with the pages: {REQUISITES} style sheets, pictures and fonts, to replay them as they were")

    def snapshots(self, job: Archived) -> list[SnapshotRow]:
        """The snapshots of a job; every URL with a response has one."""
        answer = self.run.citevault("snapshots", "--job", job.job_id, "--json").must_exit(0)
        rows: list[SnapshotRow] = answer.read(list[SnapshotRow])
        wanted = job.ended.known - job.ended.without_response
        require(len(rows) == wanted, f"{wanted} URLs had a response, and {len(rows)} have a snapshot", answer.said())
        kinds = Counter(f"{row.reader_status}" for row in rows)
        self.tell.say(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) + " for a reader")
        return rows

    def revisits(self, job: Archived) -> list[SnapshotRow]:
        """The second capture: unchanged pages refer to the first payload, the changed one has its own."""
        rows = self.snapshots(job)
        again = [row for row in rows if row.revisit]
        stored = [row.final_url for row in rows if not row.revisit]
        changed = self.web.url("authority", CHANGING)
        require(stored == [changed], f"only {changed} had changed, but stored again was: {', '.join(stored) or 'none'}")
        self.tell.say(f"{len(again)} pages unchanged: revisit records, no second payload; stored anew: {changed}")
        return rows

    def clusters(self) -> Cluster:
        """The story and its copies are one cluster, with the reasons."""
        rows: list[ClusterRow] = self.run.citevault("clusters", "--json").must_exit(0).read(list[ClusterRow])
        require(len(rows) == 1, f"the story and its copies must be the one cluster, and there are {len(rows)}")
        answer = self.run.citevault("clusters", "show", rows[0].id, "--json").must_exit(0)
        cluster = read_document(answer.stdout.encode(), Cluster)
        if isinstance(cluster, DocumentError):
            raise StepFailedError(f"the cluster cannot be read: {cluster}", answer.said())
        sources = {member.source_id for member in cluster.members}
        require(len(sources) == 3, f"the story stands on three sites, and the cluster has {len(sources)}")
        self.tell.say(f"{cluster.id}: {len(sources)} sources, {len(cluster.members)} snapshots, one text in substance")
        for edge in cluster.edges:
            overlap = edge.figures.shingle_jaccard_ppm / 10_000
            self.tell.say(f"{edge.a[:8]} ~ {edge.b[:8]}: rule {edge.rule}, {overlap:.1f} % of word 5-grams in common")
        return cluster

    def manifests(self, snapshots: int) -> list[ManifestRow]:
        """The signed log holds every snapshot."""
        rows: list[ManifestRow] = self.run.citevault("manifest", "list", "--json").must_exit(0).read(list[ManifestRow])
        checking.log_is_whole(rows, snapshots)
        self.tell.say(f"{len(rows)} manifests; the newest commits {rows[-1].tree_size} leaves: {rows[-1].root_sha256}")
        return rows

    def keys(self) -> None:
        """The publisher's public key, as a stranger would have it; and a key of the author's own."""
        pem = self.run.citevault("keys", "show").must_exit(0).stdout
        self.folder.publisher_key.write_text(pem, encoding="ascii")
        self.run.citevault("keys", "init", signing_key=self.folder.author_key).must_exit(0)

    def refused_draft(self, first: SnapshotRow) -> None:
        """A quote that the page no longer has is refused, and the older version that has it is named."""
        self.folder.careless_draft.write_text(careless(self.web.origins["authority"]), encoding="utf-8")
        answer = self.run.citevault(
            "bundle", "build", str(self.folder.careless_draft), "-o", str(self.folder.path / "careless-bundle")
        )
        answer.must_exit(1, 2)
        require(first.id in answer.stdout + answer.stderr, "the older snapshot must be named", answer.said())
        self.tell.say(f"refused: the page has changed; the sentence stands in {first.id}")

    def build(self, first: SnapshotRow) -> Bundle:
        """The bundle of the real draft, signed by its author."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.folder.first_draft.write_text(first_draft(self.web.origins), encoding="utf-8")
        self.folder.draft.write_text(filled({**self.web.origins, FIRST_BULLETIN: first.id, NOW: now}), encoding="utf-8")
        answer = self.run.citevault(
            "bundle", "build", str(self.folder.draft),
            "-o", str(self.folder.bundle), "--sign", str(self.folder.author_key),
        ).must_exit(0)  # fmt: skip
        path = self.folder.bundle / "bundle.json"
        require(path.is_file(), f"{path} was not written", answer.said())
        bundle = read_document(path.read_bytes(), Bundle)
        if isinstance(bundle, DocumentError):
            raise StepFailedError(f"the bundle cannot be read: {bundle}", answer.said())
        self.tell.say(
            f"{len(bundle.claims)} claims, {len(bundle.evidence)} quotes from {len(bundle.sources)} sources "
            f"in {len(bundle.independence)} independent groups"
        )
        return bundle

    def validate(self, bundle: Bundle) -> Report:
        """A separate program checks every digest, span, group and signature, from the bundle alone."""
        report = self._judged(self.folder.bundle.name, self._validated(self.folder.bundle).must_exit(0))
        checking.report_looked_at_everything(report, bundle)
        for verdict in report.verdicts:
            quotes = sum(edge.claim_id == verdict.claim_id for edge in bundle.evidence)
            self.tell.say(
                f"{verdict.claim_id} ({verdict.importance.value}): {verdict.verdict.value}; quotes: {quotes}, "
                f"independent groups: {len(verdict.groups)}, needed: {verdict.required}"
            )
            if len(verdict.groups) == 1 < quotes:
                self.tell.say("       copies of one text count once, however many addresses they have")
        return report

    def break_it(self, bundle: Bundle) -> tuple[Change, Report]:
        """One digit of one text is changed in a copy, and the validator says which."""
        change = break_copy(bundle, self.folder.bundle, self.folder.broken)
        if change is None:
            raise StepFailedError("no quote of the bundle has a digit to change")
        self.tell.say(f"{change.path}, character {change.position}: “{change.before}” becomes “{change.after}”")
        report = self._judged(self.folder.broken.name, self._validated(self.folder.broken).must_exit(1))
        found, others = checking.change_was_found(report, change)
        self.tell.say(f"refused with exit {report.exit_code}: {found.code} in {found.path}: {found.message}")
        self.tell.say(f"expected {found.expected}")
        self.tell.say(f"actual   {found.actual}")
        if others:
            self.tell.say(f"and what no longer holds because of it: {', '.join(others)}")
        return change, report

    def restarts(self) -> None:
        """Parts that died and were started again: nothing is lost by it, and it is not hidden either."""
        log = self.folder.path / "log" / "supervisor.log"
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else ():
            if RESTARTED in line:
                self.tell.say(f"remark: {line}")

    def _validated(self, bundle: object) -> Answer:
        return self.run.validate(
            "bundle", str(bundle), "--deep", "--profile", "strict", "--format", "json",
            "--trust", str(self.folder.publisher_key),
            "--trust-author", str(self.folder.author_key.with_suffix(".pub.pem")),
        )  # fmt: skip

    def _judged(self, name: str, answer: Answer) -> Report:
        report = read_document(answer.stdout.encode(), Report)
        if isinstance(report, DocumentError):
            raise StepFailedError(f"the report on {name} cannot be read: {report}", answer.said())
        return report


def tell_it(demo: Demo) -> None:
    """All steps in order. StepFailedError where one does not do what it must."""
    tell = demo.tell
    tell.step("Start the local stack: Valkey, SeaweedFS, Celery workers, scheduler, web")
    demo.start()
    tell.step("Archive the sample web: robots, redirects, WARC records in S3, text, fingerprints, signed log")
    demo.folder.seeds.write_text(writing.seed_list(demo.web), encoding="utf-8")
    first = demo.archive()
    demo.missing(first)
    demo.requisites(first)
    before = demo.snapshots(first)
    tell.step("Archive it again: what has not changed is not stored twice")
    second = demo.archive()
    after = demo.revisits(second)
    tell.step("Near-duplicates: copies of a story are one source, not three")
    cluster = demo.clusters()
    tell.step("The signed, append-only log")
    manifests = demo.manifests(len(before) + len(after))
    tell.step("From a draft with quotes to a bundle with evidence")
    demo.keys()
    bulletin = next(row for row in before if row.final_url == demo.web.url("authority", CHANGING))
    demo.refused_draft(bulletin)
    bundle = demo.build(bulletin)
    tell.step("A program that trusts nothing checks the bundle, offline")
    report = demo.validate(bundle)
    tell.step("Break a copy: one digit of one sentence")
    _, refused = demo.break_it(bundle)
    demo.restarts()
    writing.summary(tell, demo.folder, demo.run, first, second, cluster, manifests, bundle, report, refused)
