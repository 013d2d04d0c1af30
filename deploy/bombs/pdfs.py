"""PDF documents, good and malicious ones, written object by object (ISO 32000-1, 7.5)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

_HEADER = b"%PDF-1.7\n"


def document(objects: Sequence[bytes], *, trailer: bytes = b"", sound: bool = True) -> bytes:
    """A file of these objects, numbered from 1, the first of them the catalog. Not `sound`: its table of places is
    wrong."""
    out = bytearray(_HEADER)
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % (place if sound else 7) for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R %b >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(out)


def stream(data: bytes, entries: bytes = b"") -> bytes:
    """A stream object's body."""
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(data), entries, data)


def text_document(pages: Iterable[Sequence[str]], info: bytes = b"") -> bytes:
    """Pages of lines in Helvetica. `info`: the body of its information dictionary."""
    texts = list(pages)
    kids = b" ".join(b"%d 0 R" % (5 + 2 * number) for number in range(len(texts)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, len(texts)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< %b >>" % info,
    ]
    for number, lines in enumerate(texts):
        objects.append(_page(6 + 2 * number))
        shown = b"".join(b"(%b) Tj T* " % line.encode("latin-1") for line in lines)
        objects.append(stream(b"BT /F1 12 Tf 14 TL 72 720 Td %bET" % shown))
    return document(objects, trailer=b"/Info 4 0 R")


def linked(uris: Sequence[bytes]) -> bytes:
    """A page with a link annotation for each of these addresses."""
    links = [
        b"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (%b) >> >>"
        % uri.replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
        for uri in uris
    ]
    names = b" ".join(b"%d 0 R" % (5 + number) for number in range(len(links)))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Annots [%b] >>" % names
    tree = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page]
    return document([*tree, stream(b"BT ET"), *links])


def many_links(count: int) -> bytes:
    """A page whose one link annotation is named so many times."""
    return linked([b"https://example.org/"]).replace(b"[5 0 R]", b"[" + b"5 0 R " * count + b"]")


def many_pages(count: int) -> bytes:
    """One page that is named so many times."""
    kids = b"3 0 R " * count
    return document(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, count),
            _page(4),
            stream(b"BT ET"),
        ]
    )


def claimed_pages(count: int) -> bytes:
    """A page tree that says it has so many pages, and has one."""
    return document(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count %d >>" % count,
            _page(4),
            stream(b"BT ET"),
        ]
    )


def deep_pages(depth: int) -> bytes:
    """A page tree of so many nested nodes with one kid each."""
    nodes = [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (number + 3) for number in range(depth)]
    return document([b"<< /Type /Catalog /Pages 2 0 R >>", *nodes, _page(depth + 3), stream(b"BT ET")])


def looped_pages() -> bytes:
    """A page tree whose node is its own kid."""
    return document([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"])


def deep_object(depth: int) -> bytes:
    """A catalog with an array so many levels deep."""
    nested = b"[" * depth + b"]" * depth
    return document([b"<< /Type /Catalog /Pages 2 0 R /Deep %b >>" % nested, b"<< /Type /Pages /Kids [] /Count 0 >>"])


def looped_tables() -> bytes:
    """A table of places that names itself as the one before it."""
    good = text_document([["words"]])
    start = good.rindex(b"xref\n0 ")
    return good.replace(b"trailer\n<<", b"trailer\n<< /Prev %d" % start)


def looped_forms(count: int) -> bytes:
    """A page that draws forms, each of which draws the next ten times: 10^count."""
    resources = b"/Resources << /XObject << /X %d 0 R >> >> "
    forms = [
        stream(b"/X Do " * 10, b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] " + resources % (5 + number + 1))
        for number in range(count)
    ]
    last = stream(b"BT ET", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]")
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>"
    )
    tree = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page]
    return document([*tree, stream(b"/X Do"), *forms, last])


def giant_image(side: int) -> bytes:
    """A page with a picture of so many pixels each way, in a few kilobytes."""
    row = zlib.compress(bytes(1024 * 1024), 9)
    image = stream(
        row,
        b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8 "
        b"/Filter /FlateDecode" % (side, side),
    )
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>"
    )
    tree = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page]
    return document([*tree, stream(b"q 9 0 0 9 0 0 cm /X Do Q"), image])


def inflating_page(mebibytes: int) -> bytes:
    """A page whose content inflates to so much text."""
    packed = zlib.compressobj(9)
    shown = b"(words and words) Tj " * 49_932
    content = packed.compress(b"BT /F1 12 Tf ") + b"".join(packed.compress(shown) for _ in range(mebibytes))
    body = stream(content + packed.compress(b"ET") + packed.flush(), b"/Filter /FlateDecode")
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    return document(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
            font,
            b"<< >>",
            _page(6),
            body,
        ]
    )


def encrypted() -> bytes:
    """A document that asks for a password (RC4, revision 2): the right answers to it are not in it."""
    handler = b"<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <%b> /U <%b> >>" % (b"41" * 32, b"42" * 32)
    good = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        _page(4),
        stream(b"BT ET"),
    ]
    return document([*good, handler], trailer=b"/Encrypt 5 0 R /ID [<00112233445566778899aabbccddeeff> <00>]")


def _page(contents: int) -> bytes:
    return (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
        b"/Resources << /Font << /F1 3 0 R >> >> >>" % contents
    )
