"""Findings on claims, the edges that bear on them, and what was judged of those."""

from __future__ import annotations

from schemas.findings.wording import error, note, warning

CLAIM_STATUS = error(
    "claim.status-differs",
    "A claim's status is not the verdict that its edges give.",
    "Write the derived verdict, or repair the evidence.",
)
CLAIM_NOT_SUPPORTED = error(
    "claim.not-supported",
    "A claim lacks full support from enough independent groups.",
    "Find further independent evidence, or weaken or drop the claim.",
)
CLAIM_UNCITED = error(
    "claim.uncited",
    "A claim has no evidence (a warning for an ordinary claim in profile paragraph).",
    "Cite something, or drop the claim.",
)
CLAIM_CONFLICTED = error(
    "claim.conflicted",
    "Evidence contradicts a claim, unarbitrated (for an ordinary claim a warning, unless in profile strict).",
    "Show the contradiction to the reader, or record an arbitration.",
)
EDGE_NOT_COUNTED = note(
    "claim.edge-not-counted",
    "Full support of a critical claim by an aggregator or a quote-only snapshot does not count.",
    "Cite the source behind it.",
)
CLAIM_PLACE = error(
    "claim.place-reversed",
    "A claim's place ends before it starts.",
    "Give the span of the report as start and end, half-open.",
)
CLAIM_TWICE = error(
    "claim.text-twice",
    "Two claims say the same, so what contradicts one of them would not count against the other.",
    "Make them one claim with all its evidence.",
)
CLAIM_TIER_UNFIT = warning(
    "claim.tier-unfit",
    "No source with full support is of a tier that fits the claim's type (an error in profile strict).",
    "Cite a source of a fitting tier: see the format, Tiers and claim types.",
)
CLAIM_BY_VENDOR = error(
    "claim.comparison-by-vendor",
    "A comparison rests on official sources alone, which say what they say of themselves (ordinary: a warning).",
    "Cite somebody who is not a party to the comparison.",
)
CLAIM_FIGURE = warning(
    "claim.figure-not-quoted",
    "A claim has a figure that none of its quotes with full support has.",
    "Look whether the source says it; quote the sentence with the figure.",
)
CLAIM_COMPOUND = note(
    "claim.compound",
    "A claim seems to assert several things, of which one quote may support a part.",
    "Split it: one subject, one outcome, its time or condition.",
)
CLAIM_SET_ASIDE = note(
    "claim.contradiction-set-aside",
    "Evidence contradicts the claim, and an arbitration sets it aside.",
    "Show the reader the contradiction and the reason.",
)
JUDGEMENT_STALE = error(
    "judgement.stale",
    "A judgement was made of another claim text, quote, context or source text.",
    "Judge the edge again and append the judgement.",
)
JUDGEMENT_DIFFERS = error(
    "judgement.differs",
    "An edge does not repeat its judgement's support, checker and time, or the judgement is of another edge.",
    "Write the judgement's values, or name the judgement that counts.",
)
JUDGEMENT_SUPERSEDED = error(
    "judgement.superseded",
    "An edge names a judgement though one of this edge goes before it: a person's, or a later one of its rank.",
    "Name the judgement that counts, and repeat its values in the edge.",
)
JUDGEMENT_TIED = error(
    "judgement.tied",
    "Judgements of one edge and one time disagree, so none of them is the latest.",
    "Judge the edge again and append the judgement.",
)
JUDGEMENT_UNRESOLVED = error(
    "judgement.unresolved",
    "People disagree about an edge, and no arbiter has said which of them is right, and why.",
    "Have a third person decide (`citevault judge arbitrate`), or those who disagree judge again.",
)
JUDGEMENT_PEOPLE = note(
    "judgement.people-agreement",
    "How far two people who judged the same edges agree; what they do not agree on is named.",
    "Read both rationales where they differ.",
)
JUDGEMENT_OVERRULED = warning(
    "judgement.contradiction-overruled",
    "A later judgement takes back that an edge contradicts its claim (an error in profile strict).",
    "Read both judgements; record an arbitration if the evidence does contradict.",
)
JUDGEMENT_BARE = warning(
    "judgement.without-rationale",
    "A judgement gives no rationale, or does not say by whom (an error in profile strict).",
    "Say in a sentence why the quote has this support.",
)
JUDGEMENT_ONLY_WARNS = error(
    "judgement.only-warns",
    "An edge rests on the word of a lexical checker, which warns and decides nothing.",
    "Have a person or a pinned evaluator judge the edge.",
)
JUDGEMENT_UNPINNED = warning(
    "judgement.checker-unpinned",
    "The bundle does not say which model, prompt and temperature an evaluator was pinned to (an error in profile "
    "strict).",
    "Carry the evaluator's parameters as a policy of kind checker, under the id that its digest gives.",
)
JUDGEMENT_DISPUTED = warning(
    "judgement.disputed",
    "Those who judged an edge disagree; whose word counts is decided by rank and time, not by majority.",
    "Read the judgements, and quote more of the page or reword the claim where both can be meant.",
)
JUDGEMENT_UNSTABLE = warning(
    "judgement.unstable",
    "One checker judged the same inputs several times, and differently.",
    "Do not rely on that checker for this edge; have a person judge it.",
)
JUDGEMENT_SAMPLE = warning(
    "judgement.sample-not-reached",
    "A person has not looked at all of the sample of what an evaluator judged (an error in profile strict).",
    "Review what is missing with `citevault judge review`, and build the bundle again.",
)
JUDGEMENT_AGREEMENT = note(
    "judgement.agreement",
    "How far an evaluator agrees with the people who judged the same edges; no verdict looks at it.",
    "Read the judgements that differ before relying on the evaluator for the others.",
)
ARBITRATION_MISPLACED = error(
    "arbitration.misplaced",
    "An arbitration names an edge of another claim, or one that does not contradict.",
    "Name the contradicting edges of its claim.",
)
ARBITRATION_UNEXPLAINED = error(
    "arbitration.unexplained",
    "An arbitration does not say by whom and, in 10 characters or more, why.",
    "Record who decided and why.",
)
