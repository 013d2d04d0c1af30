"""The compose file holds together, as far as that can be said without a container engine."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from workers.adapters.celery_app import QUEUES
from workers.config import NOT_SETTINGS, VARIABLES


@pytest.fixture
def services(compose):
    return compose["services"]


def words_of(service) -> list[str]:
    return service.get("command", [])


def test_every_queue_has_a_worker_and_only_one_clusters(services) -> None:
    queues = [words[words.index("--queue") + 1] for words in map(words_of, services.values()) if "--queue" in words]
    assert sorted(queues) == sorted(QUEUES)
    cluster = words_of(services["worker-cluster"])
    assert cluster[cluster.index("--concurrency") + 1] == "1"


def test_every_module_that_is_started_exists(services) -> None:
    modules = {words[2] for words in map(words_of, services.values()) if words[:2] == ["python", "-m"]}
    assert {"workers.tasks", "scheduler.service", "scheduler.web"} <= modules
    for module in modules:
        assert importlib.util.find_spec(module) is not None, module
        assert importlib.util.find_spec(f"{module}.__main__") is not None, module


def test_every_file_that_is_named_exists(compose, services, deploy: Path) -> None:
    for service in services.values():
        build = service.get("build")
        if build:
            root = (deploy / build["context"]).resolve()
            assert (root / build["dockerfile"]).is_file()
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            if source.startswith("./"):
                assert (deploy / source).is_file(), source
            else:
                assert source in compose["volumes"]
        for secret in service.get("secrets", []):
            assert secret in compose["secrets"]
        for network in service.get("networks", []):
            assert network in compose["networks"]


def test_ports_are_those_that_the_others_ask_for(services, deploy: Path) -> None:
    web, metrics = words_of(services["web"]), words_of(services["metrics"])
    targets = {
        target
        for job in yaml.safe_load((deploy / "prometheus" / "prometheus.yml").read_text())["scrape_configs"]
        for static in job["static_configs"]
        for target in static["targets"]
    }
    assert f"web:{web[web.index('--port') + 1]}" in targets
    assert f"metrics:{metrics[metrics.index('--port') + 1]}" in targets
    environment = (deploy / "env.example").read_text(encoding="utf-8")
    assert "CITEVAULT_REDIS_URL=redis://valkey:6379/0" in environment
    s3 = next(word for word in words_of(services["s3"]) if word.startswith("-s3.port="))
    assert f"CITEVAULT_S3_ENDPOINT=http://s3:{s3.partition('=')[2]}" in environment
    bucket = next(word for word in words_of(services["s3"]) if word.startswith("-bucket="))
    assert f"CITEVAULT_S3_BUCKET={bucket.partition('=')[2]}" in environment


def test_every_variable_is_one_of_the_programs(deploy: Path) -> None:
    known = {variable.name for variable in VARIABLES} | NOT_SETTINGS
    files = [deploy / "compose.yaml", deploy / "README.md", *(deploy / "images").iterdir()]
    for file in files:
        named = set(re.findall(r"\b(CITEVAULT_[A-Z0-9_]+)\b", file.read_text(encoding="utf-8")))
        assert named <= known, file.name


def test_nothing_is_open_to_other_machines_and_stores_not_even_to_this_one(services) -> None:
    for name, service in services.items():
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:"), name
    assert "ports" not in services["valkey"]
    assert "ports" not in services["s3"]


def test_what_parses_strangers_bytes_has_no_way_out(compose, services) -> None:
    assert services["worker-extract"]["networks"] == ["inside"]
    assert compose["networks"]["inside"]["internal"] is True


def test_images_are_pinned_by_tag_and_not_run_as_root(services, deploy: Path) -> None:
    version = tomllib.loads((deploy.parent / "pyproject.toml").read_text())["project"]["version"]
    for name, service in services.items():
        tag = service["image"].rpartition(":")[2]
        assert re.fullmatch(r"v?[0-9]+\.[0-9]+(\.[0-9]+)?", tag), name
        if service["image"].startswith("citevault-"):
            assert tag == version
    for file in (deploy / "images").glob("*.Dockerfile"):
        text = file.read_text(encoding="utf-8")
        assert set(re.findall(r"^FROM (\S+)", text, re.M)) == {"python:3.11.14-slim-bookworm"}
        assert re.findall(r"^USER (\S+)", text, re.M) == ["10001:10001"]
        assert text.count("--require-hashes") == 2
        for source in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.M):
            for path in source.split():
                assert (deploy.parent / path).exists(), path


def test_the_validators_image_has_no_crawler(deploy: Path) -> None:
    lock = (deploy / "images" / "base.lock").read_text(encoding="utf-8")
    for name in ("aiohttp", "celery", "redis", "boto3", "trafilatura"):
        assert not re.search(rf"^{name}==", lock, re.M), name


@pytest.mark.parametrize("name", ["base", "archive", "build"])
def test_locks_of_images_are_parts_of_the_one_lock(deploy: Path, name: str) -> None:
    whole = (deploy.parent / "requirements.lock").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", whole, re.M))
    hashes = set(re.findall(r"--hash=(sha256:[0-9a-f]{64})", whole))
    part = (deploy / "images" / f"{name}.lock").read_text(encoding="utf-8")
    own = dict(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", part, re.M))
    assert own
    assert own.items() <= pins.items(), "run deploy/images/lock.sh after `make lock`"
    assert set(re.findall(r"--hash=(sha256:[0-9a-f]{64})", part)) <= hashes
    assert "://" not in part
