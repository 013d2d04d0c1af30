"""Phrases by which walls, missing pages and paywalls speak, as patterns: data for `workers.extract.reader`.

Titles are matched at their beginning. Each phrase is one that a page says about itself; a bare word
such as "captcha" or "subscribe" stands on too many good pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final


def _any_of(phrases: Iterable[str], *, start: bool = False) -> re.Pattern[str]:
    joined = "|".join(phrases)
    return re.compile(rf"^\W*(?:{joined})" if start else f"(?:{joined})", re.IGNORECASE)


WALL_TITLE: Final = _any_of(
    (
        "just a moment",
        "attention required",
        "access (?:to this page has been )?denied",
        "(?:robot check|bot verification|human verification|security check)",
        "are you (?:a )?(?:robot|human)",
        "verify(?:ing)? (?:that )?you are (?:a )?human",
        "pardon our interruption",
        "ddos-guard",
        "making sure you.re not a bot",
        "one moment,? please",
        "checking your browser",
        "before you continue",
    ),
    start=True,
)
WALL_TEXT: Final = _any_of(
    (
        "verify (?:that )?you are (?:a )?human",
        "(?:unusual|suspicious) (?:traffic|activity)",
        "(?:are you a|not a) robot",
        "complete the (?:captcha|security check)",
        "checking (?:if|your) (?:the site connection|browser)",
        "enable javascript and cookies",
    )
)
MISSING: Final = _any_of(
    (
        r"(?:error|http|fehler|erreur|oops|sorry|hmm)?\W*404\b",
        r"(?:404\W*)?not found\b",
        "(?:the |this )?page (?:you .{0,40} )?(?:was |is |could not be |could ?n.t be )?not found",
        "(?:the |this )?page (?:you .{0,40} )?(?:can ?n.t|cannot|can not|could ?n.t|could not) be found",
        "(?:the |this )?page (?:you .{0,40} )?(?:does ?n.t exist|does not exist|no longer exists)",
        "(?:the |this )?page (?:you .{0,40} )?is no longer available",
        "seite (?:wurde )?nicht gefunden",
        "page (?:introuvable|non trouvée)",
        "p[aá]gina (?:no|não|nao) encontrada",
        "pagina (?:non trovata|niet gevonden)",
        "strona nie (?:została )?znaleziona",
        "(?:страница не найдена|сторінку не знайдено)",
        "(?:ページが見つかりません|お探しのページ)",
        "(?:页面不存在|页面未找到|找不到(?:该|此)?页面|頁面不存在)",
        "페이지를 찾을 수 없습니다",
    ),
    start=True,
)
PAYWALL: Final = _any_of(
    (
        r"subscri(?:be|bers?)\b.{0,60}\b(?:continue|keep|read|unlock|access)\b",
        r"(?:continue|keep) reading (?:with|by|for)\b",
        "already a subscriber",
        "(?:article|content|story) is (?:for|only available to|reserved for) (?:paying )?(?:subscribers|members)",
        "log ?in or subscribe",
        "(?:weiterlesen mit|(?:jetzt|kostenlos) (?:testen und )?weiterlesen)",
        "dieser (?:artikel|inhalt) ist (?:nur )?für abonnenten",
        r"(?:réservé aux abonnés|il vous reste \d+ ?% de cet article)",
        "contenido exclusivo para suscriptores",
        "(?:この記事は有料|会員限定)",
    )
)
