"""What the archive is put through, and whether it is whole afterwards: killed parts, lost messages, clocks that jump,
networks that are cut. `python -m deploy.chaos --help` says what there is, `deploy/protocol.md` what must hold."""
