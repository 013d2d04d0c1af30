"""R098, C37: a real server answers as servers do, and only a judgement counts as one."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from models_plugin import KEY, ModelServer, Reply, completion, says

from schemas.canonical import canonical_bytes
from schemas.records.claim import Importance, Support
from schemas.records.judgement import ChatParameters, JudgementInputs
from workers.adapters.chat import MAX_ANSWER_BYTES, open_endpoint
from workers.adapters.evaluator import parameters_in_force
from workers.config import ConfigError, Settings, load, process_environment
from workers.errors import CorruptError, PermanentError
from workers.flows.judge.asking import MOST_REFUSED, Asking, ask_all, keep_checker
from workers.flows.judge.ledger import Asked, JudgementLedger
from workers.judge.chat import checker_of
from workers.judge.question import Question
from workers.ports import ObjectStore

pytestmark = pytest.mark.real
NOW = "2026-11-29T12:00:00Z"
PINS = ChatParameters(
    checker="chat@1",
    model="judge-7b",
    served_model="judge-7b",
    temperature="0.5",
    prompt="Judge.",
    context_chars=10,
    max_tokens=100,
    response_format="json_object",
    seed=0,
)


def question(claim: str = "It has 14 gates.", number: int = 1) -> Question:
    return Question(
        evidence_id=f"ev-{number:03d}",
        claim_id=f"c-{number:03d}",
        importance=Importance.ORDINARY,
        inputs=JudgementInputs(claim_text=claim, quote="14 gates", prefix="has ", suffix=".", text_sha256="a" * 64),
        before="It has ",
        after=".",
        url="https://example.org/",
        author=Support.FULL,
    )


Run = Callable[..., Asking]


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    from workers.adapters.directory import DirectoryObjectStore

    return DirectoryObjectStore(tmp_path / "store")


@pytest.fixture
def ask(model: ModelServer, store: ObjectStore) -> Run:
    def run(*questions: Question, pins: ChatParameters = PINS, again: bool = False, seconds: float = 5.0) -> Asking:
        async def work() -> Asking:
            async with open_endpoint(model.url, KEY, seconds=seconds, pause_seconds=0.01) as endpoint:
                ledger = JudgementLedger(store)
                return await ask_all(questions, pins, endpoint, ledger, now=lambda: NOW, at_once=2, again=again)

        return asyncio.run(work())

    return run


def test_what_was_judged_is_not_asked_again_unless_that_is_wanted(ask: Run, model: ModelServer, store: ObjectStore):
    """R097, R098, C37: kept under claim, quote, passage and all that the model is pinned to; appended."""
    first = ask(question())
    (entry,) = first.entries.values()
    assert (entry.support, entry.sequence, entry.by) == (Support.FULL, 1, f"judge-7b at {model.url[7:-3]}")
    (body,) = model.asked
    assert (body["path"], body["model"], body["temperature"]) == ("/v1/chat/completions", "judge-7b", 0.5)
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    assert "full" not in body["messages"][1]["content"], "what the author says is not told"
    assert not ask(question()).fresh
    assert len(model.asked) == 1
    model.answering = lambda question, before: says("partial")
    again = ask(question(), again=True).entries["ev-001"]
    assert (again.support, again.sequence) == (Support.PARTIAL, 2)
    warmer = PINS.model_copy(update={"temperature": "0.6"})
    assert ask(question(), pins=warmer).fresh, "another temperature is another checker"

    async def kept() -> list[tuple[str, Support]]:
        return [(e.checker_version, e.support) for e in await JudgementLedger(store).of(question().inputs_sha256)]

    versions = asyncio.run(kept())
    assert len(versions) == 3
    assert len(set(versions)) == 3


FULL = '{"support": "full", "rationale": "r"}'
ODD: dict[str, Reply] = {
    "score": (200, {}, completion('{"support": 0.57, "rationale": "r"}')),
    "NaN": (200, {}, completion('{"support": NaN, "rationale": "r"}')),
    "minus one": (200, {}, completion('{"support": -1, "rationale": "r"}')),
    "another word": says("mostly"),
    "capitals": says("Full"),
    "no rationale": says("full", " "),
    "twice": (200, {}, completion('{"support": "full", "support": "partial", "rationale": "r"}')),
    "one more field": (200, {}, completion('{"support": "full", "rationale": "r", "score": 1}')),
    "prose": (200, {}, completion('Sure! {"support": "full", "rationale": "r"}')),
    "cut": (200, {}, completion('{"support": "full"', finish_reason="length")),
    "refusal": (200, {}, completion(None, message={"refusal": "no"})),
    "filtered": (200, {}, completion("", finish_reason="content_filter")),
    "nothing": (200, {}, completion(None)),
    "other model": (200, {}, completion('{"support": "full", "rationale": "r"}', model="judge-3b")),
    "no choice": (200, {}, b'{"model": "judge-7b", "choices": []}'),
    "no JSON": (200, {}, b"<html>"),
    "deep": (200, {}, b"[" * 100_000),
    "two models": (200, {}, completion('{"support": "full", "rationale": "r"}')[:-1] + b', "model": "judge-7b"}'),
    "a call of tools": (200, {}, completion(None, message={"content": FULL, "tool_calls": [{"id": "1"}]})),
    "UTF-16": (200, {}, completion(FULL).decode().encode("utf-16")),
    "Latin-1": (200, {}, completion("\xfc").decode().replace("\\u00fc", "\xfc").encode("latin-1")),
    "an invisible rationale": says("full", "\u200b\u00ad \u2060."),
    "too large": (200, {}, b"x" * (MAX_ANSWER_BYTES + 1)),
    "filtered out": (400, {}, b'{"error": {"message": "content filter"}}'),
    "too long": (413, {}, b""),
}  # fmt: skip


def test_an_answer_outside_of_the_four_is_an_error_and_keeps_nothing(ask: Run, model: ModelServer, store: ObjectStore):
    """C37: NaN, scores, other words, cut answers: the edge stays unjudged, and it is said what to do."""
    model.answering = lambda asked, before: ODD[asked["claim"]]
    found = ask(*(question(name, number) for number, name in enumerate(ODD, 1)))
    assert set(found.unanswered) == {f"ev-{number:03d}" for number in range(1, len(ODD) + 1)}
    assert all(none.why and none.next_step for none in found.unanswered.values())
    assert not found.entries
    assert found.refusal is None, "what is refused of one question is not refused of the next"
    assert asyncio.run(_everything(store)) == []


async def _everything(store: ObjectStore) -> list[str]:
    return [key async for key in store.list("judgements/")]


def test_what_would_not_be_seen_is_not_kept_of_a_rationale(ask: Run, model: ModelServer):
    model.answering = lambda asked, before: says("full", "It says\0 14\x1b[31m gates\u202e. " + "x " * 4_000)
    (entry,) = ask(question()).entries.values()
    assert entry.rationale.startswith("It says\ufffd 14\ufffd[31m gates\ufffd. x x")
    assert (len(entry.rationale), entry.rationale[-4:]) == (4_000, " [\u2026]"), "what is cut is marked"


def test_a_busy_endpoint_is_asked_again_and_one_that_stays_busy_costs_its_edge_alone(ask: Run, model: ModelServer):
    """R098: Retry-After is heard; 503 is tried again; one that asks for an hour is left."""
    busy: dict[str, list[Reply]] = {
        "soon": [(429, {"Retry-After": "0"}, b"{}"), (503, {}, b"busy"), says("full")],
        "never": [(500, {}, b"{}")] * 4,
        "later": [(429, {"Retry-After": "3600"}, b'{"error": {"message": "slow down"}}')],
    }
    model.answering = lambda asked, before: busy[asked["claim"]].pop(0)
    found = ask(*(question(name, number) for number, name in enumerate(busy, 1)))
    assert set(found.entries) == {"ev-001"}
    assert "slow down" in found.unanswered["ev-003"].why
    assert model.claims.count("never") == 4
    assert model.claims.count("later") == 1


REFUSALS: dict[str, Reply] = {
    "CITEVAULT_JUDGE_API_KEY": (401, {}, json.dumps({"error": {"message": f"bad key {KEY}\x1b[31m"}}).encode()),
    "CITEVAULT_JUDGE_URL": (307, {"Location": "http://127.0.0.1:1/"}, b""),
    "CITEVAULT_JUDGE_FORMAT": (400, {}, b"{"),
}


@pytest.mark.parametrize("step", REFUSALS)
def test_an_endpoint_that_refuses_ends_the_run_with_what_to_do_and_without_the_key(
    ask: Run, model: ModelServer, step: str
):
    """R098, R126: the key stands in one header, and in nothing that is shown."""
    model.answering = lambda asked, before: REFUSALS[step]
    found = ask(*(question(f"It has {number} gates.", number) for number in range(1, 40)))
    refusal = str(found.refusal)
    assert step in refusal
    assert KEY not in refusal
    assert "\x1b" not in refusal
    assert set(model.keys) == {f"Bearer {KEY}"}
    assert len(model.asked) <= (MOST_REFUSED + 1 if step == "CITEVAULT_JUDGE_FORMAT" else 2), "nor is it asked on"
    assert len(found.unanswered) == 39, "none is lost sight of"


def test_what_is_answered_before_and_beside_a_refusal_is_kept(ask: Run, model: ModelServer, store: ObjectStore):
    """R097: an answer on its way when another question is refused is waited for, and what is one question is one."""
    started = threading.Event()

    def answering(asked: dict[str, object], before: int) -> Reply:
        if asked["claim"] == "refused":
            started.wait(5)
            return 401, {}, b"{}"
        started.set()
        time.sleep(0.1)
        return says("full")

    model.answering = answering
    found = ask(question("refused", 1), question("slow", 2), question("slow", 3), question("never asked", 4))
    assert set(found.entries) == set(found.fresh) == {"ev-002", "ev-003"}
    assert set(found.unanswered) == {"ev-001", "ev-004"}
    assert sorted(model.claims) == ["refused", "slow"], "two copies of one page are one question"
    assert len(asyncio.run(_everything(store))) == 1


def test_the_key_goes_to_no_child_no_file_and_over_no_public_network_in_the_clear(tmp_path: Path, model: ModelServer):
    """R098, R126."""
    settings = Settings(data_dir=tmp_path, judge_url=model.url, judge_api_key=KEY, judge_model="judge-7b")
    assert KEY not in repr(settings)
    assert KEY not in process_environment(settings).values()
    (tmp_path / "citevault.toml").write_text(f'judge_api_key = "{KEY}"')
    with pytest.raises(ConfigError, match="CITEVAULT_JUDGE_API_KEY") as told:
        load({"data_dir": str(tmp_path)}, environ={}, folder=tmp_path)
    assert KEY not in str(told.value)

    async def opened(url: str) -> None:
        async with open_endpoint(url, KEY, seconds=1):
            pass

    for url in ("http://models.example/v1", "ftp://models.example", "https://u:p@models.example/v1", "models"):
        with pytest.raises(PermanentError, match="CITEVAULT_JUDGE_URL"):
            asyncio.run(opened(url))
    asyncio.run(opened("https://models.example/v1"))


def test_a_silent_endpoint_is_a_time_out_and_no_judgement(ask: Run, model: ModelServer):
    """R098: `could not tell`, never a verdict."""
    stopped = threading.Event()
    model.answering = lambda asked, before: (stopped.wait(5), says("full"))[1]
    found = ask(question(), seconds=0.05)
    stopped.set()
    assert list(found.unanswered) == ["ev-001"]
    assert "CITEVAULT_JUDGE_SECONDS" in found.unanswered["ev-001"].next_step


def test_parameters_are_named_by_their_digest_and_kept_before_the_first_judgement(store: ObjectStore, tmp_path: Path):
    """R098: model, prompt and temperature travel whole; other ones under the same id are corrupt."""
    (tmp_path / "prompt.txt").write_text("Judge strictly.")
    settings = Settings(
        data_dir=tmp_path,
        judge_url="http://127.0.0.1:1/v1",
        judge_model="m",
        judge_temperature="0.1",
        judge_prompt=str(tmp_path / "prompt.txt"),
    )
    pins = parameters_in_force(settings)
    assert (pins.model, pins.served_model, pins.temperature, pins.prompt) == ("m", "m", "0.1", "Judge strictly.")
    name, digest = checker_of(pins)
    assert name == f"chat@1+{digest[:8]}"
    assert asyncio.run(keep_checker(store, pins)) == asyncio.run(keep_checker(store, pins)) == name
    for broken in (Settings(data_dir=tmp_path), Settings(data_dir=tmp_path, judge_url="http://127.0.0.1:1/v1")):
        with pytest.raises(PermanentError, match="judge review"):
            parameters_in_force(broken)


def test_an_entry_that_is_not_of_its_place_is_corrupt_and_racers_take_the_next_number(store: ObjectStore):
    """R097, X33: append-only; two who judge at one time are both kept."""
    asked = Asked(question().inputs, question().context_sha256, "human@1", None)

    async def work() -> list[int]:
        ledgers = [JudgementLedger(store) for _ in range(8)]
        calls = [one.append(asked, Support.FULL, "Reason.", by=f"p{n}", now=NOW) for n, one in enumerate(ledgers)]
        made = await asyncio.gather(*calls)
        entry = made[0].model_copy(update={"inputs": made[0].inputs.model_copy(update={"quote": "15 gates"})})
        await store.put(f"judgements/{asked.inputs_sha256}/{'0' * 64}-0000000001.json", canonical_bytes(entry))
        return sorted(one.sequence for one in made)

    async def without(place: int) -> None:
        name = f"judgements/{asked.inputs_sha256}/{asked.key}-{place:010d}.json"
        kept = await store.get(name)
        await store.delete(name)
        try:
            await JudgementLedger(store).of(asked.inputs_sha256)
        finally:
            await store.put(name, kept)

    assert asyncio.run(work()) == list(range(1, 9))
    for place in (1, 4):
        with pytest.raises(CorruptError, match="is gone"):
            asyncio.run(without(place))
    with pytest.raises(CorruptError, match="not of the inputs"):
        asyncio.run(JudgementLedger(store).of(asked.inputs_sha256))


def test_many_edges_of_an_archive_without_judgements_cost_one_look(store: ObjectStore):
    """R097: and as soon as there is one, it is found among them."""
    many = [f"{number:064x}" for number in range(40)]

    async def work() -> None:
        ledger = JudgementLedger(store)
        assert set((await ledger.of_each(many)).values()) == {()}
        asked = Asked(question().inputs, question().context_sha256, "human@1", None)
        made = await ledger.append(asked, Support.FULL, "It says so.", by="ada", now=NOW)
        known = await ledger.of_each([*many, asked.inputs_sha256])
        assert [told for told in known.values() if told] == [(made,)]

    asyncio.run(work())
