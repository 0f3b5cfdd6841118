"""Files as plain text, and text in passages. Text, Markdown and HTML; everything that a reader would not see is left out.

HTML comments, scripts, styles, hidden elements and alternative texts are nobody's words: they reach no parser.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path, PurePath

from gateway.errors import IncorrectRequestError

LARGEST = 5_000_000
"""Bytes of one file."""

SUFFIXES = {".txt": "text", ".text": "text", ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html"}
_LONGEST_PASSAGE = 1_200
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "caption",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "td",
        "th",
        "tr",
        "ul",
    ]
)
_UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "svg", "iframe", "object", "title"})
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
_PARAGRAPH = re.compile(r"[^\n].*?(?=\n\s*\n|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?]\s+|\n")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage of a text: where it begins, in code points, and its words."""

    start: int
    words: str


def read_file(path: Path) -> str:
    """Return the plain text of a file; raise ``IncorrectRequestError`` for one that cannot be read so."""
    try:
        if path.stat().st_size > LARGEST:
            message = f"{path.name} is larger than {LARGEST // 1_000_000} MB. Nothing was stored; cut it into parts."
            raise IncorrectRequestError(message)
        content = path.read_bytes()
    except OSError as error:
        message = f"{path.name} cannot be read ({error}). Nothing was stored."
        raise IncorrectRequestError(message) from error
    return decoded(path.name, content)


def decoded(name: str, content: bytes) -> str:
    """Return the plain text of a file's bytes; raise ``IncorrectRequestError`` where they cannot be read so."""
    kind = SUFFIXES.get(PurePath(name).suffix.casefold())
    if kind is None:
        message = f"{name} is no text, Markdown or HTML ({', '.join(SUFFIXES)}). Nothing was stored."
        raise IncorrectRequestError(message)
    try:
        return plain(content.decode("utf-8-sig"), kind)
    except UnicodeDecodeError as error:
        message = f"{name} cannot be read ({error}). Nothing was stored."
        raise IncorrectRequestError(message) from error


def plain(text: str, kind: str) -> str:
    """Return a ``text``, ``markdown`` or ``html`` as its reader sees it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    if kind == "markdown":
        from markdown_it import MarkdownIt

        text = MarkdownIt("commonmark").render(text)
    if kind == "text":
        return text
    seen = _Seen()
    seen.feed(text)
    seen.close()
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]*\n[ \t]*", "\n", "".join(seen.pieces))).strip()


def pieces(text: str) -> Iterator[Piece]:
    """Yield a text in passages: its paragraphs, long ones cut at the ends of sentences."""
    for found in _PARAGRAPH.finditer(text):
        start, end = found.span()
        while start < end:
            cut = min(end, start + _LONGEST_PASSAGE)
            if cut < end:
                stops = [stop.end() for stop in _SENTENCE_END.finditer(text, start, cut)]
                cut = stops[-1] if stops else cut
            words = text[start:cut].rstrip()
            if words.strip():
                lead = len(words) - len(words.lstrip())
                yield Piece(start + lead, words.lstrip())
            start = cut


class _Seen(HTMLParser):
    """Collects the text that a reader of a page sees."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":  # ends a head without an end tag
            self._hidden.clear()
        if tag in _BLOCKS and self._hidden[-1:] == ["p"]:  # a paragraph ends where another block begins
            self._hidden.pop()
        if tag in _BLOCKS:
            self.pieces.append("\n" if tag == "br" else "\n\n")
        given = dict(attrs)
        style = (given.get("style") or "").replace(" ", "").casefold()
        hidden = tag in _UNSEEN or "hidden" in given or "display:none" in style or "visibility:hidden" in style
        if tag not in _VOID and (self._hidden or hidden):
            self._hidden.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                continue
        if tag in _BLOCKS:
            self.pieces.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(re.sub(r"\s+", " ", data))
