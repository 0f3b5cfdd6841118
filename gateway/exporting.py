"""All that a person may see, as a file."""

from pyoxigraph import RdfFormat, serialize

from gateway.people import Person
from memory.label import Integrity, user
from memory.store import Memory
from ontologies.vocab import PREFIXES

EXPORT_NAME = "muniment.trig"
_FORMATS = {"trig": RdfFormat.TRIG, "jsonld": RdfFormat.JSON_LD}


def exported(memory: Memory, person: Person, format_: str = "trig") -> tuple[bytes, int]:
    """Return what a person may see, as ``trig`` or ``jsonld``, and how many quads there are."""
    quads = memory.dataset(memory.spaces.clearance(user(person.id), integrity=Integrity.QUARANTINED))
    content = serialize(quads, format=_FORMATS[format_], prefixes=PREFIXES)
    assert content is not None  # it is where there is no file to write to
    return content, len(quads)
