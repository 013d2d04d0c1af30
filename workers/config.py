"""Settings of one process. The only module that reads the environment.

Order, first wins: what the command line gives, `CITEVAULT_*` variables, `.env` in the working folder, the TOML
file (`CITEVAULT_CONFIG`, else `<data-dir>/citevault.toml`, keys are the field names below), the default. An empty
value counts as none. Policies (tracking keys, tiers, MinHash parameters) are not settings: they are versioned data.
"""

# ruff: noqa: RUF009 (`setting` gives a dataclass field, as `field` does)
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from workers import setting_values as values
from workers.setting_sources import ConfigError, read_dotenv, read_toml

__all__ = [
    "VARIABLES",
    "ConfigError",
    "Settings",
    "Variable",
    "load",
    "process_environment",
    "unknown_variables",
    "version",
]

T = TypeVar("T")
PREFIX = "CITEVAULT_"
KIB, MIB, GIB = 1024, 1024**2, 1024**3
HOUR, DAY = 3600.0, 86_400.0
NOT_SETTINGS = frozenset(
    PREFIX + name
    for name in ("CONFIG", "CONFORMANCE_DATA", "REQUIRE_CONFORMANCE", "PEERS", "REQUIRE_PEERS", "METRICS_PORT")
)


IN_DATA_DIR = (
    ("spool_dir", "spool"),
    ("metrics_dir", "metrics"),
    ("signing_key", "keys/signing.pem"),
    ("tier_rules", "tiers.json"),
)
"""Settings that are places, and where in the data dir they are unless they are given."""


