"""What a parser may know beside the message: the turn before it."""

from dataclasses import dataclass

from memory.label import Sensitivity


@dataclass(frozen=True, slots=True)
class Before:
    """The turn before a message, and how sensitive it is."""

    text: str
    sensitivity: Sensitivity
