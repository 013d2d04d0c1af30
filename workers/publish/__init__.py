"""The signed log and the bundle: pure functions over records and bytes (RFC 9162, DSSE)."""
