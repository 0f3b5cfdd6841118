"""Where what goes stands in texts: its evidence, the same words said again, its values, and the replies that told of it.

What a claim that stays rests on is never touched, whatever it has in common with what goes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode

from memory.claim import NAMED_BY_MENTION, SourceKind, Span
from memory.label import Clearance, Space, user
from memory.read import Reads
from memory.redact import first_look, occurrences, surface_forms, without
from memory.rows import Cited, Standing

_SHORTEST_QUOTE = 8
_SPOKEN_TO = ("you", "your", "yours", "i", "my", "me")


@dataclass(frozen=True, slots=True)
class Values:
    """Writings of values: ``gone`` are those that nothing else holds, ``held`` those that something else holds too."""

    gone: frozenset[str]
    held: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found:
    """Where what goes stands.

    ``cited`` is its evidence, ``mentions`` the evidence inside it of names that other words give as well. ``stretches`` are the
    words to blank by source, ``replies`` those of the sources that are the assistant's. ``beyond`` are words of replies that
    the approver may not see, which told of it to others.
    """

    cited: tuple[Cited, ...]
    mentions: tuple[Cited, ...]
    stretches: Mapping[str, tuple[Span, ...]]
    replies: frozenset[str]
    beyond: Mapping[str, tuple[Span, ...]]
    quotes: tuple[str, ...]


@dataclass(slots=True)
class Traces:
    """The search for one person: what they may see, and the person's own entity and space."""

    reads: Reads
    seen: Clearance
    person: str
    me: NamedNode
    going: Sequence[Standing]
    sources: Sequence[str] = ()
    whole: bool = False
    _stretches: dict[str, set[Span]] = field(default_factory=lambda: defaultdict(set))
    _replies: set[str] = field(default_factory=set[str])
    _kept: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])

    def find(self, values: Values, reach: Iterable[Space]) -> Found:
        """Return where it all stands."""
        self._stretches.clear()
        cited = [c for c in self.reads.cited(claims=sorted(self._ids)) if self._is_seen(c.source)]
        mentions = self._mentions(cited)
        left = frozenset(mentions)
        self._kept = {}
        for source in {c.source for c in cited} | set(self.sources):
            self._keep(source, left)
        quotes = self._evidence(cited, values)
        self._search(values, quotes, reach)
        beyond = self._told(cited, values)
        stretches = {source: tuple(without(spans, ())) for source, spans in self._stretches.items() if spans}
        long = {span.of(self.reads.body(source)).strip() for source, spans in stretches.items() for span in spans}
        return Found(
            tuple(cited),
            tuple(mentions),
            stretches,
            frozenset(self._replies & stretches.keys()),
            beyond,
            tuple(sorted(long - {""})),
        )

    @property
    def _ids(self) -> set[str]:
        return {standing.claim.id for standing in self.going}

    def _is_seen(self, source: str) -> bool:
        return self.reads.label_of(source) in self.seen

    def _mentions(self, cited: Iterable[Cited]) -> list[Cited]:
        """Return the mentions of names inside what goes, of names that other words give as well."""
        spans: dict[str, set[Span]] = defaultdict(set)
        for piece in cited:
            spans[piece.source].add(piece.span)
        ids = self._ids

        def is_inside(piece: Cited) -> bool:
            return any(piece.span.within(span) for span in spans[piece.source])

        inside = [c for source in list(spans) for c in self.reads.cited(source=source) if c.claim not in ids and is_inside(c)]
        naming = self.reads.naming
        names = {
            s.claim.id
            for s in self.reads.standing(self.seen, claims=sorted({c.claim for c in inside}))
            if s.claim.predicate in naming and s.claim.wording == NAMED_BY_MENTION
        }
        live = {name: [c for c in self.reads.cited(claims=[name]) if c.withdrawing_entry is None] for name in names}
        names = {name for name in names if not all(map(is_inside, live[name]))}
        return [piece for piece in inside if piece.claim in names]

    def _keep(self, source: str, left: frozenset[Cited] = frozenset()) -> list[Span]:
        """Return the spans of a source that claims which stay rest on."""
        if source not in self._kept:
            ids = self._ids
            others = (c for c in self.reads.cited(source=source) if c.claim not in ids and c.withdrawing_entry is None)
            self._kept[source] = [] if source in self.sources else [c.span for c in others if c not in left]
        return self._kept[source]

    def _evidence(self, cited: Iterable[Cited], values: Values) -> set[str]:
        """Blank the evidence but for what claims that stay rest on, and there the values that are its own; return its words."""
        spans: dict[str, set[Span]] = defaultdict(set)
        for piece in cited:
            spans[piece.source].add(piece.span)
        for source in self.sources:
            spans[source].add(Span(0, len(self.reads.body(source))))
        quotes: set[str] = set()
        for source, mine in spans.items():
            body, kept = self.reads.body(source), self._keep(source)
            self._stretches[source] |= set(without(mine, kept))
            quotes |= {quote for span in mine if len(quote := span.of(body).strip()) >= _SHORTEST_QUOTE}
            shared = [span for span in mine if any(span.start < other.end and other.start < span.end for other in kept)]
            if shared:
                own = (values.gone | values.held) - self._spoken_in(source)
                found = {s for value in own for s in occurrences(body, value) if any(s.within(span) for span in shared)}
                self._stretches[source] |= found
        return set() if self.sources or self.whole else quotes

    def _spoken_in(self, source: str) -> frozenset[str]:
        """Return the writings of what the claims that stay speak of in a source."""
        ids = self._ids
        claims = sorted({c.claim for c in self.reads.cited(source=source)} - ids)
        terms = {t for s in self.reads.standing(self.seen, claims=claims) for t in (s.claim.subject, s.claim.object)}
        written = (surface_forms(t) if isinstance(t, Literal) else self.reads.all_names(self.seen, t) for t in terms)
        return frozenset(form for forms in written for form in forms)

    def _search(self, values: Values, quotes: Iterable[str], reach: Iterable[Space]) -> None:
        """Blank, in the texts of the spaces, values that are gone, the same words said again, and what tells a held value."""
        subjects = {name for s in self.going for name in self.reads.all_names(self.seen, s.claim.subject)}
        if any(standing.claim.subject == self.me for standing in self.going):
            subjects |= {*_SPOKEN_TO}
        wanted = {text: first_look(text) for text in (*values.gone, *values.held, *quotes)}
        for source, kind, space, body in self.reads.texts(self.seen, reach):
            found: set[Span] = set()
            if self.whole and space == user(self.person):
                found.add(Span(0, len(body)))
            else:
                look = first_look(body)
                for text in (text for text, quick in wanted.items() if quick in look):
                    held = text in values.held
                    found |= _told_of(body, text, subjects) if held else set(occurrences(body, text))
            if found:
                self._blank(source, found)
                self._replies |= {source} if kind is SourceKind.ASSISTANT else set()

    def _blank(self, source: str, spans: Iterable[Span]) -> None:
        self._stretches[source] |= set(without(spans, self._keep(source)))

    def _told(self, cited: Iterable[Cited], values: Values) -> dict[str, tuple[Span, ...]]:
        """Blank the values in the replies that told of it, or all of one that told it in other words; return those not seen."""
        beyond: dict[str, tuple[Span, ...]] = {}
        told = [*sorted(self._ids), *(c.source for c in cited), *self.sources]
        for source in self.reads.told(told):
            body = self.reads.body(source)
            spans = {span for value in (*values.gone, *values.held) for span in occurrences(body, value)}
            if self._is_seen(source):
                if not spans and not self._stretches[source]:
                    spans = {Span(0, len(body))}
                self._stretches[source] |= spans
                self._replies.add(source)
            else:
                beyond[source] = tuple(without(spans or [Span(0, len(body))], ()))
        return beyond


def _told_of(body: str, value: str, subjects: set[str]) -> set[Span]:
    """Return where a text tells a value of one of the subjects, line by line."""
    return {
        Span(at + span.start, at + span.end)
        for at, line in _lines(body)
        for span in occurrences(line, value)
        if any(occurrences(line, name) for name in subjects)
    }


def _lines(body: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in body.splitlines(keepends=True):
        yield at, line
        at += len(line)
