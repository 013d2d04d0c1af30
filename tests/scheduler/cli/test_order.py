"""Where options may stand, and what a command line that is none gets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.cli.order import STAGES, in_order


@pytest.mark.parametrize(
    ("given", "ordered"),
    [
        ([], []),
        (["status"], ["status"]),
        (["status", "--data-dir", "D"], ["--data-dir", "D", "status"]),
        (["status", "--data-dir=D", "J"], ["--data-dir=D", "status", "J"]),
        (["groups", "--debug", "list"], ["--debug", "groups", "list"]),
        (["status", "--data-dir"], ["--data-dir", "status"]),
        (["status", "--data-dir", "--debug"], ["--data-dir", "--debug", "status"]),
        (["archive", "--wait", "U"], ["archive", "--wait=published", "U"]),
        (["archive", "--wait", "captured", "U"], ["archive", "--wait=captured", "U"]),
        (["archive", "--wait=extracted", "U"], ["archive", "--wait=extracted", "U"]),
        (["archive", "U", "--wait"], ["archive", "U", "--wait=published"]),
        (["archive", "--wait", "--wait", "U"], ["archive", "--wait=published", "--wait=published", "U"]),
        (["archive", "--wait", "--debug", "U"], ["--debug", "archive", "--wait=published", "U"]),
        (["archive", "--wait", "--data-dir", "D", "U"], ["--data-dir", "D", "archive", "--wait=published", "U"]),
        (["archive", "--wait", "--", "captured"], ["archive", "--wait=published", "--", "captured"]),
        (["archive", "--", "--debug", "--wait"], ["archive", "--", "--debug", "--wait"]),
    ],
)
def test_global_options_come_first_and_wait_has_a_stage(given, ordered):
    assert in_order(given) == ordered


WORDS = st.sampled_from(["archive", "U", "--wait", "captured", "--debug", "--data-dir", "--data-dir=D", "--", "--json"])


@given(st.lists(WORDS, max_size=8))
def test_an_ordered_command_line_stays_as_it_is(words):
    once = in_order(words)
    if "--data-dir" not in words:  # which takes whatever comes next
        assert in_order(once) == once
    rest = once[: once.index("--")] if "--" in once else once
    assert [word for word in rest if word.startswith("--wait=") and word.partition("=")[2] not in STAGES] == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["status", "--nonsense"], "No such option"),
        (["status", "--data-dir"], "Missing command"),
        (["archive"], "give URLs and sitemaps, or --from FILE"),
        (["archive", "http://a.example/", "--from", "-"], "give URLs and sitemaps, or --from FILE"),
        (["archive", "http://a.example/", "--wait=never"], "Invalid value for '--wait'"),
        (["archive", "http://a.example/", "--robots", "maybe"], "Invalid value for '--robots'"),
        (["archive", "http://a.example/", "--collection", "Big Name"], "a name of lower-case letters"),
        (["archive", "http://a.example/", "--collection", "../x"], "a name of lower-case letters"),
        (["archive", "http://a.example/", "--collection", "x\n"], "a name of lower-case letters"),
        (["archive", "http://a.example/", "--allow-network", "everything"], "write an address range"),
        (["archive", "http://a.example/", "--allow-network", "127.0.0.0/99"], "write an address range"),
        (["archive", "--from", "missing.txt"], "missing.txt: No such file or directory"),
        (["archive", "--from", "."], "is a folder without bundle.json; next: name a file"),
        (["bundle", "drift", "."], "is no bundle: it has no bundle.json; next: name the folder"),
        (["source-map", "build", ""], "give snapshot ids or URLs"),
        (["index", "-o", "."], "is a directory"),
        (["manifest", "show", "0"], "Invalid value for 'SEQUENCE'"),
        (["manifest", "export"], "Missing option '-o'"),
        (["bundle", "build", "missing.json", "-o", "out"], "missing.json: No such file or directory"),
        (["groups", "merge", "wire"], "Missing argument"),
        (["groups", "merge", "wire", "u", "v"], "Missing option '--why'"),
    ],
)
def test_bad_usage_exits_2_with_a_sentence_and_nothing_on_stdout(unconfigured, arguments, sentence):
    said = unconfigured(*arguments)
    assert (said.code, said.stdout) == (2, b"")
    assert sentence in said.err


def test_help_and_version_are_answers(unconfigured):
    assert unconfigured("--version").code == 0
    assert unconfigured("-h").out.startswith("Usage: citevault")
    assert unconfigured("archive", "--help").code == 0
