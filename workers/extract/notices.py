"""Phrases by which walls, missing pages and paywalls speak, as patterns: data for `workers.extract.reader`.

Titles are matched at their beginning; behind a separator (`Site | Page not found`) a phrase must be all that stands
there, since sites have names like `404 Media`. Each phrase is one that a page says about itself; a bare word
such as "captcha" or "subscribe" stands on too many good pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final


def _any_of(phrases: Iterable[str], *, start: bool = False) -> re.Pattern[str]:
    joined = "|".join(phrases)
    return re.compile(rf"^\W*(?:{joined})" if start else f"(?:{joined})", re.IGNORECASE)


_SEPARATOR = re.compile(r"\s[-–—|·•:»/]+\s|\s*[|»·•]\s*|:\s+")


def title_says(pattern: re.Pattern[str], title: str) -> bool:
    """Whether a title is a notice of this kind."""
    first, *others = _SEPARATOR.split(title.strip()) or [""]
    if pattern.search(title.strip()) or pattern.search(first):
        return True
    found = (pattern.search(part) for part in others)
    return any(match is not None and not match.string[match.end() :].strip(" .!?…") for match in found)


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
        "(?:before you continue|bevor (?:sie|du) (?:fort|weiter)|avant de continuer|antes de continuar"
        "|prima di continuare)",
        r"(?:nur einen moment|un momento|un instant|um momento|een moment geduld|jeszcze chwil[aę]|один момент|请稍候"
        r"|請稍候|しばらくお待ちください|잠시만 기다려 ?주세요)\W*$",
        "(?:log|sign) ?in (?:to|or) (?:continue|view|see|read|sign up|register|create)",
        "(?:you have been|your (?:ip|request|access) (?:address )?(?:has been|was|is)) "
        "(?:blocked|denied|rejected|banned)",
        r"(?:request|access) (?:blocked|rejected|forbidden)\W*$",
        r"(?:error |http )?(?:403|429|503)\b\W*(?:error|forbidden|access denied|too many requests"
        r"|service (?:temporarily )?unavailable|$)",
        r"(?:service (?:temporarily )?unavailable|too many requests)\W*$",
        "(?:zugriff verweigert|accès (?:refusé|interdit)|acceso denegado|accesso negato|acesso negado|toegang geweigerd"
        "|odmowa dostępu|доступ (?:запрещ|ограничен)|访问被拒绝|拒绝访问|アクセスが拒否)",
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
        "(?:this |the )?(?:article|content|document|item|listing|post|product|video) (?:was |is |could not be )?"
        "(?:not found|no longer available|unavailable)",
        "(?:this |the )?(?:page|content) (?:isn.t|is not) available",
        "(?:this )?(?:domain|site|website)(?: name)? (?:is (?:for sale|parked|not available)|has expired|not found)",
        r"(?:this )?account (?:has been |is )?suspended\W*$",
        "(?:seite|artikel|inhalt) (?:wurde |konnte )?(?:leider )?nicht gefunden",
        "page (?:introuvable|non trouvée)",
        "p[aá]gina (?:no|não|nao) encontrada",
        "pagina (?:non trovata|niet gevonden)",
        "strona nie (?:została )?znaleziona",
        "nie znaleziono strony",
        "(?:sidan |siden )(?:kunde inte |blev |ble |kunne )?(?:ikke |inte )?"
        "(?:hittas|hittades|finns inte|fundet|funnet)",
        "sivua ei (?:löyt|ole)",
        "stránk[au] (?:nebyla |nebola )?nen(?:alezena|ájdená)",
        "az oldal nem található",
        "pagina nu (?:a fost|este) (?:găsită|disponibilă)",
        "sayfa bulunamadı",
        "(?:η )?σελίδα δεν βρέθηκε",
        "(?:сторінка не знайдена|такой страницы (?:нет|не существует))",
        "(?:الصفحة (?:غير موجودة|المطلوبة)|لم يتم العثور)",
        "(?:הדף|העמוד) (?:לא נמצא|המבוקש)",
        "पृष्ठ नहीं मिला",
        "ไม่พบหน้า",
        "(?:không tìm thấy trang|trang (?:này )?không tồn tại)",
        "halaman tidak ditemukan",
        "(?:страница не найдена|сторінку не знайдено)",
        "(?:ページが見つかりません|お探しのページ)",
        "(?:您访问的|该|此)?(?:页面|网页|頁面|網頁)(?:不存在|未找到|已删除|找不到)",
        "找不到(?:该|此|您要的)?(?:页面|网页|頁面|網頁)",
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
        "(?:contenuto|articolo) riservato agli abbonati",
        "conteúdo exclusivo para assinantes",
        "(?:dit artikel is|alleen) (?:alleen )?voor abonnees",
        "(?:pozostało|zostało) .{0,20}% (?:artykułu|treści)",
        "(?:доступно только подписчикам|материал доступен по подписке)",
        "(?:이 기사는 유료|구독자 전용)",
        "(?:仅限订阅|订阅后(?:可|继续)|會員專屬|訂閱(?:即可|以繼續))",
        "(?:この記事は有料|会員限定)",
    )
)
