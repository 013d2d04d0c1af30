"""The images, as far as files can say without a container engine; `tests/test_wheel.py` runs the step that compiles."""

from __future__ import annotations

from pathlib import Path

import pytest

COMPILER = ("gcc", "libc6-dev")
COMPILE = "/opt/citevault/bin/python -P -m workers.native"
INSTALL = "/opt/citevault/bin/pip install --no-deps /wheels/*.whl"


def stages(file: Path) -> list[list[str]]:
    """The instructions of each stage, those that go over several lines as one."""
    found: list[list[str]] = []
    joined = file.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in joined.splitlines():
        if line.startswith("FROM "):
            found.append([])
        if line and not line.startswith("#"):
            found[-1].append(" ".join(line.split()))
    return found


@pytest.mark.parametrize("name", ["worker", "control"])
def test_fingerprints_are_compiled_in_the_stage_that_builds_and_only_there(name: str, deploy: Path) -> None:
    build, final = stages(deploy / "images" / f"{name}.Dockerfile")
    places = [
        next(place for place, step in enumerate(build) if step.startswith("RUN ") and words in step)
        for words in (*COMPILER, INSTALL, COMPILE)
    ]
    assert places == sorted(places)
    assert "COPY --from=build /opt/citevault /opt/citevault" in final
    assert not any(word in step.split() for step in final for word in ("apt-get", *COMPILER))
    assert build[0].split()[1] == final[0].split()[1], "what is compiled against one libc runs on the same"


def test_every_image_runs_as_somebody_else_than_root(deploy: Path) -> None:
    for file in (deploy / "images").glob("*.Dockerfile"):
        assert any(step.startswith("USER 1") for step in stages(file)[-1]), file.name
