"""How errors end a command: an exit code and sentences, never a traceback."""

from __future__ import annotations

import io
import time

import pytest

from scheduler.cli.root import exit_of, run
from workers.config import ConfigError, Settings
from workers.errors import (
    CorruptError,
    EpochError,
    FencedError,
    ObjectMissingError,
    PermanentError,
    RetryableError,
    UnsafeStoreError,
)

NOWHERE = "http://127.0.0.1:1"


def _with(settings: Settings, **changes: str) -> Settings:
    fields = {name: getattr(settings, name) for name in Settings.__slots__}
    return Settings(**{**fields, **changes})


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (PermanentError, 2),
        (ObjectMissingError, 3),
        (FencedError, 2),
        (ConfigError, 2),
        (RetryableError, 3),
        (CorruptError, 3),
        (EpochError, 3),
        (UnsafeStoreError, 3),
    ],
)
def test_bad_input_is_2_and_what_could_not_be_told_is_3(kind, code):
    assert exit_of(kind("what")) == code


STORE_COMMANDS = [
    ("status",),
    ("snapshots", "--json"),
    ("clusters",),
    ("groups", "list"),
    ("manifest", "list", "--json"),
    ("index", "-o", "index.cdxj"),
    ("archive", "http://127.0.0.1/", "--allow-network", "127.0.0.0/8"),
]


@pytest.mark.real
@pytest.mark.parametrize("arguments", STORE_COMMANDS, ids=lambda arguments: arguments[0])
def test_stores_that_do_not_answer_are_told_within_seconds(unconfigured, arguments):
    started = time.monotonic()
    said = unconfigured(*arguments)
    assert time.monotonic() - started < 15
    assert (said.code, said.stdout) == (3, b"")
    assert said.err.startswith("citevault: ")
    assert "Traceback" not in said.err


@pytest.mark.real
def test_a_redis_that_does_not_answer_is_named(empty, over):
    citevault = over(_with(empty, redis_url="redis://127.0.0.1:1/0"))
    said = citevault("status")
    assert (said.code, said.stdout) == (3, b"")
    assert "127.0.0.1:1" in said.err


@pytest.mark.real
def test_a_job_that_is_stored_but_not_queued_keeps_its_id(empty, over):
    citevault = over(_with(empty, redis_url="redis://127.0.0.1:1/0"))
    said = citevault("archive", "http://127.0.0.1:9/")
    assert said.code == 3
    assert said.out.startswith("job-")
    assert "the job is stored" in said.err
    assert citevault("archive", "http://127.0.0.1:9/", "--json").json["job_id"].startswith("job-")


@pytest.mark.real
def test_an_s3_that_does_not_answer_is_named(filled, over):
    citevault = over(_with(filled.settings, s3_endpoint=NOWHERE))
    said = citevault("manifest", "list", "--json")
    assert (said.code, said.stdout) == (3, b"")
    assert "127.0.0.1:1" in said.err


@pytest.mark.real
def test_wrong_credentials_are_bad_input(filled, over):
    said = over(_with(filled.settings, aws_secret_access_key="wrong"))("manifest", "list")
    assert (said.code, said.stdout) == (2, b"")


@pytest.mark.real
def test_an_emptied_redis_is_not_an_empty_archive(filled, redis_url, over):
    said = over(_with(filled.settings, redis_url=redis_url))("snapshots", "--json")
    assert (said.code, said.stdout) == (3, b"")
    assert "rebuild" in said.err


def test_a_setting_that_is_wrong_is_bad_input_and_named(unconfigured, monkeypatch):
    monkeypatch.setenv("CITEVAULT_S3_ATTEMPTS", "many")
    said = unconfigured("status")
    assert (said.code, said.stdout) == (2, b"")
    assert "CITEVAULT_S3_ATTEMPTS must be" in said.err


@pytest.mark.real
@pytest.mark.parametrize("command", [("index",), ("manifest", "export")], ids=" ".join)
def test_a_place_that_cannot_be_written_to_is_bad_input(citevault, tmp_path, command):
    (tmp_path / "file").write_text("in the way")
    said = citevault(*command, "-o", str(tmp_path / "file" / "x"))
    assert said.code == 2
    assert str(tmp_path / "file") in said.err
    assert "Traceback" not in said.err


def test_debug_shows_where_an_error_came_from(unconfigured, caplog, tmp_path):
    assert unconfigured("keys", "show", "--debug", "--data-dir", str(tmp_path)).code == 2
    assert "the command failed" in caplog.text
    caplog.clear()
    assert unconfigured("keys", "show").code == 2
    assert caplog.text == ""


def test_an_interrupt_says_what_goes_on(unconfigured):
    class Interrupted(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, _: object) -> int:
            raise KeyboardInterrupt

    said = unconfigured("archive", "--from", "-", stdin=io.BufferedReader(Interrupted()))
    assert (said.code, said.stdout) == (3, b"")
    assert "what was handed in goes on" in said.err


def test_nothing_of_a_message_moves_the_cursor(unconfigured):
    said = unconfigured("keys", "show", "--data-dir", "here\x1b[2J")
    assert said.code == 2
    assert "\x1b" not in said.err


@pytest.mark.parametrize("arguments", [("status",), ("snapshots",), ("rebuild",)], ids=lambda arguments: arguments[0])
def test_who_asks_in_a_folder_without_an_archive_is_told_so_and_gets_none(tmp_path, monkeypatch, capsys, arguments):
    for name in ("CITEVAULT_REDIS_URL", "CITEVAULT_S3_ENDPOINT", "CITEVAULT_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    absent = tmp_path / "data"
    assert run(["--data-dir", str(absent), *arguments]) == 2
    said = capsys.readouterr().err
    assert f"there is no data directory, so nothing is archived here ({absent})" in said
    assert "--data-dir" in said
    assert not absent.exists()
