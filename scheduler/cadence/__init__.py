"""When a page is visited again, and what a visit found: pure decisions, which take the time as an argument."""
