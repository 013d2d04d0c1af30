"""Every finding that a validation can report: code, usual severity, what it means, what to do next.

One place, so that documentation, validator and tests cannot drift apart. A code never changes its
meaning; a new meaning is a new code. Where a profile or an option moves a severity, the description
says so. `inconclusive` kinds say that something could not be looked at, which is never the same as
nothing being wrong (`schemas/README.md, Findings and exits`).
"""

from __future__ import annotations

from enum import Enum

from schemas.records.finding import Severity

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE


class FindingKind(Enum):
    """Value: (code, severity, inconclusive, description, next step)."""

    # Files of the input
    FILE_MISSING = (
        "file.missing",
        _E,
        False,
        "A file that the input promises is not there.",
        "Get a complete copy, or build the bundle again.",
    )
    FILE_UNSAFE_PATH = (
        "file.unsafe-path",
        _E,
        False,
        "A path is absolute, leaves the folder, or has an empty, `.` or `..` segment.",
        "Do not use this input; ask its author for one with relative paths.",
    )
    FILE_NOT_REGULAR = (
        "file.not-regular",
        _E,
        False,
        "A path names something other than a regular file.",
        "Replace it by the file itself.",
    )
    FILE_TOO_LARGE = (
        "file.too-large",
        _W,
        True,
        "A file is larger than this program reads.",
        "Check it on its own with other tools.",
    )
    FILE_UNREADABLE = (
        "file.unreadable",
        _W,
        True,
        "A file could not be read, so it was not checked.",
        "Check permissions and the disk or the store, then run again.",
    )
    FILE_UNLISTED = (
        "file.unlisted",
        _W,
        False,
        "A file lies in the bundle that nothing names, so nothing says what it is (an error in profile strict).",
        "Take it out, or get the bundle from its author again.",
    )
    WACZ_RESOURCE = (
        "wacz.resource-differs",
        _E,
        False,
        "A file of a WACZ does not have the digest that its package gives, or the package not the one beside it.",
        "Get the WACZ from its author again.",
    )

    # Ids, references, and what the bundle says of itself
    BUNDLE_EMPTY = (
        "bundle.empty",
        _E,
        False,
        "The bundle has no claims or no evidence; nothing is no pass.",
        "Build it from a draft with claims and evidence.",
    )
    BUNDLE_DUPLICATE_ID = (
        "bundle.duplicate-id",
        _E,
        False,
        "An id stands twice in one list.",
        "Build the bundle again; ids are unique in their list.",
    )
    BUNDLE_UNKNOWN_REFERENCE = (
        "bundle.unknown-reference",
        _E,
        False,
        "An id names no entry of the bundle.",
        "Add the entry that is meant, or correct the id.",
    )
    BUNDLE_ORPHAN = (
        "bundle.orphan",
        _E,
        False,
        "A source, snapshot or judgement is there that no edge and no cluster names.",
        "Remove the entry, or the edge that named it was dropped: ask the author.",
    )
    BUNDLE_ID_NOT_DERIVED = (
        "bundle.id-not-derived",
        _E,
        False,
        "A source or snapshot id is not the one that its record gives.",
        "Do not trust the record; get it from the archive again.",
    )
    BUNDLE_SOURCE_MISMATCH = (
        "bundle.source-mismatch",
        _E,
        False,
        "An edge or cluster member names another source than its snapshot does.",
        "Correct the source id; it follows from the snapshot.",
    )
    BUNDLE_URL_NOT_NORMALIZED = (
        "bundle.url-not-normalized",
        _E,
        False,
        "A normalized URL is not what conservative@1 makes of the final URL, or a host is not that of its URL.",
        "Do not trust the record; get it from the archive again.",
    )
    SNAPSHOT_FIELD = (
        "snapshot.field-differs",
        _E,
        False,
        "A snapshot's field is not what the stored head, the stored content or the requested URL gives.",
        "Get the snapshot's record from the archive again.",
    )
    BUNDLE_POLICY_DIGEST = (
        "bundle.policy-digest",
        _E,
        False,
        "A policy's digest or id does not fit its value.",
        "Put in the policy that was applied, byte for byte.",
    )
    BUNDLE_POLICY_MISSING = (
        "bundle.policy-missing",
        _E,
        False,
        "A record names a parameter id whose policy the bundle does not carry.",
        "Add the policy to `policies`.",
    )
    BUNDLE_NOT_CITEABLE = (
        "bundle.not-citeable",
        _E,
        False,
        "Evidence rests on a snapshot that was not read well or has no text.",
        "Cite another snapshot, or capture the page again.",
    )
    BUNDLE_QUOTE_DRIFTED = (
        "bundle.quote-drifted",
        _E,
        False,
        "The quote is not what the stored text holds at that span.",
        "Locate the quote again in the stored text, or drop the edge.",
    )
    BUNDLE_CONTEXT_DRIFTED = (
        "bundle.context-drifted",
        _E,
        False,
        "Prefix or suffix are not the 32 code points around the span.",
        "Take both from the stored text again.",
    )
    BUNDLE_NOT_REPLAYABLE = (
        "bundle.not-replayable",
        _W,
        True,
        "The text is not kept (retention quote_only), so the span could not be checked.",
        "Ask the archive's owner for the text.",
    )
    BUNDLE_QUOTE_NOT_IN_PAYLOAD = (
        "bundle.quote-not-in-payload",
        _E,
        False,
        "The quote's words do not stand in this order in the decoded payload.",
        "Compare text and payload: the extractor, or somebody, changed the words.",
    )
    BUNDLE_QUOTE_SCATTERED = (
        "bundle.quote-scattered",
        _W,
        False,
        "The quote's words stand in the decoded payload, with others between them or lines in another order.",
        "Look at the page: the extractor left out what stands between.",
    )

    BUNDLE_QUOTE_WORDLESS = (
        "bundle.quote-without-word",
        _E,
        False,
        "A quote has no letter, digit or `_`: it stands in every text.",
        "Quote the words that bear on the claim.",
    )
    BUNDLE_QUOTE_SCANT = (
        "bundle.quote-scant",
        _W,
        False,
        "Full support rests on a quote of fewer than 8 letters and digits (an error in profile strict).",
        "Quote the whole sentence.",
    )
    BUNDLE_QUOTE_CUT = (
        "bundle.quote-cuts-token",
        _E,
        False,
        "A quote begins or ends within a word or figure (its sign, comparison, currency, share and range "
        "belong to it), or leaves a negation off that is written onto its first or last word.",
        "Quote whole words and figures.",
    )
    BUNDLE_LOOSE_MATCH = (
        "bundle.loose-match",
        _W,
        False,
        "Full support of a critical claim by a quote found only without its hyphens or blanks (an error in strict).",
        "Look at the passage, and quote it as it stands.",
    )
    BUNDLE_LOSSY_MERGE = (
        "bundle.lossy-merge-unverified",
        _W,
        False,
        "Two sources with different texts have one citation URL, so a reader would see one number for both.",
        "Name the cited version beside the number, or cite one of them.",
    )
    BUNDLE_EDGE_TWICE = (
        "bundle.edge-twice",
        _E,
        False,
        "One span of a snapshot is evidence for one claim under two ids.",
        "Keep one edge; judge it again if the judgement has changed.",
    )

    # Texts
    TEXT_PATH = (
        "text.path-differs",
        _E,
        False,
        "A text path is not `texts/<snapshot id>.txt`, or is there without a text, or absent with one.",
        "Build the bundle again.",
    )
    TEXT_DIGEST = (
        "text.digest-differs",
        _E,
        False,
        "The SHA-256 of a text file is not the snapshot's text_sha256.",
        "The text was changed: restore the file from the archive.",
    )
    TEXT_NOT_UTF8 = (
        "text.not-utf-8",
        _E,
        False,
        "A text file is not UTF-8, or starts with a byte-order mark.",
        "Restore the file from the archive.",
    )
    TEXT_NOT_NORMALIZED = (
        "text.not-normalized",
        _E,
        False,
        "A text is not in text-v1 (a carriage return, trailing blanks, not NFC).",
        "Apply text-v1 and locate the quotes again.",
    )
    TEXT_LENGTH = (
        "text.length-differs",
        _E,
        False,
        "A text does not have text_chars code points.",
        "Correct the count: offsets are code points, not bytes or UTF-16 units.",
    )

    # Claims and judgements
    CLAIM_STATUS = (
        "claim.status-differs",
        _E,
        False,
        "A claim's status is not the verdict that its edges give.",
        "Write the derived verdict, or repair the evidence.",
    )
    CLAIM_NOT_SUPPORTED = (
        "claim.not-supported",
        _E,
        False,
        "A claim lacks full support from enough independent groups.",
        "Find further independent evidence, or weaken or drop the claim.",
    )
    CLAIM_UNCITED = (
        "claim.uncited",
        _E,
        False,
        "A claim has no evidence (a warning for an ordinary claim in profile paragraph).",
        "Cite something, or drop the claim.",
    )
    CLAIM_CONFLICTED = (
        "claim.conflicted",
        _E,
        False,
        "Evidence contradicts a claim, unarbitrated (for an ordinary claim a warning, unless in profile strict).",
        "Show the contradiction to the reader, or record an arbitration.",
    )
    EDGE_NOT_COUNTED = (
        "claim.edge-not-counted",
        _N,
        False,
        "Full support of a critical claim by an aggregator or a quote-only snapshot does not count.",
        "Cite the source behind it.",
    )
    CLAIM_PLACE = (
        "claim.place-reversed",
        _E,
        False,
        "A claim's place ends before it starts.",
        "Give the span of the report as start and end, half-open.",
    )
    CLAIM_TWICE = (
        "claim.text-twice",
        _E,
        False,
        "Two claims say the same, so what contradicts one of them would not count against the other.",
        "Make them one claim with all its evidence.",
    )
    CLAIM_TIER_UNFIT = (
        "claim.tier-unfit",
        _W,
        False,
        "No source with full support is of a tier that fits the claim's type (an error in profile strict).",
        "Cite a source of a fitting tier: see the format, Tiers and claim types.",
    )
    CLAIM_BY_VENDOR = (
        "claim.comparison-by-vendor",
        _E,
        False,
        "A comparison rests on official sources alone, which say what they say of themselves (ordinary: a warning).",
        "Cite somebody who is not a party to the comparison.",
    )
    CLAIM_FIGURE = (
        "claim.figure-not-quoted",
        _W,
        False,
        "A claim has a figure that none of its quotes with full support has.",
        "Look whether the source says it; quote the sentence with the figure.",
    )
    CLAIM_COMPOUND = (
        "claim.compound",
        _N,
        False,
        "A claim seems to assert several things, of which one quote may support a part.",
        "Split it: one subject, one outcome, its time or condition.",
    )
    CLAIM_SET_ASIDE = (
        "claim.contradiction-set-aside",
        _N,
        False,
        "Evidence contradicts the claim, and an arbitration sets it aside.",
        "Show the reader the contradiction and the reason.",
    )
    JUDGEMENT_STALE = (
        "judgement.stale",
        _E,
        False,
        "A judgement was made of another claim text, quote, context or source text.",
        "Judge the edge again and append the judgement.",
    )
    JUDGEMENT_DIFFERS = (
        "judgement.differs",
        _E,
        False,
        "An edge does not repeat its judgement's support, checker and time, or the judgement is of another edge.",
        "Write the judgement's values, or name the judgement that counts.",
    )
    JUDGEMENT_SUPERSEDED = (
        "judgement.superseded",
        _E,
        False,
        "An edge names a judgement though a later one of this edge is there.",
        "Name the newest judgement, and repeat its values in the edge.",
    )
    JUDGEMENT_TIED = (
        "judgement.tied",
        _E,
        False,
        "Judgements of one edge and one time disagree, so none of them is the latest.",
        "Judge the edge again and append the judgement.",
    )
    JUDGEMENT_OVERRULED = (
        "judgement.contradiction-overruled",
        _W,
        False,
        "A later judgement takes back that an edge contradicts its claim (an error in profile strict).",
        "Read both judgements; record an arbitration if the evidence does contradict.",
    )
    JUDGEMENT_BARE = (
        "judgement.without-rationale",
        _W,
        False,
        "A judgement gives no rationale, or does not say by whom (an error in profile strict).",
        "Say in a sentence why the quote has this support.",
    )
    ARBITRATION_MISPLACED = (
        "arbitration.misplaced",
        _E,
        False,
        "An arbitration names an edge of another claim, or one that does not contradict.",
        "Name the contradicting edges of its claim.",
    )
    ARBITRATION_UNEXPLAINED = (
        "arbitration.unexplained",
        _E,
        False,
        "An arbitration does not say by whom and, in 10 characters or more, why.",
        "Record who decided and why.",
    )

    # Independence and clusters
    INDEPENDENCE_GROUPS = (
        "independence.groups-differ",
        _E,
        False,
        "The independence records are not what sources, clusters and manual records give.",
        "Build the bundle again; record a manual group where sources are to be split.",
    )
    INDEPENDENCE_EDGE = (
        "independence.edge-differs",
        _E,
        False,
        "An edge names another independence group than its source has.",
        "Write the recomputed group.",
    )
    INDEPENDENCE_MANUAL = (
        "independence.manual-conflict",
        _E,
        False,
        "A source is in two manual groups, or a manual group is named twice or not named `manual:`.",
        "Decide for one and record it.",
    )
    INDEPENDENCE_UNEXPLAINED = (
        "independence.manual-unexplained",
        _E,
        False,
        "A manual group does not say by whom and, in 10 characters or more, why.",
        "Record who decided and why.",
    )
    INDEPENDENCE_LEAF_SPLIT = (
        "independence.leaf-cluster-split",
        _E,
        False,
        "Sources stand in different groups though signed leaves of theirs name one cluster.",
        "Put them into one group, or record a manual group with its reason.",
    )
    INDEPENDENCE_OVERRIDE = (
        "independence.manual-split",
        _N,
        False,
        "A manual group keeps sources apart that the rules would count as one.",
        "Read who decided, and why.",
    )
    INDEPENDENCE_UNLOGGED = (
        "independence.verdict-unlogged",
        _N,
        False,
        "Sources of a critical claim count by cluster verdicts that their signed leaves did not have yet.",
        "Ask the archive for them, or cite captures that were clustered when they were published.",
    )
    INDEPENDENCE_COPIES = (
        "independence.copies-apart",
        _E,
        False,
        "Sources that count apart hold nearly one text: 90 % of their five-word runs (a warning from 70 % on).",
        "Cluster them, or record a manual group that says why they are independent.",
    )
    INDEPENDENCE_COPIES_UNCHECKED = (
        "independence.copies-unchecked",
        _W,
        True,
        "There are more pairs of alike texts than this program compares, so copies may count apart.",
        "Split the bundle.",
    )
    INDEPENDENCE_SAME_HOST = (
        "independence.related-hosts",
        _W,
        False,
        "Without hosts that are parts or mirrors of each other a critical claim lacks groups (an error in strict).",
        "Cite another site, or record a manual group.",
    )
    TIER_DIFFERS = (
        "tier.differs-from-leaf",
        _E,
        False,
        "A source's tier is not the one that the signed leaf gives under the same policy.",
        "Write the leaf's tier and reason.",
    )
    TIER_OTHER_POLICY = (
        "tier.other-policy",
        _W,
        False,
        "A source's tier is by another policy than the signed leaf's, so it could not be compared (strict: an error).",
        "Look at both policies.",
    )
    CLUSTER_MEMBER = (
        "cluster.member-differs",
        _E,
        False,
        "A cluster's member does not fit its snapshot, or a source's cluster does not list it.",
        "Build the bundle again.",
    )
    CLUSTER_UNCONFIRMED = (
        "cluster.unconfirmed-member",
        _E,
        False,
        "A member has no confirmed edge to its cluster's leader.",
        "Add the verdict edge; nobody joins through a chain.",
    )
    CLUSTER_REPRESENTATIVE = (
        "cluster.representative-foreign",
        _E,
        False,
        "A cluster's representative is no source of its members.",
        "Name the source of a member.",
    )
    CLUSTER_ALIAS = (
        "cluster.alias-taken",
        _E,
        False,
        "A cluster's alias is the id of another cluster.",
        "Build the bundle again; an id is given once.",
    )
    CLUSTER_SAME_TEXT = (
        "cluster.same-text-apart",
        _E,
        False,
        "Snapshots of one text are in different clusters.",
        "Put them into one cluster.",
    )

    # The log
    LEAF_DIFFERS = (
        "leaf.differs",
        _E,
        False,
        "A leaf's field is not the snapshot's of the same name.",
        "Trust the leaf; get the snapshot's record from the archive again.",
    )
    LEAF_RECORDS = (
        "leaf.records-differ",
        _E,
        False,
        "A leaf does not name exactly the snapshot's WARC records.",
        "Get the snapshot's record from the archive again.",
    )
    LEAF_TEXT_UNBOUND = (
        "leaf.text-unbound",
        _E,
        False,
        "The leaf's conversion record does not have the text's digest as its block digest.",
        "The text is not the one that the log holds; restore it.",
    )
    LEAF_UNREADABLE = (
        "leaf.unreadable",
        _E,
        False,
        "A leaf file is not gzip, or a line of it is no leaf, or not in RFC 8785 form.",
        "Get the leaf file from another copy.",
    )
    LEAF_ORDER = (
        "leaf.order",
        _E,
        False,
        "Leaves of a file are not sorted by snapshot id.",
        "Get the leaf file from another copy.",
    )
    LEAF_ID_NOT_DERIVED = (
        "leaf.id-not-derived",
        _E,
        False,
        "A leaf's source or snapshot id is not the one that its fields give.",
        "Do not rely on this snapshot.",
    )
    INCLUSION_FAILS = (
        "inclusion.proof-fails",
        _E,
        False,
        "The proof does not show the leaf in the tree of the head.",
        "Ask the archive for a new proof; if none verifies, the leaf is not in the log.",
    )
    INCLUSION_SIZE = (
        "inclusion.tree-size-differs",
        _E,
        False,
        "A proof is for a tree of another size than the head's.",
        "Ask the archive for a proof under this head.",
    )
    HEAD_DIFFERS = (
        "manifest.head-differs",
        _E,
        False,
        "The stored head is not in RFC 8785 form, or not the one that the document or its name says.",
        "Get the head's exact bytes from the archive.",
    )
    MANIFEST_GAP = (
        "manifest.gap",
        _E,
        False,
        "A manifest is missing in the sequence; what follows it was not checked.",
        "Get the missing head.",
    )
    MANIFEST_CHAIN = (
        "manifest.chain-broken",
        _E,
        False,
        "A head does not name the digest of its predecessor, or does not begin where that ended.",
        "Stop trusting the log from this number on and compare with a copy.",
    )
    MANIFEST_LEAVES_DIGEST = (
        "manifest.leaves-digest",
        _E,
        False,
        "The stored leaf file does not have the digest that the head gives.",
        "Get the leaf file from another copy.",
    )
    MANIFEST_TREE_SIZE = (
        "manifest.tree-size",
        _E,
        False,
        "A leaf file does not hold as many leaves as the head commits, or more than 10,000.",
        "Get the leaf file from another copy.",
    )
    MANIFEST_ROOT = (
        "manifest.root-differs",
        _E,
        False,
        "The leaves do not give the head's root.",
        "Stop trusting the log from this number on and compare with a copy.",
    )
    MANIFEST_ROOT_UNCHECKED = (
        "manifest.root-unchecked",
        _W,
        True,
        "Leaves before it could not be read, so no later root could be recomputed.",
        "Repair what is reported before, then run again.",
    )

    # Signatures and trust
    SIGNATURE_MISSING = (
        "signature.missing",
        _E,
        False,
        "A head has no signature beside it.",
        "Get the envelope from the archive.",
    )
    SIGNATURE_UNREADABLE = (
        "signature.unreadable",
        _E,
        False,
        "An envelope, its statement or its predicate cannot be read strictly.",
        "Get the envelope from the archive.",
    )
    SIGNATURE_INVALID = (
        "signature.invalid",
        _E,
        False,
        "A signature does not verify under the key that it names.",
        "Do not use the input; it or its signature was changed.",
    )
    SIGNATURE_SUBJECT = (
        "signature.subject-differs",
        _E,
        False,
        "A statement speaks of other bytes, another kind of thing, or says of them what is not so.",
        "Get the envelope that belongs to these bytes.",
    )
    SIGNATURE_UNTRUSTED = (
        "signature.untrusted-key",
        _W,
        False,
        "A signature is by no trusted key (an error in strict, for a head with --trust, a bundle with --trust-author).",
        "Obtain the signer's key by another way and give it with --trust, an author's with --trust-author.",
    )
    SIGNATURE_KEY_MISSING = (
        "signature.key-missing",
        _W,
        True,
        "The key of a signature is not at hand, so the signature could not be checked.",
        "Give the key with --trust, an author's with --trust-author.",
    )
    SIGNATURE_NO_AUTHOR = (
        "signature.no-author",
        _N,
        False,
        "Nobody signed the bundle: a contradiction may have been dropped (an error in strict, with --trust-author).",
        "Ask the author for a signed bundle (`bundle build --sign`).",
    )
    ATTESTATION_FAILED = (
        "attestation.not-passed",
        _E,
        False,
        "The attested validation failed, or was under a laxer profile or less deep than is asked for.",
        "Validate the bundle again, as strictly as you need it, and have that attested.",
    )
    CHECKPOINT_NOT_GIVEN = (
        "checkpoint.not-given",
        _N,
        False,
        "No checkpoint was given: rollback and fork of the log were not checked.",
        "Keep a checkpoint and give it with --checkpoint.",
    )
    CHECKPOINT_ROLLBACK = (
        "checkpoint.rollback",
        _E,
        False,
        "The log is smaller than it was when the checkpoint was taken.",
        "Ask the publisher; entries of the log are gone.",
    )
    CHECKPOINT_FORK = (
        "checkpoint.fork",
        _E,
        False,
        "The log does not contain the state of the checkpoint.",
        "Ask the publisher; the log was rewritten.",
    )
    CHECKPOINT_NO_PROOF = (
        "checkpoint.no-proof",
        _W,
        True,
        "The checkpoint is of another size and no consistency proof is at hand.",
        "Check the log itself: `citevault-validate manifest … --checkpoint FILE`.",
    )
    TIME_NOT_GIVEN = (
        "time.not-given",
        _N,
        False,
        "No time was given: dates in the future were not looked for.",
        "Give --time.",
    )
    TIME_FUTURE = (
        "time.in-future",
        _E,
        False,
        "A time lies after the time that was given.",
        "Check the clock that wrote it.",
    )
    TIME_ORDER = (
        "time.built-before-capture",
        _E,
        False,
        "The bundle says that it was built before a snapshot that it cites was retrieved.",
        "Build the bundle again, and check the clocks that wrote both times.",
    )
    TIME_AFTER_BUILT = (
        "time.after-built",
        _E,
        False,
        "A judgement, arbitration or manual group is of a later time than the bundle that holds it.",
        "Build the bundle again.",
    )
    TIME_TOO_OLD = (
        "time.too-old",
        _E,
        False,
        "Evidence rests on a snapshot that is older than --max-age allows.",
        "Archive the page again and cite the new snapshot.",
    )
    SCOPE_NOT_DEEP = (
        "scope.not-deep",
        _N,
        False,
        "WARC records, conversion records and quotes in payloads were not looked at.",
        "Run again with --deep.",
    )

    # WARC records, with --deep
    WARC_MEMBER_MISSING = (
        "warc.member-missing",
        _E,
        False,
        "A record that a snapshot rests on is not among its members.",
        "Build the bundle again with all records.",
    )
    WARC_WITHHELD = (
        "warc.withheld",
        _W,
        True,
        "A record of a quote-only snapshot is not handed on, so it was not checked.",
        "Ask the archive for the record, or fetch the page again.",
    )
    WARC_UNLISTED = (
        "warc.unlisted",
        _W,
        False,
        "A stretch of a WARC file is no member that a snapshot names (an error in profile strict).",
        "Build the bundle again; it holds the records that it names and no others.",
    )
    WARC_MEMBER_BROKEN = (
        "warc.member-broken",
        _E,
        False,
        "A member is not exactly one whole gzip member with one whole WARC record.",
        "Restore the file from the archive.",
    )
    WARC_RECORD_DIFFERS = (
        "warc.record-differs",
        _E,
        False,
        "A record has another id, type, target, date or reference than the documents say.",
        "Restore the file from the archive.",
    )
    WARC_BLOCK_DIGEST = (
        "warc.block-digest",
        _E,
        False,
        "A block's SHA-256 is not that of its header or of the leaf.",
        "The record was changed: restore it from the archive.",
    )
    WARC_PAYLOAD_DIGEST = (
        "warc.payload-digest",
        _E,
        False,
        "A payload's SHA-256 is not that of its header or of the snapshot.",
        "The record was changed: restore it from the archive.",
    )
    WARC_TAKEN_DOWN = (
        "warc.taken-down",
        _W,
        True,
        "A record was taken down: a tombstone stands in its place, neither intact nor broken.",
        "Ask the archive's owner for the signed tombstone.",
    )
    WARC_NOT_LOCATED = (
        "warc.not-located",
        _W,
        True,
        "No receipt tells where a record lies, so it was not read.",
        "Give the folder or prefix that holds `commits/`, `warc/` and `text/` too.",
    )
    PAYLOAD_DECODED_DIGEST = (
        "payload.decoded-digest",
        _E,
        False,
        "The decoded payload's SHA-256 is not decoded_sha256.",
        "Do not rely on the text; extract it again from the payload.",
    )
    PAYLOAD_UNDECODABLE = (
        "payload.undecodable",
        _W,
        True,
        "The payload could not be decoded and compared here (an unknown coding, no decoded_sha256, or too large).",
        "Check it with other tools.",
    )
    PAYLOAD_UNREADABLE_TYPE = (
        "payload.unreadable-type",
        _W,
        True,
        "No words could be read out of the payload (its media type, charset or size), so no quotes in it.",
        "Look for the quotes in the payload with another reader.",
    )
    CONVERSION_DIFFERS = (
        "conversion.differs",
        _E,
        False,
        "The conversion record is not the text file, or refers to another payload.",
        "Restore both from the archive.",
    )
    EXTRACTION_DIFFERS = (
        "extraction.differs",
        _E,
        False,
        "The archive's extractor, of the same id, makes another text of the payload.",
        "Do not rely on the text; ask the archive how it came about.",
    )
    EXTRACTION_UNREPEATABLE = (
        "extraction.unrepeatable",
        _W,
        True,
        "The text could not be made again by the extractor that the snapshot names.",
        "Install the version that it names, and run again.",
    )

    # A model's answer against its source map
    MAP_CHUNK_ID = (
        "map.chunk-id",
        _E,
        False,
        "A chunk's id does not begin with the number of its source.",
        "Build the source map again; do not edit it.",
    )
    MAP_CHUNK_SPAN = (
        "map.chunk-span",
        _E,
        False,
        "A chunk's text is not as long as its span.",
        "Build the source map again; do not edit it.",
    )
    MAP_DUPLICATE_ID = (
        "map.duplicate-id",
        _E,
        False,
        "An id stands for two sources or two chunks of the map.",
        "Build the source map again; do not edit it.",
    )
    ANSWER_EMPTY = (
        "answer.empty",
        _E,
        False,
        "The answer has no sentence; nothing is no pass.",
        "Ask the model again.",
    )
    ANSWER_INVALID_CITATION = (
        "answer.invalid-citation",
        _E,
        False,
        "A citation names an id that is not in the source map.",
        "Have the answer repaired; a citation is never guessed.",
    )
    ANSWER_SOURCE_CITED = (
        "answer.source-cited",
        _W,
        False,
        "A citation names a source as a whole, which is too broad to check a claim by.",
        "Cite the chunks that support the claim.",
    )
    ANSWER_RAW_URL = (
        "answer.raw-url",
        _E,
        False,
        "The address of a mapped source stands in the answer.",
        "Put the citation of a chunk in its place.",
    )
    ANSWER_UNOPENED_URL = (
        "answer.unopened-url",
        _E,
        False,
        "An address stands in the answer that no source of the map has: nobody opened it.",
        "Take it out; or open the page and build the source map again.",
    )
    ANSWER_UNCITED_PARAGRAPH = (
        "answer.uncited-paragraph",
        _E,
        False,
        "A paragraph or list item has no citation.",
        "Have the answer repaired, or take the paragraph out.",
    )
    ANSWER_UNCITED_CLAIM = (
        "answer.uncited-claim",
        _W,
        False,
        "No citation speaks of a sentence (an error in profile strict, not looked at in profile paragraph).",
        "Cite the chunk that supports it, or take the sentence out.",
    )
    ANSWER_FIGURE_NOT_IN_CHUNK = (
        "answer.figure-not-in-chunk",
        _W,
        False,
        "A figure of a sentence is in none of the chunks that it cites: weak support.",
        "Compare the sentence with the chunks.",
    )
    ANSWER_UNCITED_SOURCE = (
        "answer.uncited-source",
        _N,
        False,
        "No citation names a source of the map, so it is no reference of the answer.",
        "Leave it out of the list of references.",
    )

    def __init__(self, code: str, severity: Severity, inconclusive: bool, description: str, next_step: str) -> None:
        self.code = code
        self.severity = severity
        self.inconclusive = inconclusive
        self.description = description
        self.next_step = next_step
