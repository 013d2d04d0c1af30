"""What checking may cost. Everything that is read comes from a stranger."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes, unless the name says otherwise."""

    document: int = 64 * MIB
    text: int = 64 * MIB
    small_file: int = 1 * MIB
    """Keys, envelopes, heads, checkpoints."""
    compressed_record: int = 1024 * MIB
    record: int = 1024 * MIB
    """One decompressed WARC record; the archive's body limit is 512 MiB, so this is twice that."""
    all_records: int = 256 * 1024 * MIB
    """Decompressed records of one bundle together: a small file can name one record many times."""
    package_files: int = 64 * 1024 * MIB
    """Files that the package of a WACZ lists, unpacked, all together: entries of a ZIP can share their bytes."""
    package_resources: int = 200_000
    """How many it may list: as many as a ZIP may have entries."""
    decoded_payload: int = 1024 * MIB
    readable_payload: int = 32 * MIB
    """Up to here quotes are looked for in a payload, which needs it whole in memory."""
    memory: int = 4 * MIB
    """Temporary files stay in memory up to here."""
    piece: int = 64 * KIB
    leaves_per_manifest: int = 10_000
    copies: int = 20_000
    """Pairs of texts that are compared run by run."""
    looks_per_copy: int = 100
    """Pairs that may be looked at for each of those."""
    run_characters: int = 64 * MIB
    """Code points of texts that are cut into runs of words, to recompute the figures of cluster edges; of characters a
    fourteenth. Either takes some 600 MB."""
    zip_entries: int = 200_000
    unpacked: int = 4096 * MIB
    """An entry of a ZIP that is packed though parts of it are asked for."""
    subjects: int = 10_000
    """Files that one statement speaks of."""
    findings_per_code: int = 1_000
    """After that many of one kind the rest is counted, not listed."""


LIMITS = Limits()
