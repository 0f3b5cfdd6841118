"""The persona: a Turtle file in the data directory, seeded once, the owner's to edit."""

from pathlib import Path

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from bootstrap.settings import SettingsError

FILE = "persona.ttl"
SEED = Path(__file__).with_name(FILE)
_NAME = NamedNode("https://schema.org/name")
_DESCRIPTION = NamedNode("https://schema.org/description")
_LONGEST = 4_000


def persona(data: Path) -> str:
    """Return the persona of a data directory in words, as a model's prompt begins; the seed's where it has none.

    Raises ``SettingsError`` for a file that does not read, has no name, or is longer than a prompt should be.
    """
    path = data / FILE
    if not path.exists():
        path = SEED
    try:
        triples = list(parse(path.read_bytes(), RdfFormat.TURTLE))
    except (OSError, SyntaxError, ValueError) as error:
        message = f"{path} is not Turtle: {error}. Nothing was changed; mend the file or delete it to start from the default."
        raise SettingsError(message) from error
    told = [(t.predicate, t.object.value) for t in triples if isinstance(t.object, Literal)]
    names = [text for predicate, text in told if predicate == _NAME]
    lines = [text for predicate, text in told if predicate == _DESCRIPTION]
    text = "\n".join([f"You are {names[0]}." if names else "", *lines])
    if len(names) != 1 or len(text) > _LONGEST:
        message = f"{path} needs one schema:name and at most {_LONGEST:,} characters in all. Nothing was changed; mend the file."
        raise SettingsError(message)
    return text