def setting(
    default: T,
    parse: Callable[[str], T],
    about: str,
    *,
    alias: str = "",
    secret: bool = False,
    environment_only: bool = False,
) -> T:
    """One field of `Settings` with what the documentation says of it. `environment_only`: refused in a TOML file, which
    people put into version control."""
    notes = {"parse": parse, "about": about, "alias": alias, "secret": secret, "environment_only": environment_only}
    return field(default=default, metadata=notes, repr=not secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that may differ between two installations, validated. Field `x` is the variable `CITEVAULT_X`."""

    # --- where things are
    data_dir: Path = setting(Path("data"), values.path, "folder of the local stack: its stores, logs, keys and spool")
    redis_url: str = setting("", values.redis_url, "Redis 7+ or Valkey; empty: the local stack", secret=True)
    s3_endpoint: str = setting(
        "", values.store_address, "S3 endpoint (or `file:///folder`, one machine only); empty: the local stack"
    )
    s3_bucket: str = setting("citevault", values.bucket, "bucket that holds the archive")
    s3_prefix: str = setting("", values.prefix, "key prefix within the bucket, so that archives can share one")
    s3_region: str = setting("us-east-1", values.text, "region that requests are signed for", alias="AWS_REGION")
    aws_access_key_id: str = setting("", values.text, "S3 access key", alias="AWS_ACCESS_KEY_ID")
    aws_secret_access_key: str = setting("", values.text, "S3 secret key", alias="AWS_SECRET_ACCESS_KEY", secret=True)
    aws_session_token: str = setting("", values.text, "S3 session token", alias="AWS_SESSION_TOKEN", secret=True)
    spool_dir: Path = setting(
        Path(),
        values.path,
        "bodies that arrive, and WARC files before they are stored (default: spool in the data dir)",
    )
    metrics_dir: Path = setting(Path(), values.path, "shared files of metrics (default: metrics in the data dir)")
    log_level: str = setting("INFO", values.choice("DEBUG", "INFO", "WARNING", "ERROR"), "least severe event logged")

    # --- who we are, whom we trust
    contact: str = setting("", values.contact, "e-mail or web page of who runs this; needed for public addresses")
    user_agent: str = setting("", values.user_agent, "full user agent (default: Citevault/<version> (+<CONTACT>))")
    allow_networks: tuple[values.Network, ...] = setting(
        (), values.networks, "networks that may be captured although not public, such as 127.0.0.0/8,10.0.0.0/8"
    )
    signing_key: Path = setting(
        Path(), values.path, "private key of the manifest log (default: keys/signing.pem in the data dir)"
    )
    tier_rules: Path = setting(
        Path(),
        values.path,
        "file of your own tier rules, before the published ones (default: tiers.json in the data dir)",
    )
    trusted_keys: tuple[Path, ...] = setting((), values.paths, "public keys whose signatures are trusted")

    # --- limits of one capture
    max_body_bytes: int = setting(512 * MIB, values.size(KIB, 64 * GIB), "longest response body that is kept")
    max_header_bytes: int = setting(1 * MIB, values.size(KIB, 16 * MIB), "longest response head that is kept")
    max_decoded_bytes: int = setting(64 * MIB, values.size(KIB, 4 * GIB), "longest body after Content-Encoding")
    connect_seconds: float = setting(20.0, values.seconds(0.1, 600), "time to connect")
    idle_seconds: float = setting(60.0, values.seconds(0.1, HOUR), "time without a byte")
    total_seconds: float = setting(900.0, values.seconds(0.1, DAY), "time for one exchange")
    min_bytes_per_second: int = setting(
        30, values.integer(0, 1_000_000), "an answer that brings less for the time without a byte is cut off; 0: never"
    )
    max_redirects: int = setting(20, values.integer(0, 100), "redirect hops followed")
    extract_seconds: float = setting(30.0, values.seconds(0.1, HOUR), "time to extract the text of one page")
    extract_memory_bytes: int = setting(1 * GIB, values.size(64 * MIB, 64 * GIB), "memory to extract one page")

    # --- politeness
    host_delay_factor: float = setting(2.0, values.seconds(0, 100), "delay after a response = answer time x this")
    host_delay_min_seconds: float = setting(1.0, values.seconds(0, HOUR), "least delay, public addresses")
    host_delay_max_seconds: float = setting(30.0, values.seconds(0, HOUR), "longest delay of our own")
    crawl_delay_max_seconds: float = setting(60.0, values.seconds(0, DAY), "longest robots Crawl-delay obeyed")
    retry_after_max_seconds: float = setting(DAY, values.seconds(0, 7 * DAY), "longest Retry-After obeyed")
    retry_seconds: str = setting(
        "60,600,3600,21600",
        values.pauses(7 * DAY),
        "pauses before the next tries of a URL that got no answer, comma-separated; `never`: one try",
    )

    back_off_min_seconds: float = setting(10.0, values.seconds(0, HOUR), "rest after a 429 or 503; doubles in a row")
    back_off_max_seconds: float = setting(HOUR, values.seconds(0, DAY), "longest rest of our own after 429s and 503s")
    address_hosts: int = setting(2, values.integer(0, 10_000), "hosts served at a time on one public address; 0: all")
    permit_patience_seconds: float = setting(
        30.0, values.seconds(0, 540), "wait for a redirect's busy host before the visit goes on in another batch"
    )

    # --- workers
    capture_workers: int = setting(2, values.integer(1, 256), "processes of the capture queue")
    extract_workers: int = setting(2, values.integer(1, 256), "processes of the extract queue")
    cluster_workers: int = setting(
        1, values.integer(1, 64), "processes of the cluster queue: they look at texts at once, and decide in turn"
    )
    interactive_workers: int = setting(1, values.integer(1, 256), "processes of the interactive queue")
    capture_connections: int = setting(128, values.integer(1, 10_000), "connections of one capture process")
    capture_batches: int = setting(
        8, values.integer(1, 256), "batches of one capture process at a time: others go on beside one that is slow"
    )
    batch_urls: int = setting(
        1000,
        values.integer(1, 2000),
        "URLs in one bulk batch; up to a quarter more where its hosts then have none left",
    )
    batch_seconds: float = setting(
        300.0, values.seconds(1, 540), "after this a batch hands back what is left; a fetch that was begun goes on"
    )
    lease_seconds: float = setting(60.0, values.seconds(1, HOUR), "a worker's right to a batch, without a heartbeat")
    heartbeat_seconds: float = setting(3.0, values.seconds(0.1, HOUR), "between two heartbeats")
    park_deliveries: int = setting(
        3, values.integer(1, 100), "a batch that workers die of so often is taken apart, and the URL at fault parked"
    )
    extract_backlog: int = setting(
        2000, values.integer(0, 1_000_000), "bulk captures wait while so many segments wait to be extracted; 0: never"
    )
    spool_free_bytes: int = setting(
        GIB, values.size(0, 1024 * GIB), "a worker takes no batch while less is free where the spool is"
    )
    stuck_seconds: float = setting(60.0, values.seconds(1, DAY), "a stage that stands still is announced again")

    # --- segments and the log
    segment_bytes: int = setting(64 * MIB, values.size(KIB, 1 * GIB), "a segment closes at this size")
    segment_seconds: float = setting(
        30.0, values.seconds(0.1, HOUR), "a segment closes this long after its start; in the interactive lane after 2 s"
    )
    warc_compression: str = setting(
        "gzip", values.choice("gzip", "zstd"), "how records are packed; FastWARC reads zstd, warcio and pywb do not"
    )
    compact_bytes: int = setting(
        1_000_000_000, values.size(MIB, 5 * GIB), "compaction joins files up to this size; the spool has room for one"
    )
    compact_files: int = setting(
        1000, values.integer(0, 1_000_000), "the scheduler joins files when so many new ones stand; 0: never"
    )
    compact_grace_seconds: float = setting(
        7 * DAY, values.seconds(0, 3650 * DAY), "files that were joined stay so long, at least"
    )
    sync_bytes: int = setting(4 * MIB, values.size(KIB, 1 * GIB), "most that is not yet fsynced")
    sync_seconds: float = setting(1.0, values.seconds(0.01, 60), "longest that something is not yet fsynced")
    publish_seconds: float = setting(60.0, values.seconds(0.1, DAY), "a manifest is published at least this often")
    publish_leaves: int = setting(10_000, values.integer(1, 1_000_000), "or when so many leaves wait")

    # --- re-snapshots
    visits_a_day: int = setting(
        0, values.integer(0, 100_000_000), "scheduled visits that are planned in a day (UTC); 0: as many as are due"
    )

    # --- judgements
    judge_url: str = setting(
        "", values.text, "chat-completions endpoint whose model judges quotes, such as http://127.0.0.1:11434/v1"
    )
    judge_api_key: str = setting(
        "", values.text, "key of that endpoint; from the environment or .env alone", secret=True, environment_only=True
    )
    judge_model: str = setting("", values.text, "model that judges, by its full name")
    judge_served_model: str = setting(
        "", values.text, "name that the endpoint answers with, where it is another (default: that of the model)"
    )
    judge_temperature: str = setting("0", values.temperature, "temperature that the model is asked at, from 0 to 2")
    judge_prompt: str = setting("", values.text, "file with a prompt of your own (default: the one that comes along)")
    judge_context_chars: int = setting(
        600, values.integer(0, 20_000), "characters of the page that the model is shown on each side of a quote"
    )
    judge_max_tokens: int = setting(500, values.integer(16, 100_000), "longest answer of the model")
    judge_format: str = setting(
        "json_object", values.choice("json_object", "none"), "response_format that is asked for; none: not asked for"
    )
    judge_seconds: float = setting(120.0, values.seconds(0.1, HOUR), "time for one answer of the model")
    judge_at_once: int = setting(4, values.integer(1, 256), "questions that the endpoint is asked at one time")
    human_sample: str = setting("10%", values.share, "share of what a model judged that people are asked to judge too")

    # --- S3 client
    s3_connect_seconds: float = setting(5.0, values.seconds(0.1, 300), "time to connect to S3")
    s3_read_seconds: float = setting(60.0, values.seconds(0.1, HOUR), "time without a byte from S3")
    s3_attempts: int = setting(4, values.integer(1, 20), "tries of one S3 request")
    s3_connections: int = setting(16, values.integer(1, 256), "S3 requests at one time, one process")
    s3_multipart_bytes: int = setting(64 * MIB, values.size(5 * MIB, 4 * GIB), "larger objects go up in parts")

    # --- web
    web_host: str = setting("127.0.0.1", values.text, "address of the web process; tokens are needed beyond loopback")
    web_port: int = setting(0, values.integer(0, 65_535), "port of the web process; 0: 8080 or the next free one")
    memento_port: int = setting(0, values.integer(0, 65_535), "port of the replay server; 0: a free one")
    api_tokens: tuple[str, ...] = setting((), values.items, "bearer tokens of the API, comma-separated", secret=True)

    def __post_init__(self) -> None:
        data_dir = self.data_dir.absolute()
        object.__setattr__(self, "data_dir", data_dir)
        for name, inside in IN_DATA_DIR:
            given: Path = getattr(self, name)
            object.__setattr__(self, name, data_dir / inside if given == Path() else given.absolute())
        if self.heartbeat_seconds * 2 > self.lease_seconds:
            raise ConfigError(
                f"a heartbeat each {self.heartbeat_seconds:g} s is too rare for a lease of {self.lease_seconds:g} s",
                where=f"{PREFIX}HEARTBEAT_SECONDS",
                next_step="let a lease hold two heartbeats at least, else a live worker loses its batch",
            )

    @property
    def agent(self) -> str:
        """The user agent that is sent."""
        if self.user_agent:
            return self.user_agent
        comment = f" (+{self.contact})" if self.contact else ""
        return f"Citevault/{version()}{comment}"

    @property
    def store_folder(self) -> Path | None:
        """The folder of the local-directory store, where the endpoint is `file:///…`."""
        parts = urlsplit(self.s3_endpoint)
        return Path(unquote(parts.path)) if parts.scheme == "file" else None

    @property
    def uses_local_stack(self) -> bool:
        """Whether at least one store is to come from the local stack."""
        return not (self.redis_url and self.s3_endpoint)


def _as_text(value: object) -> str:
    """A value as it would be written in the environment."""
    if isinstance(value, tuple):
        return ",".join(str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class Variable:
    """A documented environment variable."""

    name: str
    field: str
    about: str
    default: str
    secret: bool
    environment_only: bool


VARIABLES: tuple[Variable, ...] = tuple(
    Variable(
        name=each.metadata["alias"] or PREFIX + each.name.upper(),
        field=each.name,
        about=each.metadata["about"],
        default=_as_text(each.default) if each.default != Path() else "",
        secret=each.metadata["secret"],
        environment_only=each.metadata["environment_only"],
    )
    for each in fields(Settings)
)


def version() -> str:
    """Version of the installed distribution; `0` in a checkout that is not installed."""
    try:
        return metadata.version("citevault")
    except metadata.PackageNotFoundError:
        return "0"


def load(
    overrides: Mapping[str, str] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Settings of this process. `overrides` are by field name, as text, from the command line; `folder` is where
    `.env` is looked for (the working folder). Raises ConfigError, which names the variable or file."""
    from_environment = _by_field(os.environ if environ is None else environ)
    dotenv = (folder or Path.cwd()) / ".env"
    from_dotenv = _by_field(read_dotenv(dotenv))
    layers: list[tuple[str, Mapping[str, str]]] = [
        ("command line", overrides or {}),
        ("environment", from_environment),
        (str(dotenv), from_dotenv),
    ]
    where = next((layer["data_dir"] for _, layer in layers if layer.get("data_dir")), str(Settings().data_dir))
    named = (os.environ if environ is None else environ).get(PREFIX + "CONFIG", "")
    toml = Path(named).expanduser() if named else Path(where) / "citevault.toml"
    if named and not toml.is_file():
        raise ConfigError("there is no such file", where=f"{PREFIX}CONFIG={toml}", next_step="correct the variable")
    in_file = read_toml(toml, {variable.field for variable in VARIABLES})
    for variable in VARIABLES:
        if variable.environment_only and variable.field in in_file:
            raise ConfigError(
                f"{variable.field} does not belong into this file",
                where=str(toml),
                next_step=f"give it as the variable {variable.name}, and take a new key if others could read the file",
            )
    layers.append((str(toml), in_file))
    chosen: dict[str, object] = {}
    for variable in VARIABLES:
        source, raw = next(
            ((name, layer[variable.field]) for name, layer in layers if layer.get(variable.field)), ("", "")
        )
        if raw:
            chosen[variable.field] = _parsed(variable, raw, source)
    return Settings(**chosen)  # type: ignore[arg-type]  # each value came from its own field's parser


def process_environment(settings: Settings) -> dict[str, str]:
    """The environment for a child process: ours, with these settings in place of whatever was set before. What only
    commands need, a model's key, no child gets."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX) or name in NOT_SETTINGS}
    kept.pop(PREFIX + "CONFIG", None)
    for variable in VARIABLES:
        value = _as_text(getattr(settings, variable.field))
        kept.pop(variable.name, None)
        if value and not variable.environment_only:
            kept[variable.name] = value
    return kept


def unknown_variables(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variables with our prefix that mean nothing, each with the nearest name that does (or an empty string)."""
    known = [variable.name for variable in VARIABLES]
    found = {}
    for name in sorted(os.environ if environ is None else environ):
        if name.startswith(PREFIX) and name not in known and name not in NOT_SETTINGS:
            found[name] = next(iter(get_close_matches(name, known, n=1)), "")
    return found


def _by_field(variables: Mapping[str, str]) -> dict[str, str]:
    """By field name; our own prefix wins over an alias (`CITEVAULT_S3_REGION` over `AWS_REGION`)."""
    found = {}
    for variable in VARIABLES:
        own = variables.get(PREFIX + variable.field.upper(), "")
        value = own or variables.get(variable.name, "")
        if variable.field == "s3_region" and not value:
            value = variables.get("AWS_DEFAULT_REGION", "")
        if value:
            found[variable.field] = value
    return found


def _parsed(variable: Variable, raw: str, source: str) -> object:
    parse: Callable[[str], object] = next(f.metadata["parse"] for f in fields(Settings) if f.name == variable.field)
    try:
        return parse(raw.strip())
    except ValueError as wanted:
        shown = "" if variable.secret else f", not {raw[:80]!r}"
        raise ConfigError(f"{variable.name} must be {wanted}{shown}", where=source, next_step="correct it") from None
