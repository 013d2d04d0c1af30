"""`archive`: what is handed in, how it is answered, and what is refused."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
from dataclasses import replace

import pytest

from scheduler.cli.seeds import unreachable_without_contact
from scheduler.stack.state import StackInfo, StackPaths, SupervisorLock, write_info
from schemas.records.job import BadLine, Lane, RobotsPolicy, Scope
from workers.adapters.stores import open_store
from workers.catalog.jobs import load_job, seeds_of
from workers.config import Settings
from workers.flows.documents import read_lines_object

pytestmark = pytest.mark.real
URL = "http://127.0.0.1:9/page"
CONTACT = "https://example.org/contact"


@pytest.fixture
def stored(empty):
    """What a job holds: the job, its seeds' URLs, its bad lines."""

    async def read(job_id):
        store = open_store(empty)
        try:
            job = await load_job(store, job_id)
            seeds = [seed.requested_url async for seed in seeds_of(store, job)]
            bad = await read_lines_object(store, job.bad_lines_key, BadLine) if job.bad_lines_key else []
            return job, seeds, bad
        finally:
            store.close()

    return lambda job_id: asyncio.run(read(job_id))


def test_urls_become_a_job_whose_id_alone_is_printed(fresh, stored):
    said = fresh("archive", URL, URL + "?utm_source=x", "http://127.0.0.1:9/other")
    assert said.code == 0
    job, seeds, _ = stored(said.out.removesuffix("\n"))
    assert (job.collection, job.lane, job.seeds, job.duplicates) == ("default", Lane.INTERACTIVE, 2, 1)
    assert seeds == [URL, "http://127.0.0.1:9/other"]
    assert "2 URLs queued (3 lines, 1 other spelling or repeat, 0 bad lines" in said.err


def test_many_urls_are_bulk_work(fresh, stored):
    said = fresh("archive", *(f"{URL}/{number}" for number in range(21)))
    assert stored(said.out.strip())[0].lane is Lane.BULK


def test_json_is_one_document_and_nothing_else(fresh):
    said = fresh("archive", URL, "nonsense", "--json", "--collection", "team-1")
    assert said.code == 0
    answer = said.json
    assert answer.pop("job_id").startswith("job-")
    assert answer == {
        "collection": "team-1", "lines": 2, "seeds": 1, "duplicates": 0, "bad_lines": 1, "ended": None,
    }  # fmt: skip


def test_bad_lines_are_told_with_their_numbers_and_kept(fresh, stored):
    text = b"# a list\nhttp://127.0.0.1:9/a\n\nno url\x1b[2J\nhttp://127.0.0.1:9/b\n\xff\xfe\nftp://x.example/\n"
    said = fresh("archive", "--from", "-", stdin=text)
    assert said.code == 0
    job, seeds, bad = stored(said.out.strip())
    assert len(seeds) == 2
    assert [line.line for line in bad] == [4, 6, 7]
    assert job.bad_lines == 3
    assert said.err.splitlines()[-1] == f"not taken: 3 of {job.lines} lines; the job keeps them, each with the reason"
    for line in bad:
        assert f"line {line.line}: {line.message} [{line.code}]" in said.err
    assert "\x1b" not in said.err


def test_only_the_first_bad_lines_are_told(fresh):
    said = fresh("archive", "--from", "-", stdin=b"nonsense\n" * 60 + URL.encode())
    assert said.code == 0
    assert "line 50: " in said.err
    assert "line 51: " not in said.err
    assert "… and 10 more bad lines, all kept with the job" in said.err


@pytest.mark.parametrize(
    "data", [b"", b"\n# nothing\n", b"nonsense\n", b"\x00\xff", b"{", b"{}", b'{"schema": "citevault/job@1"}', b"<a"]
)
def test_input_without_a_good_line_is_bad_input_and_makes_no_job(unconfigured, data):
    said = unconfigured("archive", "--from", "-", stdin=data)
    assert (said.code, said.stdout) == (2, b"")
    assert "nothing to archive" in said.err


