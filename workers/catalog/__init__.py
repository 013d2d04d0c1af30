"""What has been captured and extracted: look-ups over receipts and snapshot lines.

Nothing here is a truth of its own. Receipts and snapshot files say where records lie and what was
found; this package knows how to read those (pure), and which keys in Redis make them quick to find.
"""
