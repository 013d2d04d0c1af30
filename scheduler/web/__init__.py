"""The web process: an API under `/api/v1`, pages for people, `/metrics`, `/healthz` and `/readyz`.

It changes nothing and proves nothing: what it shows is what the archive's own records say, and the pages
say so. It comes up, and answers, while Redis or S3 are away.
"""
