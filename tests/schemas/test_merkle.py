"""The tree of RFC 9162: known values, and laws that hold for every tree."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.merkle import (
    EMPTY_ROOT,
    CompactTree,
    Tree,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root,
    verify_consistency,
    verify_inclusion,
)

# The eight leaves and the roots of 1..8 of them that Certificate Transparency implementations share (RFC 6962 trees).
KNOWN_LEAVES = [
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
]
KNOWN_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
HASHES = [leaf_hash(bytes.fromhex(item)) for item in KNOWN_LEAVES]
SIZES = st.integers(min_value=1, max_value=70)


def leaves(size: int) -> list[bytes]:
    return [leaf_hash(b"%d" % number) for number in range(size)]


def by_definition(hashes: list[bytes]) -> bytes:
    """MTH of RFC 9162, 2.1.1, as it is written there."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return node_hash(by_definition(hashes[:split]), by_definition(hashes[split:]))


def test_roots_are_the_known_ones() -> None:
    assert root([]) == EMPTY_ROOT == Tree().root()
    for size, known in enumerate(KNOWN_ROOTS, start=1):
        assert root(HASHES[:size]).hex() == known
        assert Tree(HASHES[:size]).root().hex() == known


def test_audit_paths_are_those_of_the_rfc_example() -> None:
    """RFC 9162, 2.1.5: the tree of seven leaves d0..d6, its inner nodes g..l, and the paths given there."""
    a, b, c, d, e, f, j = HASHES[:7]
    g, h, i = node_hash(a, b), node_hash(c, d), node_hash(e, f)
    k, left = node_hash(g, h), node_hash(i, j)
    tree = Tree(HASHES[:7])
    assert tree.root() == node_hash(k, left)
    assert tree.inclusion_proof(0) == [b, h, left]
    assert tree.inclusion_proof(3) == [c, g, left]
    assert tree.inclusion_proof(4) == [f, j, k]
    assert tree.inclusion_proof(6) == [i, k]
    assert tree.consistency_proof(3) == [c, d, g, left]
    assert tree.consistency_proof(4) == [left]
    assert tree.consistency_proof(6) == [i, j, k]


@given(SIZES)
def test_all_ways_to_a_root_agree(size: int) -> None:
    assert root(leaves(size)) == Tree(leaves(size)).root() == by_definition(leaves(size))


@given(SIZES, st.data())
def test_a_leaf_of_the_tree_is_proved(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    proof = inclusion_proof(index, leaves(size))
    assert verify_inclusion(leaves(size)[index], index, size, proof, root(leaves(size)))


@given(SIZES, st.data())
def test_nothing_else_is_proved(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    proof, top, leaf = inclusion_proof(index, leaves(size)), root(leaves(size)), leaves(size)[index]
    wrong = data.draw(st.sampled_from(["leaf", "index", "size", "root", "extra", "short", "hash", "length"]))
    if wrong == "leaf":
        assert not verify_inclusion(leaf_hash(b"other"), index, size, proof, top)
    elif wrong == "index":
        other = data.draw(st.integers(-1, size).filter(lambda number: number != index))
        assert not verify_inclusion(leaf, other, size, proof, top)
    elif wrong == "size":
        assert not verify_inclusion(leaf, index, size, proof, root(leaves(size + 1)))
    elif wrong == "root":
        assert not verify_inclusion(leaf, index, size, proof, leaf_hash(b"other"))
    elif wrong == "extra":
        assert not verify_inclusion(leaf, index, size, [*proof, top], top)
    elif wrong == "length":
        assert not verify_inclusion(leaf, index, size, [*proof[:-1], b"short"], top)
    elif proof:
        at = data.draw(st.integers(0, len(proof) - 1))
        changed = proof[:at] + ([leaf_hash(b"x")] if wrong == "hash" else []) + proof[at + 1 :]
        assert not verify_inclusion(leaf, index, size, changed, top)


@given(SIZES, st.data())
def test_an_earlier_tree_is_proved(size: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(0, size))
    proof = consistency_proof(old, leaves(size))
    assert verify_consistency(old, root(leaves(old)), size, root(leaves(size)), proof)


@given(SIZES, st.data())
def test_a_fork_is_not_proved(size: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(1, size))
    fork = root([*leaves(old)[:-1], leaf_hash(b"forked")])
    proof = consistency_proof(old, leaves(size))
    top = root(leaves(size))
    assert not verify_consistency(old, fork, size, top, proof)
    assert not verify_consistency(old, root(leaves(old)), size, leaf_hash(b"x"), proof)
    assert not verify_consistency(old, root(leaves(old)), size, top, [*proof, top])
    if proof:
        assert not verify_consistency(old, root(leaves(old)), size, top, proof[:-1])
        assert not verify_consistency(old, root(leaves(old)), size, top, [])


def test_a_log_never_shrinks() -> None:
    assert not verify_consistency(5, root(leaves(5)), 4, root(leaves(4)), [])
    assert not verify_consistency(-1, EMPTY_ROOT, 4, root(leaves(4)), [])
    assert not verify_consistency(0, leaf_hash(b"x"), 4, root(leaves(4)), [])


@given(st.lists(st.binary(max_size=4), max_size=40), st.integers(0, 40))
def test_a_compact_tree_grows_in_any_portions(data: list[bytes], cut: int) -> None:
    hashes = [leaf_hash(item) for item in data]
    grown = CompactTree().extend(hashes[:cut]).extend(hashes[cut:])
    one_by_one = CompactTree()
    for item in hashes:
        one_by_one = one_by_one.append(item)
    assert grown == one_by_one
    assert (grown.size, grown.root()) == (len(data), by_definition(hashes))
    assert CompactTree.from_hex(*grown.to_hex()) == grown


@pytest.mark.parametrize(("size", "hashes"), [(1, []), (0, ["00" * 32]), (3, ["00" * 32]), (1, ["00"]), (-1, [])])
def test_a_compact_tree_that_cannot_be_is_refused(size: int, hashes: list[str]) -> None:
    with pytest.raises(ValueError, match="hash"):
        CompactTree.from_hex(size, hashes)


@pytest.mark.parametrize(("index", "old"), [(3, 4), (-1, -1)])
def test_a_proof_outside_the_tree_is_refused(index: int, old: int) -> None:
    with pytest.raises(IndexError):
        inclusion_proof(index, leaves(3))
    with pytest.raises(IndexError):
        consistency_proof(old, leaves(3))
