"""The cycle collector of a worker process: it looks less often, and still finds what is there."""

import subprocess
import sys

LOOK = """
import gc, weakref
from workers.tasks import collector

class Knot:
    pass

collector.settle()
assert gc.isenabled()
assert gc.get_freeze_count() > 0
assert gc.get_threshold() == (collector.YOUNG, collector.MIDDLE, collector.OLD)
knots = []
for _ in range(3 * collector.YOUNG):
    knot = Knot()
    knot.itself = knot
    knots.append(weakref.ref(knot))
print(sum(each() is None for each in knots))
"""


def test_cycles_are_collected_after_the_process_has_settled() -> None:
    """In a process of its own: what is frozen stays so."""
    said = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, timeout=60, check=True)
    assert int(said.stdout) > 20_000
