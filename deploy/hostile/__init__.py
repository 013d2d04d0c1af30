"""A server that does everything wrong, and the table of what becomes of it."""
