import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from workers.dedup import native
from workers.dedup.minhash import _mixed
from workers.dedup.native import kernel, library_file
from workers.native import FOLDER


@settings(deadline=None)
@given(arrays(np.uint32, st.integers(0, 600)), st.integers(0, 2**32 - 1))
def test_minima_are_those_of_the_definition(first: np.ndarray, seed: int) -> None:
    compiled = kernel()
    if compiled is None:
        pytest.skip("no C compiler was there when this was installed: python -m workers.native")
    a, b = np.random.default_rng(seed).integers(0, 1 << 32, (2, 128), dtype=np.uint32)
    expected = np.vstack([_mixed(first)[:, None] * a + b, np.full((1, 128), 0xFFFFFFFF, dtype=np.uint32)]).min(axis=0)
    assert np.array_equal(compiled.minima(first, a, b), expected)


def test_what_gives_wrong_values_is_not_used(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    if kernel() is None:
        pytest.skip("no C compiler was there when this was installed: python -m workers.native")
    monkeypatch.setattr(native, "_is_right", lambda found: False)
    assert native.kernel.__wrapped__() is None
    assert "wrong values" in caplog.text


def test_a_broken_file_is_told_and_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = tmp_path / "lanes.so"
    broken.write_bytes(b"no library")
    monkeypatch.setattr(native, "library_file", lambda: broken)
    assert native.kernel.__wrapped__() is None
    assert "cannot be loaded" in caplog.text


@pytest.mark.real
def test_without_a_compiler_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 3: everything works all the same."""
    script = (
        "import sys; from pathlib import Path; from workers.native import __main__ as build;"
        "build.library_file = lambda source: Path(sys.argv[1]); sys.exit(build.main())"
    )
    monkeypatch.setenv("CC", "no-such-compiler")
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "lanes.so")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert "there is no C compiler" in done.stderr


def test_the_name_of_the_file_follows_from_the_source() -> None:
    assert library_file().parent == FOLDER
    assert len(library_file().stem.removeprefix("lanes-")) == 16
