"""The exported JSON Schemas say what our reader does, as a second reader understands them."""

import copy
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from schemas import export
from schemas.reading import DocumentError, DocumentProblem, read_document

Json = Any  # a JSON document of a shape that the schema says, not this test
IDENTIFIERS = sorted(export.documents())
SCHEMAS: dict[str, dict[str, Json]] = {
    identifier: export.json_schema(identifier, model) for identifier, model in export.documents().items()
}
QUIET = settings(
    deadline=None,
    max_examples=10,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def example_of(pattern: str) -> str:
    """The simplest text that matches: one is enough, patterns have tests of their own."""
    return find(st.from_regex(pattern.removesuffix("$") + r"\Z"), lambda _text: True, settings=QUIET)


def patterns(value: Json) -> Iterator[str]:
    """All patterns of a schema."""
    if isinstance(value, dict):
        if isinstance(value.get("pattern"), str):
            yield value["pattern"]
        for item in value.values():
            yield from patterns(item)
    elif isinstance(value, list):
        for item in value:
            yield from patterns(item)


EXAMPLES = {pattern: example_of(pattern) for pattern in sorted(set(patterns(list(SCHEMAS.values()))))}


def strategy(schema: Json, root: dict[str, Json]) -> st.SearchStrategy[Json]:
    """Documents that a schema of the kind that pydantic writes allows."""
    if schema is True or schema == {}:
        return st.none() | st.integers(-5, 5) | st.text(max_size=3) | st.lists(st.booleans(), max_size=2)
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return st.deferred(lambda: strategy(root["$defs"][name], root))
    if "anyOf" in schema:
        return st.one_of([strategy(item, root) for item in schema["anyOf"]])
    if "oneOf" in schema:
        tag = schema["discriminator"]
        return st.one_of([tagged(ref, tag["propertyName"], name, root) for name, ref in tag["mapping"].items()])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            low, high = schema.get("minimum", -(2**53) + 1), schema.get("maximum", 2**53 - 1)
            return st.integers(low, high)
        case "string" if "pattern" in schema:
            return st.just(EXAMPLES[schema["pattern"]])
        case "string":
            low = schema.get("minLength", 0)
            return st.text(min_size=low, max_size=min(schema.get("maxLength", low + 5), low + 5))
        case "array":
            low = schema.get("minItems", 0)
            return st.lists(strategy(schema["items"], root), min_size=low, max_size=low + 1)
        case "object" if "properties" in schema:
            required = set(schema.get("required", ()))
            fields = {name: strategy(item, root) for name, item in schema["properties"].items()}
            return st.fixed_dictionaries(
                {name: made for name, made in fields.items() if name in required},
                optional={name: made for name, made in fields.items() if name not in required},
            )
    return st.dictionaries(st.text(max_size=3), strategy(schema.get("additionalProperties", True), root), max_size=2)


def tagged(ref: str, tag: str, name: str, root: dict[str, Json]) -> st.SearchStrategy[Json]:
    """One branch of a union, with the tag that chooses it."""
    return strategy({"$ref": ref}, root).map(lambda value: value | {tag: name})


def obey_rules_between_fields(value: Json) -> Json:
    """Two rules tie fields together, which a JSON Schema does not say: README, sections 5 and 14."""
    if isinstance(value, dict):
        if "raw_sha256" in value:
            value["content_sha256"] = value["raw_sha256"]
        if {"claim_id", "support"} <= value.keys() and not {"source_id", "rationale", "state"} & value.keys():
            value["url"] = "https://example.com/"
            value.pop("snapshot_id", None)
            value["quote"] = "It rained all day"
            value.pop("quotes", None)
        if "compacted_at" in value:
            concatenate(value)
        for item in value.values():
            obey_rules_between_fields(item)
    elif isinstance(value, list):
        for item in value:
            obey_rules_between_fields(item)
    return value


def concatenate(compaction: dict[str, Json]) -> None:
    """Let its sources stand one after the other."""
    end, entries = compaction["warcinfo"]["length"] % 2**40, 1
    compaction["warcinfo"] |= {"offset": 0, "length": end}
    for number, source in enumerate(compaction["sources"]):
        source["start"] = end
        source["warc"]["key"] = f"warc/{number}"
        source["warc"] |= {"bytes": source["warc"]["bytes"] % 2**40, "entries": source["warc"]["entries"] % 2**40}
        end += source["warc"]["bytes"]
        entries += source["warc"]["entries"]
    compaction["warc"] |= {"key": "warc/joined", "bytes": end, "entries": entries}


def accepts(identifier: str, document: Json) -> tuple[bool, bool]:
    """What the schema says, and what our reader says."""
    ours = read_document(json.dumps(document).encode(), export.documents()[identifier])
    schema = Draft202012Validator(SCHEMAS[identifier]).is_valid(document)
    return schema, not isinstance(ours, DocumentError)


def objects(value: Json, schema: Json, root: dict[str, Json]) -> Iterator[tuple[dict[str, Json], dict[str, Json]]]:
    """Every record within a document, with its schema."""
    if isinstance(schema, dict) and "$ref" in schema:
        yield from objects(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    elif isinstance(schema, dict) and "anyOf" in schema and value is not None:
        yield from objects(value, schema["anyOf"][0], root)
    elif isinstance(schema, dict) and "oneOf" in schema:
        tag = schema["discriminator"]
        yield from objects(value, {"$ref": tag["mapping"][value[tag["propertyName"]]]}, root)
    elif isinstance(value, dict) and isinstance(schema, dict) and "properties" in schema:
        yield value, schema
        for name, item in list(value.items()):
            yield from objects(item, schema["properties"].get(name, True), root)
    elif isinstance(value, list) and isinstance(schema, dict):
        for item in value:
            yield from objects(item, schema.get("items", True), root)


@pytest.fixture(params=IDENTIFIERS)
def identifier(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_files_are_what_the_code_says() -> None:
    assert export.differences(export.FOLDER, export.README) == [], "run python -m schemas.export"


def test_a_schema_is_a_schema_with_its_id(identifier: str) -> None:
    schema = SCHEMAS[identifier]
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == identifier
    assert schema["title"]
    declared = schema["properties"].get("schema")
    if declared is not None:
        assert identifier in json.dumps(declared)


def test_no_document_holds_a_float(identifier: str) -> None:
    """README, section 2: ratios are parts per million."""
    assert '"type": "number"' not in json.dumps(SCHEMAS[identifier])


def add_unknown(record: dict[str, Json], _schema: dict[str, Json]) -> bool:
    record["unknown"] = 1
    return True


def misspell_extension(record: dict[str, Json], _schema: dict[str, Json]) -> bool:
    record["x-note"] = 1
    return True


def drop_required(record: dict[str, Json], schema: dict[str, Json]) -> bool:
    required = schema.get("required", [])
    if required:
        del record[required[-1]]
    return bool(required)


def number_as_text(record: dict[str, Json], schema: dict[str, Json]) -> bool:
    return change_type(record, schema, int, str)


def text_as_number(record: dict[str, Json], schema: dict[str, Json]) -> bool:
    return change_type(record, schema, str, lambda _text: 7)


def change_type(record: dict[str, Json], schema: dict[str, Json], kind: type, into: Callable[[Json], Json]) -> bool:
    for name, field in schema["properties"].items():
        if type(record.get(name)) is kind and not takes_anything(field):
            record[name] = into(record[name])
            return True
    return False


def takes_anything(field: Json) -> bool:
    """Such as the `value` of a policy: of it no type is wrong."""
    return field is True or field == {} or any(map(takes_anything, field.get("anyOf", ())))


SPOILERS = (add_unknown, misspell_extension, drop_required, number_as_text, text_as_number)


@pytest.mark.parametrize("identifier", IDENTIFIERS)
@QUIET
@given(data=st.data())
def test_schema_and_reader_take_and_refuse_the_same(identifier: str, data: st.DataObject) -> None:
    """A document that the schema allows, with an extension, and spoilt in any one of its records."""
    root = SCHEMAS[identifier]
    document = obey_rules_between_fields(data.draw(strategy(root, root)))
    assert accepts(identifier, document) == (True, True)
    count = sum(1 for _ in objects(document, root, root))
    chosen = data.draw(st.integers(0, count - 1))
    for spoil in SPOILERS:
        spoilt = copy.deepcopy(document)
        if spoil(*list(objects(spoilt, root, root))[chosen]):
            assert accepts(identifier, spoilt) == (False, False), spoil.__name__
    extended = copy.deepcopy(document)
    next(itertools.islice(objects(extended, root, root), chosen, None))[0]["x_note"] = {"anything": [1, None]}
    assert accepts(identifier, extended) == (True, True)


def test_an_unknown_field_is_named_by_our_reader(snapshot_document: dict[str, Json]) -> None:
    for change in ({"unknown": 1}, {"records": snapshot_document["records"] | {"unknown": 1}}):
        document = copy.deepcopy(snapshot_document) | change
        result = read_document(json.dumps(document).encode(), export.documents()["citevault/snapshot@1"])
        assert isinstance(result, DocumentError)
        assert result.code is DocumentProblem.UNKNOWN_FIELD
        assert not Draft202012Validator(SCHEMAS["citevault/snapshot@1"]).is_valid(document)


def test_check_tells_which_file_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, readme = tmp_path / "json", tmp_path / "README.md"
    readme.write_text(f"before\n{export.CODES_BEGIN}| `old.code` |\n{export.CODES_END}\nafter\n")
    monkeypatch.setattr(export, "FOLDER", folder)
    monkeypatch.setattr(export, "README", readme)
    assert export.main([]) == 0
    assert readme.read_text().startswith("before\n")
    assert readme.read_text().endswith("\nafter\n")
    assert "old.code" not in readme.read_text()
    said: list[str] = []
    assert export.main(["--check"], say=said.append) == 0
    (folder / "draft@1.schema.json").write_text("{}")
    (folder / "old@1.schema.json").write_text("{}")
    readme.write_text(readme.read_text().replace("| error |", "| note |", 1))
    assert export.main(["--check"], say=said.append) == 1
    assert [line.split(" ")[0] for line in said] == ["README.md", "draft@1.schema.json", "old@1.schema.json"]
    assert export.main([]) == 0
    assert export.differences(folder, readme) == []