@pytest.mark.parametrize(
    "url", ["", "page", "http://", "http://127.0.0.1:99999/", "http://a.example/\udcff", "file:///"]
)
def test_a_url_that_is_none_is_bad_input(unconfigured, url):
    said = unconfigured("archive", url)
    assert (said.code, said.stdout) == (2, b"")
    assert "line 1: " in said.err


def test_a_password_is_neither_told_nor_kept(fresh, stored):
    said = fresh("archive", "http://me:secret@127.0.0.1:9/a", "http://me:secret@127.0.0.1:99999/")
    _, seeds, bad = stored(said.out.strip())
    assert seeds == ["http://127.0.0.1:9/a"]
    assert "secret" not in said.err + repr(bad)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("list.txt", URL.encode()),
        ("table.csv", f"title,url\nA page,{URL}\n".encode()),
        ("hits.jsonl", json.dumps({"url": URL, "query": "q", "provider": "p", "rank": 1}).encode()),
        ("sitemap.xml", f"<urlset><url><loc>{URL}</loc></url></urlset>".encode()),
        ("list.txt.gz", gzip.compress(URL.encode(), mtime=0)),
        ("job.json", json.dumps({"schema": "citevault/job@1", "urls": [URL]}).encode()),
    ],
)
def test_every_format_of_a_file_is_read(fresh, stored, tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    said = fresh("archive", "--from", str(tmp_path / name))
    assert said.code == 0
    job, seeds, _ = stored(said.out.strip())
    assert (seeds, job.lane) == ([URL], Lane.BULK)


def job_file(**options):
    return json.dumps(
        {"schema": "citevault/job@1", "collection": "from-file", "urls": [URL], "options": options}
    ).encode()


def test_a_job_file_brings_its_collection_and_options(fresh, stored):
    data = job_file(robots="ignore", insecure_tls=True, fresh=True, allow_networks=["10.1.2.3/8", "127.0.0.0/8"])
    job, *_ = stored(fresh("archive", "--from", "-", stdin=data).out.strip())
    assert (job.collection, job.options.robots, job.options.insecure_tls) == ("from-file", RobotsPolicy.IGNORE, True)
    assert job.options.allow_networks == ("10.0.0.0/8", "127.0.0.0/8")
    assert job.options.fresh


def test_the_command_line_goes_before_a_job_file(fresh, stored):
    said = fresh(
        "archive", "--from", "-", "--collection", "mine", "--robots", "obey", "--allow-network", "10.0.0.0/8",
        stdin=job_file(robots="ignore"),
    )  # fmt: skip
    job, *_ = stored(said.out.strip())
    assert (job.collection, job.options.robots) == ("mine", RobotsPolicy.OBEY)
    assert job.options.allow_networks == ("127.0.0.0/8", "10.0.0.0/8")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"render": True}, "asks for rendering"),
        ({"scope": "host"}, "none are followed"),
        ({"exclude": ["/x"]}, "none are followed"),
        ({"depth": 1, "scope": "page"}, "follows no links"),
        ({"sitemaps": True, "scope": "page"}, "follows no links, and a sitemap is given"),
        ({"depth": 101, "scope": "host"}, "give 100 at most"),
        ({"depth": 1, "exclude": ["*"]}, "excludes everything"),
        ({"depth": 1, "exclude": ["/x"] * 201}, "give 200 at most"),
    ],
)
def test_a_job_file_that_asks_for_what_means_nothing_is_refused(unconfigured, options, sentence):
    said = unconfigured("archive", "--from", "-", stdin=job_file(**options))
    assert (said.code, said.stdout) == (2, b"")
    assert sentence in said.err


