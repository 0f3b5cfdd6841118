"""Kinds of error -> HTTP status and exit code, in one table.

incorrect    the caller can mend it        400   exit 2
unsupported  this version cannot           501   exit 3
unavailable  something outside is missing  503   exit 4
fault        ours                          500   exit 5
"""

from memory.errors import Kind, MunimentMemoryError

HTTP: dict[Kind, int] = {"incorrect": 400, "unsupported": 501, "unavailable": 503, "fault": 500}
EXIT: dict[Kind, int] = {"incorrect": 2, "unsupported": 3, "unavailable": 4, "fault": 5}


class IncorrectRequestError(Exception):
    """A request that the caller can mend; the text says how."""

    kind: Kind = "incorrect"


class UnavailableError(Exception):
    """The process that holds the data directory does not answer."""

    kind: Kind = "unavailable"


def kind_of(error: BaseException) -> Kind:
    """Return the kind of an error; what nobody foresaw is a fault."""
    if isinstance(error, (MunimentMemoryError, IncorrectRequestError, UnavailableError)):
        return error.kind
    return "fault"
