"""Compaction: small files of captures are joined into larger ones, while readers read. Start at `joining.compact`, and
at `clearing.clear` for the second step, which deletes what was joined."""

from workers.flows.compact.clearing import Cleared, clear
from workers.flows.compact.files import Damaged, standing_files
from workers.flows.compact.joining import Compacted, compact, planned
from workers.flows.compact.plan import Group, JoinLimits
from workers.flows.compact.ports import CompactPorts, Progress

__all__ = [
    "Cleared",
    "CompactPorts",
    "Compacted",
    "Damaged",
    "Group",
    "JoinLimits",
    "Progress",
    "clear",
    "compact",
    "planned",
    "standing_files",
]
