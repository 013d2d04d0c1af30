"""The short way of the usual date is the long way, only shorter."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from workers.capture.httpdate import _parse_leniently, parse_http_date

DIGITS = st.text("0123456789", min_size=2, max_size=2)
MONTHS = st.sampled_from(["Jan", "Feb", "Nov", "Dec", "Foo", "NOV"])
USUAL = st.builds(
    "{}, {} {} {} {}:{}:{} GMT".format,
    st.sampled_from(["Mon", "Xyz"]),
    DIGITS,
    MONTHS,
    st.text("0123456789", min_size=4, max_size=4),
    DIGITS,
    DIGITS,
    DIGITS,
)


@given(USUAL)
@example("Sun, 29 Feb 2026 12:00:00 GMT")
@example("Mon, 28 Feb 2028 23:59:59 GMT")
@example("Sun, 06 Nov 0094 08:49:37 GMT")
@example("Sun, 06 Nov 1600 08:49:37 GMT")
def test_a_date_of_the_usual_form_is_read_as_the_lenient_way_reads_it(text):
    assert parse_http_date(text) == _parse_leniently(text)
