"""`python -m workers.dedup.native`: compile `lanes.c` with the C compiler that is there (`CC`, else `cc`).

Exit 0: it is there now. 3: it is not, and why; everything works without it, fingerprints ten times as slowly.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

from workers.dedup.native import SOURCE, kernel, library_file


def main() -> int:
    compiler = shlex.split(os.environ.get("CC", "cc"))
    target = library_file()
    if not target.exists():
        if not compiler or shutil.which(compiler[0]) is None:
            return _without("there is no C compiler")
        part = target.with_suffix(".part")
        flags = ["-O3", "-std=gnu11", "-shared", "-fPIC", "-o", str(part), str(SOURCE)]
        done = subprocess.run([*compiler, *flags], capture_output=True, text=True, check=False)  # noqa: S603 (the user's own compiler)
        if done.returncode:
            return _without(f"{compiler[0]} says: {(done.stderr.splitlines() or ['nothing'])[0][:200]}")
        part.replace(target)
    return 0 if kernel() is not None else _without(f"{target} does not work here")


def _without(why: str) -> int:
    sys.stderr.write(f"fingerprints are made without compiled code: {why}\n")
    return 3


if __name__ == "__main__":
    sys.exit(main())
