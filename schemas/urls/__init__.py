"""URL identity: parsing, the three identities, and the form that goes over the wire.

`parse` is the WHATWG parser (host, port, resolution) and never an identity. The identities slice the
raw string instead: `conservative` says which resource, `citation` which number a reader sees, `surt`
where to look for candidates. They are three types, never one function with flags.
"""
