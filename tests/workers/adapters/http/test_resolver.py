"""Which name is looked up for a host, and what of an answer is believed."""

from __future__ import annotations

import asyncio
import socket

import pytest

from workers.adapters.http.resolver import SystemResolver, look_up

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("socket_enabled")]


class Names:
    """Answers as `getaddrinfo` of a machine does: from its file of hosts, from name servers, by a search list."""

    def __init__(self, *, hosts=(), served=(), suffixes=(), error=socket.EAI_NONAME):
        self.hosts, self.served, self.suffixes, self.error = hosts, served, suffixes, error
        self.asked = []

    def __call__(self, host, port, family, type, flags=0):
        self.asked.append(host)
        if host in self.hosts:
            return [(socket.AF_INET, type, 6, host if flags else "", ("192.168.0.1", port))]
        longer = [host.rstrip(".")] if host.endswith(".") else [f"{host}.{suffix}" for suffix in self.suffixes] + [host]
        for name in longer:
            if name in self.served:
                return [(socket.AF_INET, type, 6, name if flags else "", ("192.0.1.1", port))]
        raise socket.gaierror(self.error, "no")


def test_a_name_with_a_dot_is_never_completed_by_the_search_list():
    """`ndots` of 5: the suffix is tried first, and somebody serves the longer name."""
    names = Names(served=("example.org", "example.org.svc.cluster.local"), suffixes=("svc.cluster.local",))
    assert look_up("example.org", 80, 0, ask=names) == [(socket.AF_INET, 6, "192.0.1.1")]
    assert names.asked == ["example.org."]


@pytest.mark.parametrize("host", ["gone.example.org", "GONE.example.org", "gone.example.org."])
def test_a_name_that_does_not_exist_is_not_taken_for_a_longer_one_that_does(host):
    names = Names(served=(f"{host}.corp.example", "gone.example.org.corp.example"), suffixes=("corp.example",))
    with pytest.raises(socket.gaierror):
        look_up(host, 80, 0, ask=names)


def test_a_name_of_the_file_of_hosts_is_found_with_or_without_a_dot():
    names = Names(hosts=("site.test", "web"), suffixes=("corp.example",))
    assert look_up("site.test", 80, 0, ask=names) == [(socket.AF_INET, 6, "192.168.0.1")]
    assert look_up("web", 80, 0, ask=names) == [(socket.AF_INET, 6, "192.168.0.1")]
    assert names.asked == ["site.test.", "site.test", "web"]


def test_a_name_without_a_dot_is_left_to_the_search_list():
    names = Names(served=("wiki.corp.example",), suffixes=("corp.example",))
    assert look_up("wiki", 80, 0, ask=names) == [(socket.AF_INET, 6, "192.0.1.1")]


def test_a_name_server_that_does_not_answer_is_not_asked_twice():
    names = Names(error=socket.EAI_AGAIN)
    with pytest.raises(socket.gaierror):
        look_up("slow.example", 80, 0, ask=names)
    assert names.asked == ["slow.example."]


def test_the_system_is_asked():
    async def run():
        resolver = SystemResolver()
        try:
            found = await resolver.resolve("localhost", 80, socket.AF_INET)
            with pytest.raises(OSError):
                await resolver.resolve("nothing.invalid", 80)
            with pytest.raises(OSError, match="no DNS name"):
                await resolver.resolve("a..b", 80)
        finally:
            await resolver.close()
        return found

    assert asyncio.run(run())[0]["host"] == "127.0.0.1"
