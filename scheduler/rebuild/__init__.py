"""Redis is disposable: everything in it is restored from the store, under a new epoch.

Start at `life.rebuild`. Each kind of object has a module of its own, with one function that reads those objects and
puts back what follows from them; `order` names them in the order in which they run. A new kind of object is a new
module and a line there.
"""

from scheduler.rebuild.clusters import cluster_step
from scheduler.rebuild.damage import DamagedObject, damaged_objects
from scheduler.rebuild.life import rebuild, settle
from scheduler.rebuild.lineage import Lineage
from scheduler.rebuild.ports import RebuildPorts, Step
from scheduler.rebuild.receipts import catch_up
from scheduler.rebuild.stragglers import Stragglers
from scheduler.rebuild.work import Rebuilt, Restoration

__all__ = [
    "DamagedObject",
    "Lineage",
    "RebuildPorts",
    "Rebuilt",
    "Restoration",
    "Step",
    "Stragglers",
    "catch_up",
    "cluster_step",
    "damaged_objects",
    "rebuild",
    "settle",
]
