"""botocore's exceptions in our words: may the caller try again, and what should a person do?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from botocore import exceptions
from urllib3.exceptions import HTTPError as TransportError

from workers.errors import (
    CitevaultError,
    CorruptError,
    ObjectMissingError,
    PermanentError,
    RetryableError,
    UploadLostError,
)

MISSING = frozenset({"404", "NoSuchKey", "NotFound"})
LOST_RACE = frozenset({"412", "PreconditionFailed"})
CONFLICT = frozenset({"409", "ConditionalRequestConflict", "OperationAborted", "Conflict"})
BEYOND_END = frozenset({"416", "InvalidRange"})
REFUSED = frozenset({"403", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken",
                     "InvalidToken", "401"})  # fmt: skip
NAMELESS = "403"
"""What the answer to a HEAD is called, which has no body that could name its reason."""
SKEWED_SECONDS = 14 * 60.0
"""S3 refuses requests that are 15 minutes off; the clock of an answer is told to a second."""
BUSY = frozenset({"SlowDown", "Throttling", "ThrottlingException", "RequestTimeout", "InternalError", "BadDigest",
                  "ServiceUnavailable", "XAmzContentSHA256Mismatch", "IncompleteBody", "429"})  # fmt: skip


class LostRaceError(PermanentError):
    """412: the condition did not hold. `retried` tells whether an earlier try of ours may be what it met."""

    retried = False


class ConflictError(RetryableError):
    """409: another conditional request on this key was running at the same time."""


@contextmanager
def s3_errors(where: str) -> Iterator[None]:
    """Foreign exceptions of the block become ours; `where` is the address without credentials."""
    try:
        yield
    except (exceptions.ClientError, exceptions.BotoCoreError, TransportError, OSError) as foreign:
        raise translated(foreign, where) from foreign


def code_of(error: exceptions.ClientError) -> str:
    """S3's name for the error; for a HEAD, which has no body, the HTTP status."""
    return str(error.response.get("Error", {}).get("Code", ""))


def translated(foreign: BaseException, where: str) -> CitevaultError:
    """The error that says what the caller may do about a foreign one."""
    if isinstance(foreign, exceptions.ClientError):
        return _answered(foreign, where)
    if isinstance(foreign, exceptions.NoCredentialsError | exceptions.PartialCredentialsError):
        return PermanentError(
            "no S3 credentials", where=where, next_step="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    if isinstance(foreign, exceptions.ReadTimeoutError | exceptions.ConnectTimeoutError | TimeoutError):
        return RetryableError("S3 did not answer in time", where=where, next_step="try again")
    if isinstance(foreign, exceptions.EndpointConnectionError | exceptions.ConnectionError):
        return RetryableError(
            f"no connection to S3 ({_short(foreign)})",
            where=where,
            next_step="start it with `citevault up`, or correct CITEVAULT_S3_ENDPOINT",
        )
    if isinstance(foreign, exceptions.SSLError):
        return PermanentError(f"S3's certificate is not accepted ({_short(foreign)})", where=where)
    if isinstance(foreign, exceptions.ParamValidationError):
        return PermanentError(f"S3 would not take this request: {_short(foreign)}", where=where)
    if isinstance(foreign, FileNotFoundError | PermissionError | IsADirectoryError):
        return PermanentError(f"the file to store cannot be read ({_short(foreign)})", where=where)
    return RetryableError(f"the exchange with S3 broke off ({_short(foreign)})", where=where, next_step="try again")


def _answered(error: exceptions.ClientError, where: str) -> CitevaultError:
    code = code_of(error)
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code == "RequestTimeTooSkewed" or (code == NAMELESS and abs(_ahead_seconds(error) or 0) > SKEWED_SECONDS):
        return RetryableError(_skew(error), where=where, next_step="set this machine's clock (NTP), then try again")
    if code == "NoSuchBucket":
        return PermanentError(
            "the bucket does not exist", where=where, next_step="create it, or correct CITEVAULT_S3_BUCKET"
        )
    if code == "NoSuchUpload":
        return UploadLostError("the multipart upload is gone", where=where, next_step="upload again from the start")
    if code in LOST_RACE:
        lost = LostRaceError("the object is there already, or another than expected", where=where)
        lost.retried = error.response.get("ResponseMetadata", {}).get("RetryAttempts", 0) > 0
        return lost
    if code in CONFLICT:
        return ConflictError("another write on this key was running", where=where, next_step="try again")
    if code in BEYOND_END:
        return CorruptError("the object ends before the range that was asked for", where=where)
    if code in MISSING:
        return ObjectMissingError("no such object", where=where)
    if code in REFUSED:
        return PermanentError(
            f"S3 refuses these credentials ({code})",
            where=where,
            next_step="correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or what they may do on this bucket",
        )
    if code in BUSY or status >= 500 or status == 429:
        return RetryableError(f"S3 answered {status} {code}", where=where, next_step="try again")
    return PermanentError(f"S3 answered {status} {code}: {_short(error)}", where=where)


def _skew(error: exceptions.ClientError) -> str:
    """How far this machine's clock is off, where the answer tells S3's time."""
    ahead = _ahead_seconds(error)
    if ahead is None:
        return "this machine's clock and S3's differ too much"
    direction = "ahead of" if ahead > 0 else "behind"
    return f"this machine's clock is {abs(ahead):.0f} s {direction} S3's"


def _ahead_seconds(error: exceptions.ClientError) -> float | None:
    """Of this machine's clock; None where the answer does not tell S3's time."""
    stated = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("date", "")
    try:
        return (datetime.now(UTC) - parsedate_to_datetime(stated)).total_seconds()
    except (ValueError, TypeError):
        return None


def _short(foreign: BaseException) -> str:
    return (str(foreign).splitlines() or [type(foreign).__name__])[0][:200]
