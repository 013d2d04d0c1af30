"""Fetching over HTTP/1.1: aiohttp's connections, our own reading of what comes over them."""
