"""The look at a query's text before any parser sees it: short, flat, and of plain characters.

A parser that recurses is only given what nests little, so that no text can exhaust the process. What this reads differently
from the parser changes only how deep a text seems: the query that runs is written anew by ``memory.guard``.
"""

import re
import unicodedata

from memory.errors import RefusedQueryError

LONGEST = 6_000
"""Characters of a query."""

MOST_TOKENS = 400
DEEPEST = 12
"""Brackets, braces and parentheses inside one another."""

_TOKEN = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r"|(?P<iri><[^<>\"{}|^`\\\s]*>)"
    r"|(?P<text>\"\"\"(?:\"{0,2}(?:[^\"\\]|\\.))*\"\"\"|'''(?:'{0,2}(?:[^'\\]|\\.))*'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<word>(?:[\w:@?$%-]|\\.)+)"
    r"|(?P<sign>\S)",
    re.DOTALL,
)
_ELSEWHERE = {
    "SERVICE": "SERVICE asks another server",
    "LOAD": "LOAD changes data",
    "INSERT": "INSERT changes data",
    "DELETE": "DELETE changes data",
    "CLEAR": "CLEAR changes data",
    "DROP": "DROP changes data",
    "CREATE": "CREATE changes data",
    "COPY": "COPY changes data",
    "MOVE": "MOVE changes data",
    "ADD": "ADD changes data",
    "FROM": "FROM chooses graphs, which your clearance does",
    "LATERAL": "LATERAL is no SPARQL 1.1; write a subquery",
    "BASE": "BASE is not needed; write IRIs in full or with a prefix",
}
_NO_TRIPLE_TERMS = "triple terms are no SPARQL 1.1; claims are in the graphs urn:muniment:claims:..."


def preflight(text: str) -> str:
    """Return a text as the parser takes it; raise ``RefusedQueryError``, which names what to change, for others."""
    text = text.replace("\r\n", "\n")
    if not text.strip():
        raise refusal("it is empty")
    if len(text) > LONGEST:
        raise refusal(f"it has {len(text):,} characters, at most {LONGEST:,} are read")
    for at, character in enumerate(text):
        if character not in "\n\t\u200c\u200d" and unicodedata.category(character) in {"Cc", "Cs", "Cf", "Zl", "Zp"}:
            name = unicodedata.name(character, f"U+{ord(character):04X}")
            raise refusal(f"it has a character that is not shown, {name} at {at}; end lines with a line feed")
    escape = re.search(r"\\[uU][0-9A-Fa-f]{4}", text)
    if escape:
        raise refusal(f"it has a codepoint escape at {escape.start()}; write the character itself")
    _weigh(text)
    why = elsewhere(text)
    if why:
        raise refusal(why)
    return _TOKEN.sub(lambda found: _unescaped(found[0]) if found["text"] else found[0], text)


def _unescaped(string: str) -> str:
    """Return a string without the escapes of the other quote, which the parser does not know."""
    other = "'" if string[0] == '"' else '"'
    return re.sub(r"\\(.)", lambda found: other if found[1] == other else found[0], string, flags=re.DOTALL)


def refusal(why: str) -> RefusedQueryError:
    """Return the error for a query that is not run."""
    return RefusedQueryError(f"The query was not run: {why}.")


def words(text: str) -> set[str]:
    """Return the words of a query outside its strings, IRIs and comments, in capitals."""
    return {found["word"].upper() for found in _TOKEN.finditer(text) if found["word"]}


def elsewhere(text: str) -> str:
    """Return why a query cannot be asked here whose words are known and not allowed; empty where there is none."""
    if "<<" in text:
        return _NO_TRIPLE_TERMS
    found = words(text)
    return next((why for word, why in _ELSEWHERE.items() if word in found), "")


def _weigh(text: str) -> None:
    depth = deepest = tokens = 0
    for found in _TOKEN.finditer(text):
        if found["comment"] or found["text"]:
            tokens += 1
            continue
        tokens += 1
        inner = 0
        for character in found.group():  # what looks like an IRI may be two comparisons around brackets
            if character in "([{":
                depth, inner = depth + 1, inner + 1
                deepest = max(deepest, depth)
            elif character in ")]}":
                depth, inner = depth - 1, inner - 1
        if found["iri"] and inner:
            raise refusal("an IRI in it has brackets that do not match; write them as %28 and %29")
        if depth < 0:
            raise refusal("it closes a bracket that it did not open")
    if deepest > DEEPEST:
        raise refusal(f"it nests {deepest} deep, at most {DEEPEST} levels are read; take it apart")
    if tokens > MOST_TOKENS:
        raise refusal(f"it has {tokens:,} words and signs, at most {MOST_TOKENS} are read; take it apart")
