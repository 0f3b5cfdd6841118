"""Claims in words: subject, verb or noun, object."""

from memory.vocabulary import Property

YOU = "you"
_IRREGULAR = {"is": "are", "has": "have", "was": "were", "can": "can", "must": "must", "does": "do"}


def sentence(property_: Property, subject: str, object_: str) -> str:
    """Return a statement in words without a full stop; a subject or object ``you`` is spoken to."""
    if property_.noun is not None:
        return f"{possessive(subject)} {property_.noun} is {object_}"
    verb = property_.verb or property_.label
    return f"{_start(subject)} {second_person(verb) if subject == YOU else verb} {object_}"


def possessive(name: str) -> str:
    """Return ``your`` for you, and the name with an apostrophe otherwise."""
    if name == YOU:
        return "Your"
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def second_person(verb: str) -> str:
    """Return the words of a third-person verb as they are said to somebody: ``lives in`` -> ``live in``."""
    head, _, rest = verb.partition(" ")
    if head in _IRREGULAR:
        head = _IRREGULAR[head]
    elif head.endswith("ies"):
        head = f"{head[:-3]}y"
    elif head.endswith(("ches", "shes", "sses", "xes")):
        head = head[:-2]
    elif head.endswith("s"):
        head = head[:-1]
    return f"{head} {rest}".strip()


def _start(name: str) -> str:
    return "You" if name == YOU else name
