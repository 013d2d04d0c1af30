import pytest

from workers.dedup.site import site_of


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.example.org/a/b?c", "example.org"),
        ("https://example.org?c", "example.org"),
        ("http://example.org:8080/", "example.org:8080"),
        ("http://www.www.example.org/", "www.example.org"),
        ("https://wwww.example.org/", "wwww.example.org"),
        ("http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"),
        ("http://127.0.0.2/", "127.0.0.2"),
        ("https://news.example.org/", "news.example.org"),
        ("http://www./", "www"),
        ("https://www.example.org./a", "example.org"),
        ("http://example.org.:8080/", "example.org:8080"),
        ("http://./", "."),
        ("no url", "no url"),
    ],
)
def test_a_site_is_the_host_without_www_and_final_dot_and_with_its_port(url: str, site: str) -> None:
    assert site_of(url) == site
