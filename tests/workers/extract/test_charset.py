"""Who decides the encoding: byte order mark, header, declaration, UTF-8, statistics, default."""

import pytest

from workers.extract.charset import CharsetSource, decode_text

SENTENCES = {
    "windows-1251": "Правительство сообщило во вторник о новых мерах поддержки экономики и жителей города.",
    "koi8-r": "Правительство сообщило во вторник о новых мерах поддержки экономики и жителей города.",
    "shift_jis": "首相は火曜日に記者会見を開き、新しい経済政策を発表した。予算案についても説明した。",
    "euc-jp": "首相は火曜日に記者会見を開き、新しい経済政策を発表した。予算案についても説明した。",
    "gb18030": "外交部发言人周二在北京举行例行记者会，就有关问题回答了记者的提问，表示将继续推进改革。",
    "big5": "發言人週二在台北舉行記者會，就相關問題回答了記者的提問，表示將繼續推動改革。",
    "euc-kr": "정부는 화요일 서울에서 기자회견을 열고 새로운 경제 정책을 발표했다.",
    "windows-1253": "Ο πρωθυπουργός ανακοίνωσε την Τρίτη νέα οικονομική πολιτική σε συνέντευξη στην Αθήνα.",
    "windows-1255": "ראש הממשלה הודיע היום על מדיניות כלכלית חדשה במסיבת עיתונאים שנערכה בירושלים.",
    "windows-1256": "أعلنت الحكومة اليوم الثلاثاء عن سياسة اقتصادية جديدة في مؤتمر صحفي عقد في العاصمة.",
    "windows-874": "นายกรัฐมนตรีประกาศนโยบายเศรษฐกิจใหม่ในการแถลงข่าวที่กรุงเทพมหานครเมื่อวันอังคาร",
    "windows-1254": "Başbakan salı günü Ankara’da düzenlediği basın toplantısında yeni politikayı açıkladı.",
}
PYTHON_NAMES = {"shift_jis": "cp932", "euc-kr": "cp949", "windows-874": "cp874"}


def encoded(charset: str, text: str) -> bytes:
    return text.encode(PYTHON_NAMES.get(charset, charset))


@pytest.mark.parametrize(
    ("page", "header", "charset", "source"),
    [
        (b"\xef\xbb\xbf<meta charset=koi8-r>", "windows-1251", "utf-8", "bom"),
        (b"\xff\xfeA\0", "utf-8", "utf-16le", "bom"),
        (b"<meta charset=koi8-r>", "windows-1251", "windows-1251", "header"),
        (b"<meta charset=koi8-r>", "no-such-charset", "koi8-r", "meta"),
        (b"<?xml version='1.0' encoding='koi8-r'?>", None, "koi8-r", "xml"),
        (b"<?xml version='1.0' encoding='koi8-r'?><meta charset=utf-8>", None, "utf-8", "meta"),
        ("<p>é".encode(), None, "utf-8", "utf8"),
        (b"<p>plain", None, "utf-8", "utf8"),
        ("<p>caf\xe9".encode("latin-1"), None, "windows-1252", "default"),
        (b"<p>" + "Grüße".encode() * 20 + b"\xff", None, "utf-8", "utf8"),
    ],
)
def test_the_first_in_the_order_of_the_standard_decides(
    page: bytes, header: str | None, charset: str, source: str
) -> None:
    decoded = decode_text(page, header=header, markup=True)
    assert (decoded.charset, decoded.source) == (charset, source)


def test_the_byte_order_mark_is_no_part_of_the_text() -> None:
    assert decode_text(b"\xef\xbb\xbfx", header=None, markup=False).text == "x"


def test_plain_text_declares_nothing_within() -> None:
    assert decode_text(b"<meta charset=koi8-r>", header=None, markup=False).source is CharsetSource.UTF8


@pytest.mark.parametrize("charset", SENTENCES)
@pytest.mark.parametrize(("copies", "shift"), [(5, ""), (400, ""), (400, "x")])
def test_an_undeclared_legacy_page_is_recognised(charset: str, copies: int, shift: str) -> None:
    sentence = SENTENCES[charset]
    page = b"<html><body><p>" + shift.encode() + encoded(charset, sentence * copies) + b"</p></body></html>"
    decoded = decode_text(page, header=None, markup=True)
    assert sentence in decoded.text
    assert decoded.source is CharsetSource.DETECTED


@pytest.mark.parametrize("charset", SENTENCES)
def test_a_declared_legacy_page_is_decoded(charset: str) -> None:
    page = f"<meta charset={charset}><p>".encode() + encoded(charset, SENTENCES[charset])
    decoded = decode_text(page, header=None, markup=True)
    assert decoded.text.endswith(SENTENCES[charset])
    assert (decoded.charset, decoded.source, decoded.broken) == (charset, "meta", 0)


def test_a_wrong_declaration_is_followed_and_the_damage_counted() -> None:
    decoded = decode_text("<p>æøå".encode("windows-1252"), header="utf-8", markup=True)
    assert decoded.charset == "utf-8"
    assert decoded.broken == 3
