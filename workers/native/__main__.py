"""`python -m workers.native`: compile the sources beside it with the C compiler that is there (`CC`, else `cc`).

Exit 0: all are there now. 3: one is not, and why; everything works without it, fingerprints ten times as slowly.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from workers.native import FOLDER, SOURCES, library_file, loaded


def main() -> int:
    compiler = shlex.split(os.environ.get("CC", "cc"))
    told = [why for source in SOURCES if (why := _compile(FOLDER / source, library_file(source), compiler)) is not None]
    if told:
        sys.stderr.write(f"not all is compiled, and some work is done more slowly: {'; '.join(told)}\n")
    return 3 if told else 0


def _compile(source: Path, target: Path, compiler: list[str]) -> str | None:
    """None: it is there, and can be loaded. Else why not."""
    if not target.exists():
        if not compiler or shutil.which(compiler[0]) is None:
            return f"{source.name}: there is no C compiler"
        part = target.with_suffix(".part")
        flags = ["-O3", "-std=gnu11", "-shared", "-fPIC", "-o", str(part), str(source)]
        done = subprocess.run([*compiler, *flags], capture_output=True, text=True, check=False)  # noqa: S603 (the user's own compiler)
        if done.returncode:
            return f"{source.name}: {compiler[0]} says: {(done.stderr.splitlines() or ['nothing'])[0][:200]}"
        part.replace(target)
    return None if loaded(target) is not None else f"{target} does not work here"


if __name__ == "__main__":
    sys.exit(main())
