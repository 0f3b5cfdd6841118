"""What can go wrong in memory.

    MunimentMemoryError
    ├── IncorrectLabelError     incorrect    a space, label or graph name that is none
    ├── IncorrectTextError      incorrect    text that cannot be kept: too long, or with characters no store can hold
    ├── UnknownThingError       incorrect    an id that names nothing the caller may see
    ├── AlreadyRecordedError    incorrect    a row that may exist once, a second time
    ├── ChangedSinceShownError  incorrect    an approval of a list that is no longer the one that was shown
    ├── IncorrectBackupError    incorrect    a file that is no whole backup, or a kit that does not open it
    ├── IncorrectChoiceError    incorrect    a decision about something that cannot be decided so
    ├── NotYoursError           incorrect    an act on what somebody else decides about
    ├── RefusedQueryError       incorrect    a query that may not be asked; it names what to write instead
    ├── QueryLimitError         incorrect    a query that was ended, since it took more than a query may
    ├── UnfinishedErasureError  unavailable  an erasure whose search still finds something, or whose files are in use
    ├── SandboxError            unavailable  a query cannot be run here as safely as it has to be
    ├── DataInUseError          unavailable  another process holds the data directory
    ├── StorageUnavailableError unavailable  disk full, read-only, or not permitted
    ├── ForeignDataError        unsupported  a ledger that is not Muniment's, or of a newer version
    └── DamagedLedgerError      fault        the ledger does not read or does not verify

Refusals are not errors: admission returns them as values.
"""

from typing import ClassVar, Literal

Kind = Literal["incorrect", "unsupported", "unavailable", "fault"]


class MunimentMemoryError(Exception):
    """Root of memory's errors; the text says what happened, what was kept and what to do."""

    kind: ClassVar[Kind] = "fault"


class IncorrectLabelError(MunimentMemoryError):
    """A space, label or graph name that is none."""

    kind = "incorrect"


class IncorrectTextError(MunimentMemoryError):
    """Text that cannot be kept."""

    kind = "incorrect"


class UnknownThingError(MunimentMemoryError):
    """An id that names nothing the caller may see."""

    kind = "incorrect"


class AlreadyRecordedError(MunimentMemoryError):
    """A row that may exist once, a second time."""

    kind = "incorrect"


class ChangedSinceShownError(MunimentMemoryError):
    """An approval of a list that is no longer the one that was shown."""

    kind = "incorrect"


class IncorrectBackupError(MunimentMemoryError):
    """A file that is no whole backup, a kit that does not open it, or a folder that is not empty."""

    kind = "incorrect"


class IncorrectChoiceError(MunimentMemoryError):
    """A decision about something that cannot be decided so."""

    kind = "incorrect"


class NotYoursError(MunimentMemoryError):
    """An act on what somebody else decides about."""

    kind = "incorrect"


class RefusedQueryError(MunimentMemoryError):
    """A query that may not be asked."""

    kind = "incorrect"


class QueryLimitError(MunimentMemoryError):
    """A query that was ended, since it took more time, memory or room than a query may."""

    kind = "incorrect"


class UnfinishedErasureError(MunimentMemoryError):
    """An erasure whose search still finds something, or whose files are in use."""

    kind = "unavailable"


class SandboxError(MunimentMemoryError):
    """A query cannot be run here as safely as it has to be."""

    kind = "unavailable"


class DataInUseError(MunimentMemoryError):
    """Another process holds the data directory."""

    kind = "unavailable"


class StorageUnavailableError(MunimentMemoryError):
    """The disk is full, read-only or not permitted."""

    kind = "unavailable"


class ForeignDataError(MunimentMemoryError):
    """A ledger that is not Muniment's, or of a newer version."""

    kind = "unsupported"


class DamagedLedgerError(MunimentMemoryError):
    """The ledger does not read or does not verify."""

    kind = "fault"
