"""Re-snapshots: schedules in the store, rounds of visits, and what became of them (scheduler/README.md, "Visits").

The schedules lie in shards that are changed with If-Match. A round is created with If-None-Match under the next
number: that is the moment at which its visits are planned. All that follows (its job, the queue, what became of it) is
done again from it after a crash, and doing it twice does nothing.
"""

from scheduler.visits.visiting import Visiting, VisitLimits, VisitPorts

__all__ = ["VisitLimits", "VisitPorts", "Visiting"]
