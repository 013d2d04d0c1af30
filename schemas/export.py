"""The record types as JSON Schema 2020-12, for readers that are not ours.

`python -m schemas.export` writes `schemas/json/<kind>@<version>.schema.json` and the list of finding
codes in `schemas/README.md`; `--check` exits 1 where a file differs. A schema cannot say everything:
duplicate names, the size of numbers, and fields that depend on each other stand in the README.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import BaseModel, JsonValue

from schemas import records
from schemas.dsse import Envelope, Statement
from schemas.findings import FindingKind
from schemas.reading.document import EXTENSION_NAME_PATTERN, schema_id
from schemas.records.base import Record
from schemas.records.job import BadLine, Seed
from schemas.records.manifest import BundlePredicate, ManifestPredicate

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = Path(__file__).parent / "json"
README = Path(__file__).parent / "README.md"
CODES_BEGIN, CODES_END = "<!-- codes of schemas/findings -->\n", "<!-- end of codes -->"

_PARTS: dict[str, type[BaseModel]] = {
    # What is stored on its own, or signed, but says what it is by other means than a `schema` field.
    "citevault/bad-line@1": BadLine,
    "citevault/bundle-predicate@1": BundlePredicate,
    "citevault/dsse-envelope@1": Envelope,
    "citevault/manifest-predicate@1": ManifestPredicate,
    "citevault/seed@1": Seed,
    "citevault/statement@1": Statement,
}


def documents() -> dict[str, type[BaseModel]]:
    """Every exported record type by its schema id: all with a `schema` field, and the parts above."""
    named = dict(_PARTS)
    for found in pkgutil.iter_modules(records.__path__, f"{records.__name__}."):
        for value in vars(importlib.import_module(found.name)).values():
            if isinstance(value, type) and issubclass(value, Record) and value.__module__ == found.name:
                identifier = schema_id(value)
                if identifier is not None:
                    named[identifier] = value
    return dict(sorted(named.items()))


def file_name(identifier: str) -> str:
    """`citevault/bundle@1` to `bundle@1.schema.json`: versions lie side by side."""
    return f"{identifier.removeprefix('citevault/')}.schema.json"


def json_schema(identifier: str, model: type[BaseModel]) -> dict[str, JsonValue]:
    """JSON Schema of one document. Its `$id` is the schema id (a relative reference)."""
    generated: dict[str, JsonValue] = model.model_json_schema(by_alias=True, mode="validation")
    closed = _closed(generated)
    definitions = closed.get("$defs")
    if isinstance(definitions, dict):
        definitions.pop("JsonValue", None)
    return {"$schema": DIALECT, "$id": identifier, **closed}


def _closed(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Close every record: no name but its fields and `x_*`."""
    out: dict[str, JsonValue] = {name: _walk(value) for name, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        out["additionalProperties"] = False
        out["patternProperties"] = {EXTENSION_NAME_PATTERN: True}
    tag = schema.get("discriminator")
    if isinstance(tag, dict) and "oneOf" in schema:
        out["required"] = [tag["propertyName"]]  # the tag decides, so it is never left to its default
    return out


def _walk(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return True if value == _JSON_VALUE else _closed(value)
    return [_walk(item) for item in value] if isinstance(value, list) else value


_JSON_VALUE: JsonValue = {"$ref": "#/$defs/JsonValue"}


def file_texts() -> dict[str, str]:
    """Every file of the folder: name and text."""
    return {
        file_name(identifier): json.dumps(json_schema(identifier, model), ensure_ascii=False, indent=1) + "\n"
        for identifier, model in documents().items()
    }


def described(readme: str) -> str:
    """The format's description with its list of finding codes as the registry has it."""
    rows = ["| code | severity | meaning |", "|---|---|---|"]
    for kind in FindingKind:
        code, severity, inconclusive, description, _next_step = kind.value
        rows.append(f"| `{code}` | {severity.value}{', inconclusive' if inconclusive else ''} | {description} |")
    before, _begin, rest = readme.partition(CODES_BEGIN)
    _codes, _end, after = rest.partition(CODES_END)
    return f"{before}{CODES_BEGIN}{chr(10).join(rows)}\n{CODES_END}{after}"


def differences(folder: Path, readme: Path) -> list[str]:
    """Files that are missing, differ or should not be there. Empty where all is as the code says."""
    wanted = file_texts() | {readme.name: described(readme.read_text("utf-8"))}
    present = {path.name: path.read_text("utf-8") for path in (*folder.glob("*.schema.json"), readme)}
    return sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))


def main(arguments: Sequence[str] | None = None, *, say: Callable[[str], object] = sys.stderr.write) -> int:
    """Write the files, or with `--check` say which differ. Exit 0, or 1 where one differs."""
    parser = argparse.ArgumentParser(
        prog="python -m schemas.export", description="Write schemas/json and the codes in the README."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file differs")
    wanted_check: bool = parser.parse_args(arguments).check
    if wanted_check:
        found = differences(FOLDER, README)
        for name in found:
            say(f"{name} differs from the record types: run python -m schemas.export\n")
        return 1 if found else 0
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.schema.json"):
        path.unlink()
    for name, text in file_texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
    README.write_text(described(README.read_text("utf-8")), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
