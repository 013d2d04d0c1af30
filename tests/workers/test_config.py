"""Settings: where they come from, which wins, and what a person is told about a bad one."""

import ipaddress
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.config import VARIABLES, ConfigError, Settings, load, process_environment, unknown_variables


def test_without_anything_the_local_stack_is_used(tmp_path: Path) -> None:
    settings = load(environ={}, folder=tmp_path)
    assert settings == Settings()
    assert settings.uses_local_stack
    assert settings.max_body_bytes == 512 * 1024 * 1024
    assert settings.allow_networks == ()


def test_the_command_line_wins_over_environment_over_dotenv_over_toml(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# ours\nexport CITEVAULT_S3_BUCKET='from-dotenv'\nCITEVAULT_S3_PREFIX=dotenv\n\n")
    (tmp_path / "citevault.toml").write_text(
        's3_bucket = "from-toml"\ns3_prefix = "toml"\nbatch_urls = 7\nmax_body_bytes = "2MiB"\nlog_level = "debug"\n'
        'allow_networks = ["127.0.0.0/8", "::1"]\n'
    )
    environ = {"CITEVAULT_DATA_DIR": str(tmp_path), "CITEVAULT_S3_BUCKET": "from-environment", "CITEVAULT_CONTACT": ""}
    settings = load({"log_level": "ERROR"}, environ=environ, folder=tmp_path)
    assert settings.s3_bucket == "from-environment"
    assert settings.s3_prefix == "dotenv"
    assert settings.batch_urls == 7
    assert settings.max_body_bytes == 2 * 1024 * 1024
    assert settings.log_level == "ERROR"
    assert settings.allow_networks == (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1"))
    assert settings.spool_dir == tmp_path / "spool"


def test_usual_aws_variables_are_read_and_our_own_name_wins(tmp_path: Path) -> None:
    environ = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "eu-west-1"}
    settings = load(environ=environ, folder=tmp_path)
    assert (settings.aws_access_key_id, settings.aws_secret_access_key) == ("a", "b")
    assert settings.s3_region == "eu-west-1"
    assert load(environ={**environ, "CITEVAULT_S3_REGION": "own"}, folder=tmp_path).s3_region == "own"


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("CITEVAULT_REDIS_URL", "localhost:6379", "a Redis address"),
        ("CITEVAULT_S3_ENDPOINT", "s3.example.org", "an S3 endpoint"),
        ("CITEVAULT_S3_ENDPOINT", "http://s3.example.org/bucket", "no bucket in it"),
        ("CITEVAULT_S3_ENDPOINT", "http://host:99999", "an S3 endpoint"),
        ("CITEVAULT_S3_ENDPOINT", "file:relative", "file:///var"),
        ("CITEVAULT_S3_BUCKET", "ab", "3 to 63"),
        ("CITEVAULT_S3_PREFIX", "a//b", "single slashes"),
        ("CITEVAULT_S3_PREFIX", "../b", "single slashes"),
        ("CITEVAULT_CONTACT", "call me (maybe)", "an e-mail address or a web page"),
        ("CITEVAULT_CONTACT", "a@b.example\r\nX: y", "an e-mail address or a web page"),
        ("CITEVAULT_USER_AGENT", "Ünique", "printable ASCII"),
        ("CITEVAULT_ALLOW_NETWORKS", "10.0.0.1/8", "networks such as 10.0.0.0/8"),
        ("CITEVAULT_ALLOW_NETWORKS", "localhost", "networks such as 10.0.0.0/8"),
        ("CITEVAULT_MAX_BODY_BYTES", "lots", "bytes from"),
        ("CITEVAULT_MAX_BODY_BYTES", "5 parsecs", "bytes from"),
        ("CITEVAULT_MAX_REDIRECTS", "-1", "a whole number from 0 to 100"),
        ("CITEVAULT_CONNECT_SECONDS", "nan", "seconds from"),
        ("CITEVAULT_CONNECT_SECONDS", "inf", "seconds from"),
        ("CITEVAULT_LOG_LEVEL", "loud", "one of DEBUG, INFO"),
        ("CITEVAULT_WEB_PORT", "70000", "a whole number from 0 to 65535"),
    ],
)
def test_a_bad_value_is_an_error_that_names_the_variable(tmp_path: Path, name: str, value: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(environ={name: value}, folder=tmp_path)
    assert name in str(refused.value)
    assert complaint in str(refused.value)
    assert refused.value.where == "environment"


def test_a_bad_secret_is_not_echoed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        load(environ={"CITEVAULT_REDIS_URL": "hunter2"}, folder=tmp_path)
    assert "hunter2" not in str(refused.value)


def test_secrets_are_not_in_the_representation() -> None:
    shown = repr(Settings(aws_secret_access_key="s3cret", redis_url="redis://:s3cret@h/0", api_tokens=("s3cret",)))
    assert "s3cret" not in shown


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("s3_bukcet = 'x'", "did you mean s3_bucket?"),
        ("s3_bucket = ", "not TOML"),
        ("[s3_bucket]\nx = 1", "must be text, a number"),
        ("batch_urls = true", "must be text, a number"),
        ("\x00", "not TOML"),
    ],
)
def test_a_bad_toml_file_is_named_with_what_to_do(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "citevault.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"citevault\.toml") as refused:
        load({"data_dir": str(tmp_path)}, environ={}, folder=tmp_path)
    assert complaint in str(refused.value)


def test_a_configuration_that_is_named_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load(environ={"CITEVAULT_CONFIG": str(tmp_path / "absent.toml")}, folder=tmp_path)


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8 at byte 0"):
        load(environ={}, folder=tmp_path)
    (tmp_path / ".env").write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(ConfigError, match="longer than"):
        load(environ={}, folder=tmp_path)
    (tmp_path / ".env").write_text("good=1\nno assignment\n")
    with pytest.raises(ConfigError, match=r"\.env:2"):
        load(environ={}, folder=tmp_path)


def test_a_lease_must_hold_two_heartbeats() -> None:
    with pytest.raises(ConfigError, match="HEARTBEAT_SECONDS"):
        Settings(lease_seconds=10, heartbeat_seconds=6)


def test_the_user_agent_names_version_and_contact() -> None:
    agent = Settings(contact="https://example.org/bot").agent
    assert agent.startswith("Citevault/")
    assert agent.endswith(" (+https://example.org/bot)")
    assert "(" not in Settings().agent
    assert Settings(user_agent="Mine/1").agent == "Mine/1"


def test_a_file_endpoint_names_a_folder() -> None:
    assert Settings(s3_endpoint="file:///tmp/a%20b").store_folder == Path("/tmp/a b")
    assert Settings(s3_endpoint="https://s3.example.org").store_folder is None


def test_an_unknown_variable_is_noticed_with_the_nearest_name() -> None:
    environ = {"CITEVAULT_S3_ENDPONT": "x", "CITEVAULT_CONFORMANCE_DATA": "x", "CITEVAULT_CONTACT": "x", "OTHER": "x"}
    assert unknown_variables(environ) == {"CITEVAULT_S3_ENDPONT": "CITEVAULT_S3_ENDPOINT"}


def test_every_variable_says_what_it_is_for() -> None:
    assert len({variable.name for variable in VARIABLES}) == len(VARIABLES)
    assert all(len(variable.about) > 10 for variable in VARIABLES)


numbers = st.integers(min_value=1, max_value=2000)


@given(batch=numbers, seconds=st.floats(min_value=0.1, max_value=500, allow_nan=False), tokens=st.lists(
    st.text(alphabet="abcXYZ019", min_size=1), max_size=3))  # fmt: skip
def test_a_child_process_reads_back_the_same_settings(batch: int, seconds: float, tokens: list[str]) -> None:
    given_settings = Settings(
        data_dir=Path("/srv/x"),
        redis_url="redis://:p@h:1/0",
        s3_endpoint="http://h:2",
        batch_urls=batch,
        connect_seconds=float(f"{seconds:g}"),
        api_tokens=tuple(tokens),
        allow_networks=(ipaddress.ip_network("127.0.0.0/8"),),
        trusted_keys=(Path("/k/a.pem"), Path("/k/b.pem")),
    )
    assert load(environ=process_environment(given_settings), folder=Path("/")) == given_settings


def test_importing_the_module_reads_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("not a line\n")
    subprocess.run([sys.executable, "-c", "import workers.config"], cwd=tmp_path, check=True, env={
        "PYTHONPATH": str(Path(__file__).parents[2]), "CITEVAULT_WEB_PORT": "bad"})  # fmt: skip
