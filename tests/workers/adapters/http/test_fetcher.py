"""What is sent, what is kept alive, and what bounds a fetch."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import resource
import tempfile
import tracemalloc

import pytest

from schemas.records.outcome import Outcome
from workers.adapters.http.fetcher import Fetcher
from workers.capture.message import wire_bytes
from workers.errors import RetryableError

pytestmark = pytest.mark.real

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


async def say_ok(visit):
    await visit.send(OK)


def close(*exchanges):
    for exchange in exchanges:
        if exchange.response is not None:
            exchange.response.content.close()


def test_the_request_goes_out_as_recorded_with_the_target_byte_for_byte(serve_raw, ask):
    async def run():
        async with serve_raw(say_ok) as server, Fetcher() as fetcher:
            for path in ("/a?", "/a|b?c=%zz&&d[1]=%7E", "/a/../b", "/?story_fbid=2&id=1", "/"):
                got = await fetcher.fetch(ask(server.url(path)))
                assert got.request == server.requests[-1]
                assert got.request.startswith(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n".encode())
                assert got.url == server.url(path)
                close(got)

    asyncio.run(run())


def test_credentials_and_fragment_reach_neither_server_nor_record(serve_raw, ask):
    async def run():
        async with serve_raw(say_ok) as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(f"http://user:secret@127.0.0.1:{server.port}/a#frag"))
            close(got)
            assert got.url == server.url("/a")
            assert b"secret" not in got.request + server.requests[0]
            assert b"Authorization" not in server.requests[0]

    asyncio.run(run())


def test_nothing_is_added_to_a_request_and_no_cookie_comes_back(serve_raw, ask):
    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n")

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            headers = (("User-Agent", "x"), ("Accept", "*/*"), ("If-None-Match", 'W/"\xe4"'))
            for _ in range(2):
                close(await fetcher.fetch(ask(server.url(), headers=headers)))
            expected = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUser-Agent: x\r\nAccept: */*\r\n"
            assert server.requests == [expected.encode() + b'If-None-Match: W/"\xe4"\r\n\r\n'] * 2

    asyncio.run(run())


def test_a_redirect_is_an_answer_and_is_not_followed(serve_raw, ask):
    async def answer(visit):
        await visit.send(b"HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n")

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(server.url()))
            close(got)
            assert (got.response.status, len(server.requests)) == (302, 1)

    asyncio.run(run())


def test_a_body_is_kept_as_coded(serve_raw, ask):
    """Complaint 39: a gzip label on something else breaks nothing, since nothing is decoded."""

    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip")

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(server.url()))
            assert got.response.content.read() == b"not gzip"
            close(got)

    asyncio.run(run())


def test_a_connection_is_used_again(serve_raw, ask):
    async def run():
        async with serve_raw(say_ok) as server, Fetcher() as fetcher:
            for _ in range(5):
                close(await fetcher.fetch(ask(server.url())))
            assert (server.connections, len(server.requests)) == (1, 5)

    asyncio.run(run())


def test_of_many_hosts_those_asked_last_keep_their_connections(serve_raw, ask):
    """A crawl goes on to other hosts: those of the past must not keep the new ones from being asked twice."""

    async def run():
        async with serve_raw(say_ok, host="0.0.0.0") as server, Fetcher(max_idle_hosts=2) as fetcher:
            for last in (1, 2, 3, 4, 3, 4, 3, 4, 1):
                close(await fetcher.fetch(ask(server.url(host=f"127.0.0.{last}"))))
            assert (server.connections, len(server.requests)) == (5, 9)

    asyncio.run(run())


def test_a_kept_connection_that_the_server_closed_is_replaced_and_the_page_asked_for_again(serve_raw, ask):
    async def answer(visit):
        if visit.number == 1:
            visit.writer.transport.abort()
        else:
            await visit.send(OK)

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            first = await fetcher.fetch(ask(server.url()))
            second = await fetcher.fetch(ask(server.url()))
            close(first, second)
            assert second.outcome is Outcome.CAPTURED
            assert (server.connections, len(server.requests)) == (2, 3)

    asyncio.run(run())


def test_a_fresh_connection_without_an_answer_is_not_tried_again(serve_raw, ask):
    async def answer(visit):
        visit.writer.close()

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(server.url()))
            assert (got.outcome, got.response) == (Outcome.EMPTY_REPLY, None)
            assert got.failure == "the server closed the connection without an answer"
            assert got.request == server.requests[0]
            assert len(server.requests) == 1

    asyncio.run(run())


def test_bytes_that_nobody_asked_for_end_a_kept_connection(serve_raw, ask):
    async def answer(visit):
        await visit.send(OK)
        if visit.number == 0:
            await asyncio.sleep(0.05)
            await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            close(await fetcher.fetch(ask(server.url())))
            await asyncio.sleep(0.15)
            second = await fetcher.fetch(ask(server.url()))
            assert second.response.content.read() == b"hi"
            close(second)
            assert server.connections == 2

    asyncio.run(run())


def test_surplus_that_comes_later_is_waited_for_where_the_connection_ends_anyway(serve_raw, ask, quick):
    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")
        await asyncio.sleep(0.05)
        await visit.send(b" there")
        visit.writer.close()

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            limits = dataclasses.replace(quick, settle_seconds=1)
            got = await fetcher.fetch(ask(server.url(), limits=limits))
            assert (got.outcome, got.response.surplus) == (Outcome.MALFORMED, b" there")
            assert got.response.content.read() == b"hi"
            close(got)

    asyncio.run(run())


def test_many_hosts_are_fetched_at_the_same_time(serve_raw, ask):
    async def answer(visit):
        await asyncio.sleep(0.1)
        await visit.send(OK)

    async def run():
        async with serve_raw(answer, host="0.0.0.0") as server, Fetcher() as fetcher:
            urls = [f"http://127.0.0.{host}:{server.port}/" for host in range(1, 41)]
            loop = asyncio.get_running_loop()
            started = loop.time()
            got = await asyncio.gather(*(fetcher.fetch(ask(url)) for url in urls))
            assert loop.time() - started < 2
            assert {exchange.remote_ip for exchange in got} == {f"127.0.0.{host}" for host in range(1, 41)}
            close(*got)

    asyncio.run(run())


def test_an_endless_body_is_cut_at_the_limit(serve_raw, ask, quick):
    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            await visit.send(b"x" * 4096)

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            limits = dataclasses.replace(quick, max_body_bytes=100_000)
            got = await fetcher.fetch(ask(server.url(), limits=limits))
            assert (got.outcome, got.truncated, got.response.content.size) == (Outcome.TRUNCATED, "length", 100_000)
            close(got)
            await asyncio.wait_for(server.gone.wait(), 2)

    asyncio.run(run())


def test_an_endless_head_is_cut_at_the_limit(serve_raw, ask, quick):
    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\n")
        while True:
            await visit.send(b"X-More: and more\r\n" * 100)

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            limits = dataclasses.replace(quick, max_head_bytes=20_000)
            got = await fetcher.fetch(ask(server.url(), limits=limits))
            assert (got.outcome, got.truncated, len(got.response.head)) == (Outcome.TRUNCATED, "length", 20_000)
            close(got)

    asyncio.run(run())


def test_a_slow_drip_is_ended_by_the_total_time(serve_raw, ask, quick):
    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            await visit.send(b"x")
            await asyncio.sleep(0.02)

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            limits = dataclasses.replace(quick, total_seconds=0.4, idle_seconds=0.3)
            got = await fetcher.fetch(ask(server.url(), limits=limits))
            assert (got.outcome, got.truncated) == (Outcome.TRUNCATED, "time")
            assert 3 < got.response.content.size < 40
            close(got)
            await asyncio.wait_for(server.gone.wait(), 2)

    asyncio.run(run())


def test_silence_in_mid_body_keeps_what_came(serve_raw, ask, quick):
    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello")
        await asyncio.sleep(5)

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            limits = dataclasses.replace(quick, idle_seconds=0.1)
            got = await fetcher.fetch(ask(server.url(), limits=limits))
            assert (got.outcome, got.truncated) == (Outcome.TRUNCATED, "time")
            assert got.response.content.read() == b"hello"
            assert got.seconds_total < 0.1
            close(got)

    asyncio.run(run())


def test_a_server_that_says_nothing_is_a_timeout(serve_raw, ask, quick):
    async def answer(visit):
        await asyncio.sleep(5)

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            limits = dataclasses.replace(quick, idle_seconds=0.1)
            got = await fetcher.fetch(ask(server.url(), limits=limits))
            assert (got.outcome, got.response, got.failure) == (Outcome.TIMEOUT, None, "no answer within 0.1 s")

    asyncio.run(run())


def test_broken_chunks_on_a_kept_connection_end_after_a_short_silence(serve_raw, ask):
    body = b"5\r\nhello\r\nzz\r\n"

    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        await asyncio.sleep(0.05)
        await visit.send(b"more")

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(server.url()))
            assert (got.outcome, got.truncated) == (Outcome.MALFORMED, None)
            assert got.response.content.read() == body + b"more"
            close(got)

    asyncio.run(run())


def test_a_reset_in_mid_body_keeps_what_came(serve_raw, ask):
    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\n\r\nhello")
        await asyncio.sleep(0.05)
        visit.writer.transport.abort()

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(server.url()))
            assert b"".join(wire_bytes(got.response)) == b"HTTP/1.1 200 OK\r\n\r\nhello"
            close(got)

    asyncio.run(run())


def test_a_cancelled_fetch_closes_its_connection(serve_raw, ask):
    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
        await visit.reader.read(1)
        raise ConnectionResetError

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            task = asyncio.create_task(fetcher.fetch(ask(server.url())))
            while not server.requests:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.gone.wait(), 2)

    asyncio.run(run())


def test_a_large_body_is_not_held_in_memory(serve_raw, ask):
    size = 64 * 1024 * 1024

    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        block = b"x" * 262_144
        for _ in range(size // len(block)):
            await visit.send(block)

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            tracemalloc.start()
            try:
                got = await fetcher.fetch(ask(server.url()))
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            assert (got.outcome, got.response.content.size) == (Outcome.CAPTURED, size)
            assert peak < 8 * 1024 * 1024
            close(got)

    asyncio.run(run())


def test_a_body_that_this_machine_cannot_hold_is_our_fault_and_not_the_servers(serve_raw, ask):
    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n" + b"x" * 4_000_000)

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            before = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, before[1]))
            try:
                with pytest.raises(RetryableError, match="cannot hold"):
                    await fetcher.fetch(ask(server.url()))
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
            gc.collect()

    asyncio.run(run())


def test_a_body_too_large_for_memory_goes_to_the_spool_folder_and_nowhere_else(serve_raw, ask, tmp_path, monkeypatch):
    """`/tmp` is often memory, or small: what arrives must not depend on it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no such folder"))
    body = b"x" * 3_000_000

    async def answer(visit):
        await visit.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        if visit.request.startswith(b"GET /broken"):
            await visit.send(b"2dc6c0\r\n" + body + b"no chunk")
            visit.writer.close()
        else:
            await visit.send(b"2dc6c0\r\n" + body + b"\r\n0\r\n\r\n")

    async def run():
        async with serve_raw(answer) as server:
            async with Fetcher(spool_dir=tmp_path) as fetcher:
                for path in ("/", "/broken"):
                    got = await fetcher.fetch(ask(server.url(path)))
                    assert got.response.content.size >= len(body)
                    close(got)
            assert list(tmp_path.iterdir()) == []
            async with Fetcher(spool_dir=tmp_path / "gone") as fetcher:
                with pytest.raises(RetryableError) as told:
                    await fetcher.fetch(ask(server.url()))
            assert told.value.where == str(tmp_path / "gone")
            assert "CITEVAULT_SPOOL_DIR" in told.value.next_step

    asyncio.run(run())


