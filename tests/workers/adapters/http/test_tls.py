"""Names of TLS versions and cipher suites."""

from __future__ import annotations

import pytest

from workers.adapters.http.tls import cipher_suite, session_of, tls_protocol


@pytest.mark.parametrize(
    ("openssl", "iana"),
    [
        ("TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
        ("ECDHE-RSA-AES128-GCM-SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
        ("ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        ("ECDHE-RSA-CHACHA20-POLY1305", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
        ("DHE-RSA-AES256-SHA256", "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256"),
        ("ECDHE-RSA-AES256-SHA", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"),
        ("AES128-GCM-SHA256", "TLS_RSA_WITH_AES_128_GCM_SHA256"),
        ("AES256-SHA", "TLS_RSA_WITH_AES_256_CBC_SHA"),
        ("SOMETHING-NEW", "SOMETHING-NEW"),
    ],
)
def test_a_cipher_suite_has_its_iana_name(openssl, iana):
    assert cipher_suite(openssl) == iana


@pytest.mark.parametrize(
    ("version", "protocol"),
    [("TLSv1.3", "tls/1.3"), ("TLSv1.2", "tls/1.2"), ("TLSv1", "tls/1.0"), ("SSLv3", None), (None, None)],
)
def test_a_version_has_its_warc_name(version, protocol):
    assert tls_protocol(version) == protocol


def test_a_plain_connection_has_neither():
    assert session_of(None) == (None, None)
