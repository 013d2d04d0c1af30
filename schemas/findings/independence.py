"""Findings on what counts as one source: groups, copies, tiers and clusters."""

from __future__ import annotations

from schemas.findings.wording import error, note, warning

INDEPENDENCE_GROUPS = error(
    "independence.groups-differ",
    "The independence records are not what sources, clusters and manual records give.",
    "Build the bundle again; record a manual group where sources are to be split.",
)
INDEPENDENCE_EDGE = error(
    "independence.edge-differs",
    "An edge names another independence group than its source has.",
    "Write the recomputed group.",
)
INDEPENDENCE_MANUAL = error(
    "independence.manual-conflict",
    "A source is in two manual groups, or a manual group is named twice or not named `manual:`.",
    "Decide for one and record it.",
)
INDEPENDENCE_UNEXPLAINED = error(
    "independence.manual-unexplained",
    "A manual group does not say by whom and, in 10 characters or more, why.",
    "Record who decided and why.",
)
INDEPENDENCE_LEAF_SPLIT = error(
    "independence.leaf-cluster-split",
    "Sources stand in different groups though signed leaves of theirs name one cluster.",
    "Put them into one group, or record a manual group with its reason.",
)
INDEPENDENCE_OVERRIDE = note(
    "independence.manual-split",
    "A manual group keeps sources apart that the rules would count as one.",
    "Read who decided, and why.",
)
INDEPENDENCE_UNLOGGED = note(
    "independence.verdict-unlogged",
    "Sources of a critical claim count by cluster verdicts that their signed leaves did not have yet.",
    "Ask the archive for them, or cite captures that were clustered when they were published.",
)
INDEPENDENCE_COPIES = error(
    "independence.copies-apart",
    "Sources that count apart hold nearly one text: 90 % of their five-word runs (a warning from 70 % on).",
    "Cluster them, or record a manual group that says why they are independent.",
)
INDEPENDENCE_COPIES_UNCHECKED = warning(
    "independence.copies-unchecked",
    "There are more pairs of alike texts than this program compares, so copies may count apart.",
    "Split the bundle.",
    inconclusive=True,
)
INDEPENDENCE_SAME_HOST = warning(
    "independence.related-hosts",
    "Without hosts that are parts or mirrors of each other a critical claim lacks groups (an error in strict).",
    "Cite another site, or record a manual group.",
)
INDEPENDENCE_LIST = error(
    "independence.list-unusable",
    "The list of public suffixes cannot be applied: its rules are none, or there is more than one list.",
    "Carry one list, whole, as it was published; without one sites are hosts.",
)
INDEPENDENCE_OTHER_LIST = note(
    "independence.other-list",
    "No signed leaf names the bundle's list of public suffixes; or leaves name one and the bundle has none, or another "
    "that parts what leaves have as one site (a warning, an error in strict).",
    "Compare the list with the published one of its day, or build the bundle again.",
)
TIER_DIFFERS = error(
    "tier.differs-from-leaf",
    "A source's tier is not the one that the signed leaf gives under the same policy.",
    "Write the leaf's tier and reason.",
)
TIER_OTHER_POLICY = warning(
    "tier.other-policy",
    "A source's tier is by another policy than the signed leaf's, so it could not be compared (strict: an error).",
    "Look at both policies.",
)
CLUSTER_MEMBER = error(
    "cluster.member-differs",
    "A cluster's member does not fit its snapshot, or a source's cluster does not list it.",
    "Build the bundle again.",
)
CLUSTER_UNCONFIRMED = error(
    "cluster.unconfirmed-member",
    "A member has no confirmed edge to its cluster's leader.",
    "Add the verdict edge; nobody joins through a chain.",
)
CLUSTER_REPRESENTATIVE = error(
    "cluster.representative-foreign",
    "A cluster's representative is no source of its members.",
    "Name the source of a member.",
)
CLUSTER_REPRESENTATIVE_DIFFERS = error(
    "cluster.representative-differs",
    "A cluster's representative, or its reason, is not what its members' tiers and dates give.",
    "Build the bundle again, or ask its author why another source speaks for the cluster.",
)
CLUSTER_EDGE_MISPLACED = error(
    "cluster.edge-misplaced",
    "A cluster's edge is not of two of its texts, or stands twice, or is of other parameters or rules.",
    "Build the bundle again; edges are copied from the archive.",
)
CLUSTER_EDGE = error(
    "cluster.edge-differs",
    "An edge's figures are not what its texts give, or its verdict is not what its rule says.",
    "Do not believe the cluster; build the bundle again.",
)
CLUSTER_EDGES_UNCHECKED = warning(
    "cluster.edges-unchecked",
    "The texts of clusters are more than this program cuts into runs, so not all figures were checked.",
    "Check the clusters in smaller bundles.",
    inconclusive=True,
)
CLUSTER_ALIAS = error(
    "cluster.alias-taken",
    "A cluster's alias is the id of another cluster.",
    "Build the bundle again; an id is given once.",
)
CLUSTER_SAME_TEXT = error(
    "cluster.same-text-apart",
    "Snapshots of one text are in different clusters.",
    "Put them into one cluster.",
)
