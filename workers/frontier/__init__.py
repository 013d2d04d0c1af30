"""The lease protocol that both planes speak: what is stored in Redis, and the scripts that change it.

**State of one URL of a job.** It is in exactly one of two hashes: `open` (digest to what is to be
fetched) or `done` (digest to outcome). What is known is both together; a job is complete when its
intake is closed and `open` is empty. Nothing is counted up or down for that, so no lost or doubled
call can make a job end early or never (deploy/protocol.md, Order of writes).

**Where an open URL waits.** In the list of its host within its job, in one batch, or, where it got no
answer and is tried again, in the sorted set `later`, scored by when that is due; the wake moves it
into the list of its host. Should all lose it, it is still in `open`; should a list hold what is done
already, the release skips it.

**State of one host.** Free, or `busy` in exactly one batch, over all jobs; `pace` says when it may be
asked again. That is a score in a sorted set, never a delayed task. Who needs a host that its batch does
not have takes a permit for one request: it is refused while another batch or permit has the host and
while it is at rest, the release passes over hosts under permit (and is the next to get them: `wanted`,
so that no host is kept from its batch for ever), and it ends by itself. A batch may take
permits on its own hosts too, since it gives them back one by one while redirects still lead there.

**State of one address.** A sorted set of the few that are served there just now, each with its end: of the
lease while a request runs, of the rest after it.

**State of one batch.** released -> leased -> done, or back from leased to released when its lease
runs out; it keeps its id on every turn. Each claim takes the next token. What the holder of an
older token says of the batch is ignored.

**Epoch.** Every script compares the epoch key first, so a Redis that was emptied or replaced answers
with an error and never with "no work".

Invariants, checked by a state machine in the tests: `open` and `done` share no URL; an open URL is in
one queue, in one batch, or in `later`; a busy host belongs to a batch that is not done; a host has
one permit at most, and none that began within another batch's time or its rest; tokens only grow.
Those of the whole way, from a job to its last receipt, are in `deploy/protocol.md`.

Times are milliseconds since 1970, given by the caller. Processes on several machines must agree on
them to within a few seconds, far less than a lease.
"""
