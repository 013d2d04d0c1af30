"""The wheel as a stranger installs it: four packages, base dependencies, and a validator that needs no more.

An editable install cannot show this (`packages_distributions()` does not know its packages, and `tests` and `deploy`
are importable beside it), so a wheel is built and installed into a fresh environment.
"""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

PACKAGES = {"schemas", "workers", "scheduler", "validator"}
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def ran(*command: str | Path, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=500, check=False)


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    out = tmp_path_factory.mktemp("wheel")
    built = ran(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, repository)
    assert built.returncode == 0, built.stderr
    (file,) = out.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def stranger(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`bin` of a fresh environment with the wheel and without any extra."""
    root = tmp_path_factory.mktemp("venv")
    assert ran(sys.executable, "-m", "venv", root).returncode == 0
    installed = ran(root / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", wheel)
    assert installed.returncode == 0, installed.stderr
    return root / "bin"


@pytest.fixture
def bundle(repository: Path, tmp_path: Path) -> Path:
    """The golden bundle of the validator's tests, with both its keys in `keys.pem` beside it."""
    spec = spec_from_file_location("golden", repository / "tests/validator/conftest.py")
    assert spec is not None
    assert spec.loader is not None
    golden = module_from_spec(spec)
    sys.modules["golden"] = golden
    try:
        spec.loader.exec_module(golden)
        root = tmp_path / "bundle"
        root.mkdir()
        golden.build(root)
        (tmp_path / "keys.pem").write_bytes(golden.PUBLISHER.pem + golden.AUTHOR.pem)
    finally:
        del sys.modules["golden"]
    return root


def test_the_wheel_holds_the_four_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES


def test_an_install_maps_the_four_packages_to_citevault(stranger: Path, tmp_path: Path) -> None:
    code = "import importlib.metadata as m, json; print(json.dumps(m.packages_distributions()))"
    answer = ran(stranger / "python", "-c", code, cwd=tmp_path)
    owners = json.loads(answer.stdout)
    assert {name for name, owner in owners.items() if "citevault" in owner} == PACKAGES


def test_the_base_install_is_what_a_checker_needs(stranger: Path, tmp_path: Path) -> None:
    code = "import importlib.metadata as m, json; print(json.dumps([d.name for d in m.distributions()]))"
    names = {name.lower() for name in json.loads(ran(stranger / "python", "-c", code, cwd=tmp_path).stdout)}
    assert {"citevault", "pydantic", "fastwarc", "cryptography"} <= names
    assert names.isdisjoint({"celery", "redis", "boto3", "aiohttp", "fastapi", "trafilatura", "warcio"})


def test_the_validator_checks_a_bundle_deeply_with_the_base_install(
    stranger: Path, bundle: Path, tmp_path: Path
) -> None:
    arguments = ["bundle", bundle, "--deep", "--profile", "strict", "--trust", tmp_path / "keys.pem"]
    answer = ran(stranger / "citevault-validate", *arguments, cwd=tmp_path)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    next((bundle / "texts").iterdir()).write_bytes(b"another text\n")
    assert ran(stranger / "citevault-validate", *arguments, cwd=tmp_path).returncode == 1


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (["citevault", "status"], "pip install './[archive]'"),
        (["citevault-validate", "manifest", "s3://bucket/prefix"], "pip install './[s3]'"),
    ],
    ids=["archive", "s3"],
)
def test_a_command_without_its_extra_exits_2_and_names_it(
    command: list[str], extra: str, stranger: Path, tmp_path: Path
) -> None:
    answer = ran(stranger / command[0], *command[1:], cwd=tmp_path)
    assert answer.returncode == 2
    assert extra in answer.stderr
    assert "Traceback" not in answer.stderr


def test_compiled_fingerprints_are_made_from_what_the_wheel_holds(wheel: Path, tmp_path: Path) -> None:
    """The step of `deploy/images` that compiles, on what the step before it installed."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    look = "from workers.dedup import native; assert native.kernel() is not None; print(native.library_file())"
    steps = [("-P", "-m", "workers.native"), ("-P", "-c", look)]
    done = [
        subprocess.run(
            [sys.executable, *step],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        for step in steps
    ]
    assert [each.returncode for each in done] == [0, 0], done[0].stderr + done[1].stderr
    assert Path(done[1].stdout.strip()).parent == tmp_path / "workers/native"
