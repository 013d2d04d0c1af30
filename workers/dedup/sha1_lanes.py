"""SHA-1 (FIPS 180-4) of very many short messages at once: one message a lane of numpy's vectors.

`hashlib` spends more on making an object for each message than on its one block. Here every step of the function is
taken for thousands of messages together, so that a message costs a third of that. It mixes shingles for MinHash and
SimHash, which need the first eight bytes; nothing is secured by it. A property test pins it to `hashlib`.
"""

from __future__ import annotations

import hashlib
from typing import Final

import numpy as np
import numpy.typing as npt

from workers.dedup.native import kernel

Words = npt.NDArray[np.uint32]
Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int64]

BLOCK: Final = 64
MARKS: Final = 9
"""Bytes that a message's end mark and its length take in its last block."""
LONGEST: Final = 2 * BLOCK - MARKS
"""Longer messages are left to `hashlib`: five words seldom have 120 bytes."""
LANES: Final = 8192
"""Messages a step: 24 rows of 32 KiB, which stay in the second-level cache."""

_START: Final = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)
_ROUND: Final = tuple(np.uint32(value) for value in (0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6))


def sha1_words(data: Bytes, starts: Offsets, lengths: Offsets) -> Words:
    """The first two words of the SHA-1 of each `data[start : start + length]`, as numbers: shape (2, messages)."""
    compiled = kernel()
    words = _by_numpy(data, starts, lengths) if compiled is None else compiled.sha1(data, starts, lengths)
    for lane in np.flatnonzero(lengths > LONGEST).tolist():
        message = data[starts[lane] : starts[lane] + lengths[lane]].tobytes()
        digest = hashlib.sha1(message, usedforsecurity=False).digest()
        words[:, lane] = np.frombuffer(digest[:8], dtype=">u4")
    return words


def _by_numpy(data: Bytes, starts: Offsets, lengths: Offsets) -> Words:
    words = np.empty((2, starts.size), dtype=np.uint32)
    padded = np.concatenate((data, np.zeros(2 * BLOCK, dtype=np.uint8)))
    blocks = (lengths + (MARKS + BLOCK - 1)) // BLOCK
    for count in (1, 2):
        of_size = np.flatnonzero(blocks == count)
        for first in range(0, of_size.size, LANES):
            lanes = of_size[first : first + LANES]
            words[:, lanes] = _digests(_padded(padded, starts[lanes], lengths[lanes], count))
    return words


def _padded(padded: Bytes, starts: Offsets, lengths: Offsets, blocks: int) -> Words:
    """Each message with its end mark and its length in bits, as big-endian words: shape (16 * blocks, messages)."""
    size = BLOCK * blocks
    windows = np.lib.stride_tricks.sliding_window_view(padded, size)[starts]
    windows *= np.arange(size, dtype=np.uint8) < lengths.astype(np.uint8)[:, None]
    windows[np.arange(starts.size), lengths] = 0x80
    windows[:, size - 2] = lengths >> 5  # the length in bits is eight times that, of two bytes here
    windows[:, size - 1] = (lengths << 3) & 0xFF
    return np.ascontiguousarray(windows.view(">u4").T.astype(np.uint32))


def _digests(words: Words) -> Words:
    """The first two words of the digests; the blocks of each message stand one after the other."""
    state = [np.full(words.shape[1], value, dtype=np.uint32) for value in _START]
    for first in range(0, words.shape[0], 16):
        before = [row.copy() for row in state]
        state = [
            np.add(one, other, out=one)
            for one, other in zip(_rounds(words[first : first + 16], state), before, strict=True)
        ]
    return np.stack(state[:2])


def _rounds(w: Words, state: list[Words]) -> list[Words]:
    """80 rounds over all lanes. `w` is used up as the message schedule, a ring of 16 rows; so is `state`."""
    a, b, c, d, e = state
    mixed, scratch = np.empty_like(a), np.empty_like(a)
    one, two, five = np.uint32(1), np.uint32(2), np.uint32(5)
    twenty_seven, thirty, thirty_one = np.uint32(27), np.uint32(30), np.uint32(31)
    xor, both, either, add, left, right = (
        np.bitwise_xor, np.bitwise_and, np.bitwise_or, np.add, np.left_shift, np.right_shift,
    )  # fmt: skip
    for round_ in range(80):
        word = w[round_ & 15]
        if round_ >= 16:
            xor(word, w[(round_ + 13) & 15], out=word)
            xor(word, w[(round_ + 8) & 15], out=word)
            xor(word, w[(round_ + 2) & 15], out=word)
            right(word, thirty_one, out=scratch)
            left(word, one, out=word)
            either(word, scratch, out=word)
        if round_ < 20:  # choose: d ^ (b & (c ^ d))
            xor(c, d, out=mixed)
            both(mixed, b, out=mixed)
            xor(mixed, d, out=mixed)
        elif 40 <= round_ < 60:  # majority: c ^ ((b ^ c) & (d ^ c))
            xor(b, c, out=mixed)
            xor(d, c, out=scratch)
            both(mixed, scratch, out=mixed)
            xor(mixed, c, out=mixed)
        else:  # parity
            xor(b, c, out=mixed)
            xor(mixed, d, out=mixed)
        add(e, mixed, out=e)
        add(e, word, out=e)
        add(e, _ROUND[round_ // 20], out=e)
        left(a, five, out=mixed)
        add(e, mixed, out=e)
        right(a, twenty_seven, out=mixed)
        add(e, mixed, out=e)  # the two halves of a rotation share no bit: adding both adds it
        right(b, two, out=mixed)
        left(b, thirty, out=b)
        either(b, mixed, out=b)
        a, b, c, d, e = e, a, b, c, d
    return [a, b, c, d, e]