def test_a_crawl_is_bulk_work_below_the_seeds_folder_unless_more_is_asked(fresh, stored):
    job, *_ = stored(fresh("archive", URL, "--depth", "2", "--exclude", "/x", "--max-pages", "7").out.strip())
    options = job.options
    assert (job.lane, options.depth, options.scope, options.exclude) == (Lane.BULK, 2, Scope.PREFIX, ("/x",))
    assert (options.max_pages, options.max_pages_per_host) == (7, 10_000)


def test_the_command_line_widens_the_crawl_of_a_job_file(fresh, stored):
    data = job_file(depth=1, scope="prefix", exclude=["/a"])
    said = fresh("archive", "--from", "-", "--scope", "host", "--depth", "3", "--exclude", "/b", stdin=data)
    options = stored(said.out.strip())[0].options
    assert (options.depth, options.scope, options.exclude) == (3, Scope.HOST, ("/a", "/b"))


def test_a_crawl_of_no_depth_follows_nothing_in_any_scope(fresh, stored):
    options = stored(fresh("archive", URL, "--depth", "0", "--scope", "host").out.strip())[0].options
    assert (options.depth, options.scope) == (0, Scope.HOST)


def test_sitemaps_are_seeds_whose_entries_are_followed_within_their_domain(fresh, stored):
    sitemap = "http://127.0.0.1:9/sitemap.xml"
    said = fresh("archive", URL, "--sitemap", sitemap, "--exclude", "/x", "--max-pages", "70000")
    job, seeds, _ = stored(said.out.strip())
    options = job.options
    assert (job.lane, sorted(seeds), options.sitemaps, options.depth) == (Lane.BULK, [URL, sitemap], True, 0)
    assert (options.scope, options.max_pages_per_host) == (Scope.DOMAIN, 70_000)
    narrow = fresh("archive", "--sitemap", sitemap, "--scope", "prefix", "--max-pages-per-host", "5", "--depth", "2")
    options = stored(narrow.out.strip())[0].options
    assert (options.scope, options.depth, options.max_pages_per_host) == (Scope.PREFIX, 2, 5)


def test_a_job_file_may_ask_for_sitemaps(fresh, stored):
    options = stored(fresh("archive", "--from", "-", stdin=job_file(sitemaps=True)).out.strip())[0].options
    assert (options.sitemaps, options.scope) == (True, Scope.DOMAIN)


def test_a_sitemap_and_a_file_are_not_handed_in_together(unconfigured):
    said = unconfigured("archive", "--sitemap", URL, "--from", "-")
    assert (said.code, said.stdout) == (2, b"")


def test_a_range_of_a_job_file_that_is_none_is_refused_and_named(unconfigured):
    said = unconfigured("archive", "--from", "-", stdin=job_file(allow_networks=["everything"]))
    assert (said.code, said.stdout) == (2, b"")
    assert "job file's options.allow_networks 'everything'" in said.err


def test_networks_are_those_of_the_settings_and_of_the_command(fresh, stored):
    said = fresh(
        "archive", URL, "--allow-network", "10.1.2.3/8", "--allow-network", "127.0.0.0/8", "--insecure-tls", "--fresh"
    )
    options = stored(said.out.strip())[0].options
    assert options.allow_networks == ("127.0.0.0/8", "10.0.0.0/8")
    assert options.insecure_tls
    assert options.fresh


@pytest.mark.parametrize("url", ["http://example.org/", "http://192.0.2.7/", "http://[2001:db8::1]/"])
def test_public_addresses_want_a_contact(unconfigured, monkeypatch, url):
    monkeypatch.delenv("CITEVAULT_CONTACT")
    said = unconfigured("archive", "--allow-network", "127.0.0.0/8", URL, url)
    assert (said.code, said.stdout) == (2, b"")
    assert "set CITEVAULT_CONTACT to an e-mail address or a web page of yours" in said.err


