"""What is done with axioms of an instance's own, in transactions: proposed, tried out, adopted and withdrawn."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyoxigraph import Triple

from memory.engine import Engine
from memory.errors import NotYoursError, UnknownThingError
from memory.forget import Approver
from memory.label import Layer
from memory.ledger import Author, Transaction
from memory.ontology import ADOPTED, WITHDRAWN, Addition, Closed, Trial, additions, close, may_become, plain, trial, with_adopted
from memory.tables import Row

if TYPE_CHECKING:
    from concurrent.futures import Future


class AxiomActs(Engine):
    """The acts on axioms; a part of ``Memory``."""

    def propose_axioms(self, turtle: str, person: str) -> "Future[str]":
        """Keep axioms that somebody proposes; resolves to their id. Nothing follows from them until the owner adopts them.

        Raises ``IncorrectTextError`` for what is no Turtle of the vocabulary's shape.
        """
        kept = plain(turtle)
        id_ = self.ids()

        def write(tx: Transaction) -> str:
            tx.insert(Row("axioms", {"id": id_, "person": person, "turtle": kept}))
            return id_

        return self._write(Author(person, person, "axioms"), write)

    def additions(self) -> list[Addition]:
        """Return all axioms that were proposed, with what became of them."""
        with self.reading() as reads:
            return additions(reads.execute)

    def try_axioms(self, id_: str, person: str) -> Trial:
        """Return what adopting an addition would do, or withdrawing one that is adopted, as far as somebody may see."""
        _, closed = self._closed_with(id_)
        with self._gate.reading():
            present = [(quad.triple, label) for layer, label, quad in self._graph.quads() if layer is Layer.INFERRED]
        return trial(closed, self.spaces, present, self.vocabulary, person)

    def exchange_axioms(self, id_: str, kind: str, approver: Approver, rows: Sequence[Row] = ()) -> "Future[str]":
        """Let an addition be ``adopted`` or ``withdrawn``; resolves to what it is then. Raises where it is that already.

        All that is known is closed anew in the calling thread, while others read and write; then it changes for all at once.
        """
        if not approver.is_owner:
            message = "Only the owner decides about words and axioms. Nothing was changed."
            raise NotYoursError(message)
        may_become(self.addition(id_), kind)
        triples, closed = self._closed_with(id_)

        def write(tx: Transaction) -> str:
            tx.insert(Row("axioms_event", {"axioms": id_, "kind": kind}))
            self._reclose(tx, triples, closed)
            for row in rows:
                tx.insert(row)
            return kind

        return self._write_alone(Author(approver.person, approver.person, "axioms"), write)

    def addition(self, id_: str) -> Addition:
        """Return proposed axioms by their id; raise ``UnknownThingError`` where there are none."""
        found = [addition for addition in self.additions() if addition.id == id_]
        if not found:
            message = "There are no such axioms. Nothing was changed; `muniment ontology list` shows what there is."
            raise UnknownThingError(message)
        return found[0]

    def _closed_with(self, id_: str) -> tuple[tuple[Triple, ...], Closed]:
        """Return the ontology in which an addition is adopted, or withdrawn where it is, and the graph closed under it."""
        chosen = self.addition(id_)
        state = WITHDRAWN if chosen.state == ADOPTED else ADOPTED
        found = [replace(a, state=state) if a.id == id_ else a for a in self.additions()]
        triples = with_adopted(self._shipped, found)
        with self._gate.reading():
            quads = [(layer, label, quad) for layer, label, quad in self._graph.quads() if layer is Layer.FACTS]
        return triples, close(triples, self.spaces, quads)
