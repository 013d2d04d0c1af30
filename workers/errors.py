"""Three roots, named for the caller's next move. Foreign exceptions are translated in the adapter."""

from __future__ import annotations


class CitevaultError(Exception):
    """Says what went wrong, where, and what to do next."""

    def __init__(self, what: str, *, where: str = "", next_step: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.next_step = next_step

    def __str__(self) -> str:
        parts = [self.what]
        if self.where:
            parts.append(f"at {self.where}")
        if self.next_step:
            parts.append(f"next: {self.next_step}")
        return "; ".join(parts)


class RetryableError(CitevaultError):
    """The same call may succeed later: a refused connection, a 5xx, a timeout."""


class UnkeptError(RetryableError):
    """A disk of this machine cannot keep what was captured, or is to keep it."""


class NotYetError(RetryableError):
    """What another part has yet to write is not there; nothing is wrong with the stores."""


class PermanentError(CitevaultError):
    """The same call will fail again: bad credentials, a missing object, bad input."""


class UnsafeStoreError(PermanentError):
    """The store lets a second conditional write win: two workers could both commit. Nothing may be written to it."""


class QuestionError(PermanentError):
    """An endpoint will not answer this question as it is asked; another it may."""


class CorruptError(CitevaultError):
    """Stored bytes are not what was written: stop and alert, never retry into success."""


class ObjectMissingError(PermanentError):
    """No object under this key."""


class UploadLostError(RetryableError):
    """An upload in parts that cannot be gone on with: it was aborted or completed, or holds other parts than were sent.
    The same object can go up anew."""


class EpochError(PermanentError):
    """The frontier's epoch is missing or another: its state is not to be trusted, and this is never "no work"."""


class FencedError(PermanentError):
    """Another worker committed this part with other bytes: drop the file and the batch."""


def root_of(error: CitevaultError) -> str:
    """Which of the three roots an error is of, as metrics and logs name it."""
    if isinstance(error, CorruptError):
        return "corrupt"
    return "retryable" if isinstance(error, RetryableError) else "permanent"