def test_a_server_that_accepts_and_hangs_up_gave_an_empty_reply(ask, socket_enabled):
    async def hang_up(reader, writer):
        writer.close()

    async def run():
        server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with Fetcher() as fetcher:
            for _ in range(20):
                got = await fetcher.fetch(ask(f"http://127.0.0.1:{port}/"))
                assert got.outcome is Outcome.EMPTY_REPLY
        server.close()

    asyncio.run(run())


def test_the_times_of_an_answer_are_those_of_the_server(serve_raw, ask):
    async def answer(visit):
        await asyncio.sleep(0.1)
        await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh")
        await asyncio.sleep(0.1)
        await visit.send(b"i")

    async def run():
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(server.url(), purpose="robots"))
            close(got)
            assert 0.08 < got.seconds_to_first_byte < 0.19
            assert 0.18 < got.seconds_total < 0.5
            assert got.purpose == "robots"
            assert got.protocols == ("http/1.1",)

    asyncio.run(run())


def test_an_answer_that_drips_below_the_floor_is_cut_off_long_before_the_total_limit(serve_raw, ask, quick):
    """X14: one byte at a time is no silence, yet it ends after one stretch of the idle limit."""

    async def run():
        async def answer(visit):
            await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while True:
                await asyncio.sleep(0.05)
                await visit.send(b"x")

        limits = dataclasses.replace(quick, idle_seconds=0.3, total_seconds=30)
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(server.url(), limits=limits))
            assert (got.outcome.value, got.truncated) == ("truncated", "time")
            assert "CITEVAULT_MIN_BYTES_PER_SECOND" in got.failure
            assert 1 <= got.response.content.size <= 8
            got.response.content.close()

    asyncio.run(run())


