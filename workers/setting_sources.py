"""Where settings are read from besides the environment: a `.env` file and a TOML file, both small and optional."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path

from workers.errors import PermanentError

CONFIG_LIMIT_BYTES = 1024 * 1024


class ConfigError(PermanentError):
    """A setting that cannot be used; `where` names the variable or the file."""


def read_dotenv(path: Path) -> dict[str, str]:
    """`NAME=value` lines, optionally with `export` and quotes; `#` begins a comment line. No interpolation."""
    found = {}
    for number, line in enumerate(_read_text(path).splitlines(), start=1):
        stripped = line.strip().removeprefix("export ").strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, equals, value = stripped.partition("=")
        if not equals or not name.strip().isidentifier():
            raise ConfigError("a line is not NAME=value", where=f"{path}:{number}", next_step="correct or remove it")
        value = value.strip()
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        found[name.strip()] = value
    return found


def read_toml(path: Path, known: Collection[str]) -> dict[str, str]:
    """Top-level keys with their values as text; lists become comma-separated. Nothing where there is no file."""
    try:
        document = tomllib.loads(_read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as wrong:
        raise ConfigError(f"not TOML: {wrong}", where=str(path), next_step="correct it") from None
    layer = {}
    for key, value in document.items():
        if key not in known:
            near = next(iter(get_close_matches(key, sorted(known), n=1)), "")
            hint = f"did you mean {near}?" if near else "remove it"
            raise ConfigError(f"{key[:80]!r} is no setting", where=str(path), next_step=hint)
        listed = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str | int | float) and not isinstance(item, bool) for item in listed):
            raise ConfigError(f"{key!r} must be text, a number or a list of them", where=str(path))
        layer[key] = ",".join(str(item) for item in listed)
    return layer


def _read_text(path: Path) -> str:
    """The whole of a small text file; nothing where there is none."""
    try:
        with path.open("rb") as stream:
            data = stream.read(CONFIG_LIMIT_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as refused:
        raise ConfigError(f"cannot be read: {refused.strerror}", where=str(path)) from None
    if len(data) > CONFIG_LIMIT_BYTES:
        raise ConfigError(f"longer than {CONFIG_LIMIT_BYTES} bytes", where=str(path))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise ConfigError(f"not UTF-8 at byte {wrong.start}", where=str(path)) from None