@pytest.mark.parametrize(
    ("url", "network"),
    [
        ("http://127.0.0.1:8765/x", "127.0.0.0/8"),
        ("http://localhost:8765/x", "127.0.0.0/8"),
        ("http://10.1.2.3/", "10.0.0.0/8"),
        ("http://172.31.0.1/", "172.16.0.0/12"),
        ("http://192.168.1.1/", "192.168.0.0/16"),
        ("http://169.254.1.1/", "169.254.0.0/16"),
        ("http://[::1]:8765/", "::1/128"),
        ("http://[fd00::1]/", "fc00::/7"),
        ("http://[fe80::1]/", "fe80::/10"),
    ],
)
@pytest.mark.parametrize("command", [("archive",), ("schedule", "add", "--every", "7d")], ids=" ".join)
def test_private_addresses_want_their_network_opened_and_no_contact(unconfigured, monkeypatch, command, url, network):
    monkeypatch.delenv("CITEVAULT_CONTACT")
    monkeypatch.delenv("CITEVAULT_ALLOW_NETWORKS", raising=False)
    said = unconfigured(*command, url)
    assert (said.code, said.stdout) == (2, b"")
    assert "is a private address, and those are fetched only where their network is opened" in said.err
    assert f"--allow-network {network}" in said.err
    assert "CITEVAULT_CONTACT" not in said.err


@pytest.fixture
def stackless(over, tmp_path):
    """The command line with a local stack that does not run yet, and what would start it."""
    return over(Settings(data_dir=tmp_path / "data"))


REFUSED = ("http://example.org/", "http://10.1.2.3/", "not a url", "http://example.org/2")


@pytest.mark.parametrize("command", [("archive",), ("schedule", "add", "--every", "7d")], ids=" ".join)
def test_what_can_be_refused_is_refused_with_all_reasons_before_a_stack_is_started(stackless, tmp_path, command):
    said = stackless(*command, *REFUSED)
    assert (said.code, said.stdout) == (2, b"")
    assert "line 1 and 1 more: public addresses are asked for" in said.err
    assert "line 2: 10.1.2.3 is a private address" in said.err
    assert "set CITEVAULT_CONTACT" in said.err
    assert "--allow-network 10.0.0.0/8" in said.err
    assert "line 3: " in said.err
    assert "]: not a url\n" in said.err
    assert stackless(*command, "not a url").code == 2
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("command", [("archive",), ("schedule", "add", "--every", "7d")], ids=" ".join)
def test_a_running_stack_without_our_contact_is_asked_for_no_public_address(stackless, tmp_path, monkeypatch, command):
    monkeypatch.setenv("CITEVAULT_CONTACT", CONTACT)
    paths = StackPaths(tmp_path / "data")
    paths.make()
    lock = SupervisorLock(paths.lock)
    assert lock.take()
    nowhere = "http://127.0.0.1:1"
    parts = {"web": nowhere, "memento": nowhere, "redis": "redis://127.0.0.1:1/0", "s3": nowhere}
    info = StackInfo(pid=os.getpid(), **parts, started_at="2026-11-29T12:00:00Z", contact="")
    try:
        write_info(paths.stack, info)
        said = stackless(*command, "http://example.org/")
        write_info(paths.stack, replace(info, contact="ops@example.org"))
        other = stackless(*command, "http://example.org/")
        write_info(paths.stack, replace(info, contact=CONTACT))
        same = stackless(*command, "http://example.org/")
        told = {check["name"]: check for check in stackless("doctor", "--json").json}["contact"]
    finally:
        lock.release()
    assert (said.code, said.stdout) == (other.code, other.stdout) == (2, b"")
    assert "the stack was started without CITEVAULT_CONTACT" in said.err
    assert f"next: citevault down; export CITEVAULT_CONTACT={CONTACT}; citevault up" in said.err
    assert "the stack was started with CITEVAULT_CONTACT=ops@example.org" in other.err
    assert same.code == 3, "it got as far as the stores"
    assert told["ok"]