def test_a_slow_answer_above_the_floor_and_a_pause_before_the_content_are_waited_for(serve_raw, ask, quick):
    async def run():
        async def answer(visit):
            await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n")
            await asyncio.sleep(0.25)
            for _ in range(4):
                await visit.send(b"0123456789")
                await asyncio.sleep(0.15)

        limits = dataclasses.replace(quick, idle_seconds=0.3, min_bytes_per_second=30)
        async with serve_raw(answer) as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(server.url(), limits=limits))
            assert (got.outcome.value, got.failure) == ("captured", None)
            got.response.content.close()

    asyncio.run(run())


def test_bytes_long_after_an_answer_reach_no_other_answer_and_are_told_in_the_log(serve_raw, ask, caplog):
    """On a connection that is kept, what comes after the end belongs to nobody: it must not become the next page."""

    async def run():
        async def answer(visit):
            await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            if visit.number == 0:
                await asyncio.sleep(0.05)
                await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")

        async with serve_raw(answer) as server, Fetcher() as fetcher:
            first = await fetcher.fetch(ask(server.url("/1")))
            await asyncio.sleep(0.15)
            second = await fetcher.fetch(ask(server.url("/2")))
            contents = [got.response.content.read() for got in (first, second)]
            assert contents == [b"hello", b"hello"]
            assert server.connections == 2
            for got in (first, second):
                got.response.content.close()

    asyncio.run(run())
    assert "bytes after the end of an answer peer=127.0.0.1 bytes=42" in caplog.text
