"""Kinds of error -> exit codes, in one table.

incorrect    the caller can mend it        exit 2
unsupported  this version cannot           exit 3
unavailable  something outside is missing  exit 4
fault        ours                          exit 5
"""

from memory.errors import Kind, MunimentMemoryError

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
