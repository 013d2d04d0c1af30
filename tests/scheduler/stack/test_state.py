"""What a stack leaves in its data directory, and what of it counts."""

import dataclasses
import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler.stack import state
from scheduler.stack.state import StackInfo, StackPaths, SupervisorLock
from scheduler.stack.stores import Credentials
from workers.config import Settings
from workers.errors import PermanentError

INFO = StackInfo(
    pid=1,
    web="http://127.0.0.1:8080",
    memento="http://127.0.0.1:11000",
    redis="redis://:p@127.0.0.1:12000/0",
    s3="http://127.0.0.1:13000",
    started_at="2026-11-29T12:00:00Z",
    contact="ops@example.org",
)


@pytest.fixture
def paths(tmp_path: Path) -> StackPaths:
    made = StackPaths(tmp_path / "data")
    made.make()
    return made


def test_stack_json_holds_the_promised_fields_for_its_owner_alone(paths: StackPaths) -> None:
    state.write_info(paths.stack, INFO)
    stored = json.loads(paths.stack.read_text())
    assert set(stored) == {"pid", "web", "memento", "redis", "s3", "started_at", "contact"}
    assert stat.S_IMODE(paths.stack.stat().st_mode) == 0o600
    assert state.read_info(paths.stack) == INFO


def test_a_stack_of_an_earlier_version_is_found_and_its_contact_is_unknown(paths: StackPaths) -> None:
    earlier = {name: value for name, value in dataclasses.asdict(INFO).items() if name != "contact"}
    paths.stack.write_text(json.dumps(earlier))
    assert state.read_info(paths.stack) == dataclasses.replace(INFO, contact=None)


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1}', "null", "[" * 10_000, "\xff"])
def test_a_damaged_stack_json_counts_as_none(paths: StackPaths, damaged: str) -> None:
    paths.stack.write_text(damaged, encoding="latin-1")
    assert state.read_info(paths.stack) is None


def test_a_stack_json_left_by_a_killed_supervisor_counts_for_nothing(paths: StackPaths) -> None:
    state.write_info(paths.stack, INFO)
    assert state.running(paths.data_dir) is None


def test_a_stack_runs_while_its_supervisor_holds_the_lock(paths: StackPaths) -> None:
    code = (
        "import sys; from pathlib import Path; from scheduler.stack.state import SupervisorLock\n"
        "lock = SupervisorLock(Path(sys.argv[1])); assert lock.take(); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(paths.lock)]
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        assert state.holder(paths.lock) == other.pid
        assert state.running(paths.data_dir) is None
        state.write_info(paths.stack, dataclasses.replace(INFO, pid=other.pid))
        running = state.running(paths.data_dir)
        assert running is not None
        assert running.pid == other.pid
        assert not SupervisorLock(paths.lock).take()
        other.kill()
        other.wait(10)
    assert state.holder(paths.lock) is None
    assert state.running(paths.data_dir) is None


def test_secrets_are_made_once_and_kept(paths: StackPaths) -> None:
    first = state.credentials_of(paths)
    assert state.credentials_of(paths) == first
    assert len({first.redis_password, first.access_key, first.secret_key}) == 3
    assert stat.S_IMODE(paths.credentials.stat().st_mode) == 0o600
    assert stat.S_IMODE(paths.credentials.parent.stat().st_mode) == 0o700


def test_damaged_secrets_are_told_and_never_replaced(paths: StackPaths) -> None:
    paths.credentials.write_text("{}")
    with pytest.raises(PermanentError, match="cannot be read"):
        state.credentials_of(paths)
    assert paths.credentials.read_text() == "{}"


def test_a_data_directory_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PermanentError, match="CITEVAULT_DATA_DIR"):
        StackPaths(tmp_path / "file").make()


def test_settings_are_completed_where_a_store_is_not_configured() -> None:
    credentials = Credentials("p", "access", "secret")
    completed = INFO.settings(Settings(), credentials)
    assert (completed.redis_url, completed.s3_endpoint) == (INFO.redis, INFO.s3)
    assert (completed.aws_access_key_id, completed.aws_secret_access_key) == ("access", "secret")
    assert (completed.web_port, completed.memento_port) == (8080, 11000)


def test_what_is_configured_stays_as_it_is() -> None:
    base = Settings(redis_url="redis://mine:6379/0", s3_endpoint="https://s3.example.org", aws_access_key_id="own")
    completed = INFO.settings(base, Credentials("p", "access", "secret"))
    assert (completed.redis_url, completed.s3_endpoint) == (base.redis_url, base.s3_endpoint)
    assert completed.aws_access_key_id == "own"
