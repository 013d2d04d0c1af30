"""The contract: record types, their JSON, and the pure functions that give a field its meaning.

What belongs here is what a validator on another machine must have in order to check our claim,
and the task messages that the control plane and the data plane both speak. Nothing here opens a
file, a socket or a clock. The format in prose: `schemas/README.md`.
"""

__version__ = "0.1.0"
