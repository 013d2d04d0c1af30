"""Exchange to WARC 1.1 records, and back: bytes in, bytes out.

Read in this order: `exchange_records` (which records an exchange gives), `record` (one record as
bytes), `packing` (how it lies in a file), `segment` (the file that grows on disk), `journal` and `salvage` (what is
left of it after a crash), `cdxj` (its index), `reading` (the way back).
"""
