"""Payload to text and metadata: content coding, charset, main text, reader status (`README.md`, The walk of one page).

Pure, except for `sandbox`, which runs the rest of it in a child process with limits: a page is
untrusted input to large parsers, and one that kills its parser must cost only itself. Nothing here
knows where bytes come from or where text goes; that is `workers.flows.extract`.
"""
