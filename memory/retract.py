"""Retraction, inside the writer's transaction: what the plan names is closed, what it had superseded holds again."""

from memory.claim import RETRACTED
from memory.forget import Consequences
from memory.refusal import Cause
from memory.remember import Rememberer


def retract(rememberer: Rememberer, plan: Consequences) -> None:
    """Do what the plan says. Evidence stays where it is: it was said."""
    for standing in plan.versions:
        rememberer.close(standing.claim.version, RETRACTED, standing.table)
    for restored in plan.restored:
        rememberer.correct(restored.ended.claim, restored.again.claim.validity, "holds again: what replaced it was retracted")
    for row in rememberer.refusals.rows(rememberer.ids, plan.refused, Cause.RETRACTED):
        rememberer.transaction.insert(row)
