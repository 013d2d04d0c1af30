"""Clustering everything that waits at once, on this machine (`citevault clusters bulk`).

Four steps, each from files of the one before, in a folder that a killed run finds again:

1. `gather.py`: segments of fingerprints become one row a text, and one bucket file a band;
2. `pairs.py`: whoever stands together in a bucket, and whose sketches are near enough, is a pair;
3. `look.py`: both texts of a pair are looked at, from copies of the stored files: verdicts;
4. `settle.py`: segment by segment, in the order of their ids, the object of the cluster log, and the state.

What comes out is what clustering each segment by itself comes to: the same candidates, verdicts by the same rules,
decisions by the same function. Redis is asked some tens of times a segment, not some times a text. A text takes 370
bytes in the folder; memory is flat, but for a byte a text and a line of the plan a segment.
"""

from workers.flows.bulk.ports import BulkPorts as BulkPorts
from workers.flows.bulk.run import Bulked as Bulked
from workers.flows.bulk.run import cluster_in_bulk as cluster_in_bulk
