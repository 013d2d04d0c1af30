"""JSON Pointers as RFC 6901 spells them, and never longer than a message may be."""

from pydantic import JsonValue

from schemas.pointer import pointer, value_at


def test_the_whole_document_is_the_empty_pointer() -> None:
    assert pointer([]) == ""


def test_tokens_are_escaped_as_rfc_6901_says() -> None:
    assert pointer(["a/b", "m~n", "", 0, "~1"]) == "/a~1b/m~0n//0/~01"


def test_a_name_that_cannot_be_shown_ends_the_pointer_at_its_object() -> None:
    assert pointer(["claims", 0, "\x1b[2J", "text"]) == "/claims/0"
    assert pointer(["claims", 0, "a" * 129]) == "/claims/0"


def test_a_pointer_leads_back_to_its_value() -> None:
    document: JsonValue = {"claims": [{"a/b": {"~1": "x"}}]}
    assert value_at(document, pointer(["claims", 0, "a/b", "~1"])) == "x"
    assert value_at(document, "") == document
    assert [value_at(document, place) for place in ("/claims/1", "/claims/x", "/claims/0/a~1b/~01/0", "/no")] == [
        None
    ] * 4
