"""Exchange to WARC 1.1 records, and back: bytes in, bytes out.

Read in this order: `exchange_records` (which records an exchange gives), `record` (one record as
bytes), `gzip_member`, `segment` (the file that grows on disk), `cdxj` (its index), `reading` (the way back).
"""
