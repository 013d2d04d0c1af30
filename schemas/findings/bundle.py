"""Findings on ids, references and quotes: what a bundle says of itself."""

from __future__ import annotations

from schemas.findings.wording import error, note, warning

BUNDLE_EMPTY = error(
    "bundle.empty",
    "The bundle has no claims or no evidence; nothing is no pass.",
    "Build it from a draft with claims and evidence.",
)
BUNDLE_DUPLICATE_ID = error(
    "bundle.duplicate-id",
    "An id stands twice in one list.",
    "Build the bundle again; ids are unique in their list.",
)
BUNDLE_LISTED_TWICE = error(
    "bundle.listed-twice",
    "A list within an entry names one thing twice.",
    "Take the repetition out, or build the bundle again.",
)
BUNDLE_UNKNOWN_REFERENCE = error(
    "bundle.unknown-reference",
    "An id names no entry of the bundle.",
    "Add the entry that is meant, or correct the id.",
)
BUNDLE_ORPHAN = error(
    "bundle.orphan",
    "A source, snapshot or judgement is there that no edge and no cluster names.",
    "Remove the entry, or the edge that named it was dropped: ask the author.",
)
BUNDLE_ID_NOT_DERIVED = error(
    "bundle.id-not-derived",
    "A source or snapshot id is not the one that its record gives.",
    "Do not trust the record; get it from the archive again.",
)
BUNDLE_SOURCE_MISMATCH = error(
    "bundle.source-mismatch",
    "An edge or cluster member names another source than its snapshot does.",
    "Correct the source id; it follows from the snapshot.",
)
SOURCE_FIELD = error(
    "source.field-differs",
    "A source's author, publisher or cluster is not that of its newest snapshot in the bundle.",
    "Build the bundle again.",
)
BUNDLE_URL_NOT_NORMALIZED = error(
    "bundle.url-not-normalized",
    "A normalized URL is not what conservative@1 makes of the final URL, or a host is not that of its URL.",
    "Do not trust the record; get it from the archive again.",
)
SNAPSHOT_FIELD = error(
    "snapshot.field-differs",
    "A snapshot's field is not what the stored head, the stored content or the requested URL gives.",
    "Get the snapshot's record from the archive again.",
)
BUNDLE_POLICY_DIGEST = error(
    "bundle.policy-digest",
    "A policy's digest or id does not fit its value.",
    "Put in the policy that was applied, byte for byte.",
)
BUNDLE_POLICY_MISSING = error(
    "bundle.policy-missing",
    "A record names a parameter id whose policy the bundle does not carry.",
    "Add the policy to `policies`.",
)
BUNDLE_NOT_CITEABLE = error(
    "bundle.not-citeable",
    "Evidence rests on a snapshot that was not read well or has no text.",
    "Cite another snapshot, or capture the page again.",
)
BUNDLE_QUOTE_DRIFTED = error(
    "bundle.quote-drifted",
    "The quote is not what the stored text holds at that span.",
    "Locate the quote again in the stored text, or drop the edge.",
)
BUNDLE_CONTEXT_DRIFTED = error(
    "bundle.context-drifted",
    "Prefix or suffix are not the 32 code points around the span.",
    "Take both from the stored text again.",
)
BUNDLE_PARTS = error(
    "bundle.quote-parts-differ",
    "The parts of a quote that leaves something out are not in order, not apart, or not what the text holds there.",
    "Build the bundle again, or correct the spans of the parts.",
)
BUNDLE_LOCATOR = error(
    "bundle.locator-differs",
    "A locator's heading, paragraph or page is not the one at which the quote stands.",
    "Build the bundle again, which derives locators; names of your own go into `note`.",
)
BUNDLE_LOCATOR_UNCHECKED = note(
    "bundle.locator-unchecked",
    "A locator names a heading or page, and neither leaf nor bundle has an outline to check it by.",
    "Look it up by hand, or capture the page again with this version.",
)
BUNDLE_NOT_REPLAYABLE = warning(
    "bundle.not-replayable",
    "The text is not kept (retention quote_only), so the span could not be checked.",
    "Ask the archive's owner for the text.",
    inconclusive=True,
)
BUNDLE_QUOTE_NOT_IN_PAYLOAD = error(
    "bundle.quote-not-in-payload",
    "The quote's words do not stand in this order in the decoded payload.",
    "Compare text and payload: the extractor, or somebody, changed the words.",
)
BUNDLE_QUOTE_SCATTERED = warning(
    "bundle.quote-scattered",
    "The quote's words stand in the decoded payload, with others between them or lines in another order.",
    "Look at the page: the extractor left out what stands between.",
)
BUNDLE_QUOTE_WORDLESS = error(
    "bundle.quote-without-word",
    "A quote has no letter, digit or `_`: it stands in every text.",
    "Quote the words that bear on the claim.",
)
BUNDLE_QUOTE_SCANT = warning(
    "bundle.quote-scant",
    "Full support rests on a quote of fewer than 8 letters and digits (an error in profile strict).",
    "Quote the whole sentence.",
)
BUNDLE_QUOTE_CUT = error(
    "bundle.quote-cuts-token",
    "A quote begins or ends within a word or figure (its sign, comparison, currency, share and range "
    "belong to it), or leaves a negation off that is written onto its first or last word, or that denies a Korean stem "
    "at its end.",
    "Quote whole words and figures.",
)
BUNDLE_LOOSE_MATCH = warning(
    "bundle.loose-match",
    "Full support of a critical claim by a quote found only without its hyphens or blanks (an error in strict).",
    "Look at the passage, and quote it as it stands.",
)
BUNDLE_LOSSY_MERGE = warning(
    "bundle.lossy-merge-unverified",
    "Two sources with different texts have one citation URL, so a reader would see one number for both.",
    "Name the cited version beside the number, or cite one of them.",
)
BUNDLE_EDGE_TWICE = error(
    "bundle.edge-twice",
    "One span of a snapshot is evidence for one claim under two ids.",
    "Keep one edge; judge it again if the judgement has changed.",
)
