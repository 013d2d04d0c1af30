"""Templates: whatever strangers put into an archive stays text."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from scheduler.web.answers import Problem, SnapshotList
from scheduler.web.judgements import AgreementView, Compared, Judged, JudgedList, JudgedWord, PeopleAudit
from scheduler.web.pages import ASSETS, page, problem_page
from scheduler.web.views import Section
from schemas.records.claim import Support
from workers.errors import RetryableError

HOSTILE = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>\u202e"


def text_of(response):
    return response.body.decode()


def test_markup_of_strangers_is_escaped():
    shown = text_of(page("snapshots.html", url=HOSTILE, found=Section(SnapshotList(items=()))))
    shown += text_of(problem_page(Problem(type="about:blank", title="x", status=404, detail=HOSTILE, where=HOSTILE)))
    assert "<script>alert" not in shown
    assert "<img src=x" not in shown
    assert shown.count("&lt;script&gt;") == 4


def test_nothing_that_was_judged_or_by_whom_is_markup_or_turns_a_line():
    word = JudgedWord(
        checker_version=HOSTILE, by=HOSTILE, judged_at="2026-11-30T12:00:00Z", support=Support.FULL, rationale=HOSTILE
    )
    judged = Judged(
        inputs_sha256="0" * 64,
        claim=HOSTILE,
        quote=HOSTILE,
        text_sha256="0" * 64,
        state="judged",
        support=Support.FULL,
        words=(word,),
    )
    both = Compared(pairs=1, agreed=1, raw_ppm=None, kappa_ppm=None)
    agreement = AgreementView(
        things=1,
        complete=True,
        human_sample_ppm=0,
        unresolved=(),
        evaluators=(),
        people=(PeopleAudit(one=HOSTILE, other=HOSTILE, agreement=both, disagreements=()),),
        damaged=(),
    )
    listed = JudgedList(items=(judged,), things=1, next_after=None, damaged=(HOSTILE,))
    shown = text_of(page("judgements.html", found=Section(listed), agreement=Section(agreement), most=1))
    assert shown.count("&lt;script&gt;alert(1)") == 8
    assert not re.search(r"<script>|<img src=x|\u202e", shown)


def test_a_section_that_could_not_be_looked_at_says_so():
    away = Section(None, RetryableError("Redis did not answer in time", next_step="try again"))
    shown = text_of(page("snapshots.html", url="", found=away))
    assert "Redis did not answer in time" in shown
    assert "Nothing is" not in shown


@pytest.mark.parametrize(
    "name", ["layout", "overview", "job", "snapshot", "snapshots", "cluster", "pair", "problem", "parts", "judgements"]
)
def test_templates_hold_nothing_that_the_content_policy_forbids_and_load_nothing_from_elsewhere(name):
    source = (resources.files("scheduler.web") / "templates" / f"{name}.html").read_text()
    assert not re.search(r"\sstyle=|\son[a-z]+=|<style|<script>|\|\s*safe", source)
    assert not re.findall(r"""(?:src|href|action)=["'](?!/|\{\{)""", source)


def test_assets_load_nothing_from_elsewhere():
    for name in ASSETS:
        source = (resources.files("scheduler.web") / "static" / name).read_text()
        assert not re.search(r"@import|url\(|innerHTML|eval\(", source)
        assert "http" not in source.replace("http://www.w3.org/2000/svg", "")


def test_what_is_proved_and_what_is_not_stands_on_every_page():
    shown = text_of(problem_page(Problem(type="about:blank", title="x", status=404, detail="y")))
    assert "What is proved." in shown
    assert "TLS gives no such proof" in shown