def test_opened_networks_want_no_contact(fresh, monkeypatch):
    monkeypatch.delenv("CITEVAULT_CONTACT")
    assert fresh("archive", URL, "http://localhost:9/").code == 0
    assert fresh("archive", "http://10.0.0.1/", "--allow-network", "10.0.0.0/8").code == 0


@pytest.mark.parametrize(
    ("url", "refused"),
    [
        ("http://127.0.0.1/", False),
        ("http://127.0.0.1:8080/", False),
        ("http://[::1]:8080/", False),
        ("http://localhost/", False),
        ("http://127.0.0.1.example/", True),
        ("http://128.0.0.1/", True),
        ("http://[::2]/", True),
    ],
)
def test_without_a_contact_only_opened_addresses_are_asked(url, refused):
    refusal = unreachable_without_contact("", ("127.0.0.0/8", "::1/128"))(url)
    assert (refusal is not None) is refused
    assert unreachable_without_contact("ops@example.org", ()) is None


def test_wait_ends_when_everything_is_published(fresh, empty, filled, working):
    with working(empty):
        said = fresh("archive", "--wait", "--json", filled.web.url("authority", "/barrier"))
    assert said.code == 0
    ended = said.json["ended"]
    none = {"without_response": 0, "parked": [], "intake_fault": None}
    answers = ended.pop("answers")
    assert (answers["good"], answers["errors"], answers["published"]) == (1, 0, 1)
    assert ended == {"known": 1, "done": 1, "outcomes": {"captured": 1}, **none}
    assert "published: 1 captured\nanswers: 1 good; 1 of 1 published" in said.err
    (manifest,) = fresh("manifest", "list", "--json").json
    assert manifest["tree_size"] == 1


def test_wait_for_a_url_without_a_response_answers_no(fresh, empty, filled, working):
    with working(empty):
        said = fresh(
            "archive", "--wait", "captured", filled.web.url("courier", "/drafts/next-week"), "http://10.0.0.1/"
        )
    job = said.out.strip()
    assert said.code == 1
    assert f"2 URLs ended without a response; `citevault status {job}` says why" in said.err
    assert "captured: 1 guard_denied, 1 robots_denied" in said.err
    why = "this network is yours, archive it with --allow-network 10.0.0.0/8"
    assert re.search(f"^guard_denied: address 10.0.0.1 is not public.*; where {why}$", said.err, re.MULTILINE)
    assert "next, for guard_denied: where this network is yours, archive it with --allow-network 10.0.0.0/8" in (
        fresh("status", job).out
    )


def test_what_an_opened_network_does_not_open_is_told_by_its_own_reason(fresh, empty, working):
    with working(empty):
        said = fresh("archive", "--wait", "captured", "--allow-network", "127.0.0.0/8", "http://127.0.0.1:22/")
        watched = fresh("watch", said.out.strip())
    for told in (said, watched):
        (line,) = [line for line in told.err.splitlines() if line.startswith("guard_denied: ")]
        assert line.startswith("guard_denied: port 22 belongs to another protocol")
        assert "--allow-network" not in line


def test_robots_ignored_for_a_job_is_that_jobs_alone(fresh, empty, filled, working):
    page = filled.web.url("courier", "/drafts/next-week")
    with working(empty):
        assert fresh("archive", "--wait=captured", "--robots", "ignore", page).code == 0
        assert fresh("archive", "--wait=captured", page).code == 1


def test_pages_are_archived_with_what_they_need_unless_somebody_says_no(fresh, stored):
    def asked(*arguments, stdin=b""):
        return stored(fresh("archive", *arguments, stdin=stdin).out.strip())[0].options.requisites

    assert asked(URL) is True
    assert asked(URL, "--no-requisites") is False
    assert asked("--from", "-", stdin=job_file()) is True
    assert asked("--from", "-", stdin=job_file(requisites=False)) is False
    assert asked("--from", "-", "--no-requisites", stdin=job_file(requisites=True)) is False
