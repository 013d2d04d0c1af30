"""What the archive is put through, and whether it is whole afterwards: killed parts, lost messages, clocks that jump,
networks that are cut. `python -m deploy.chaos` says what there is; `schemas/README.md`, section *Leases and commits*,
says what must hold."""
