"""What the product promises, as data: each requirement with its source, and a gap where it is not met yet.

A test names the requirements that it shows with ``@pytest.mark.requirement``. ``tests/conformance/test_requirements.py`` fails
where a requirement without a gap has no test, where a test names none, and where a requirement with a gap has a test.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Requirement:
    """A promised behaviour. ``gap`` says what is missing, and is empty where nothing is."""

    id: str
    text: str
    source: str
    gap: str = ""


REQUIREMENTS = (
    Requirement("I1", "Every fact has a live claim, and every claim has evidence whose words support it.", "design 3"),
    Requirement("I2", "No read returns anything outside the reader's clearance.", "design 3"),
    Requirement("I3", "A refused value never returns without a person's word.", "design 3"),
    Requirement("I4", "After erasure the value is found nowhere.", "design 3"),
    Requirement(
        "I5", "Killed at any instant: nothing acknowledged is lost, torn or doubled, and the chain verifies.", "design 3"
    ),
    Requirement("I6", "What the reasoner holds equals the full closure after any adds, removals and memberships.", "design 3"),
    Requirement("I7", "What was believed at an instant never changes afterwards.", "design 3"),
    Requirement("I8", "A model or document cannot approve, widen a scope, or choose an identity.", "design 3"),
    Requirement("I9", "Nothing above a model's clearance is sent to it.", "design 3"),
    Requirement("I10", "The chain covers every row; a changed, dropped, reordered or cut one is found.", "design 3"),
    Requirement("checkpoints", "A clean cut of the end of the chain is found by a signed checkpoint.", "design 6"),
    Requirement("names", "Graph names and labels correspond one to one.", "design 6"),
    Requirement("joins", "Labels are a partial order with minimal upper bounds as joins.", "design 1"),
    Requirement("redo", "What was committed and not applied is replayed; a damaged graph is rebuilt.", "design 6"),
    Requirement("one-holder", "One process holds a data directory; a second is told.", "hazard F13"),
    Requirement(
        "full-disk", "On a full or read-only disk the sender is told, nothing is torn, and it recovers.", "hazards F08, F09"
    ),
    Requirement("foreign-data", "A foreign or damaged ledger or graph is told and left alone, or rebuilt.", "hazard F11"),
    Requirement("text", "Empty, long, NUL and lone-surrogate texts are refused in words; bidi text is kept.", "hazards H13, H25"),
    Requirement("row-1", "Questions, hypotheticals, quotes, jokes, fiction and requests admit nothing.", "design 7"),
    Requirement("row-2", "A candidate without a supporting span is refused; a half understood one is asked back.", "design 7"),
    Requirement("row-3", "A value refused before is held for the person and refused to others.", "design 7"),
    Requirement("row-4", "What no person said here is quarantined.", "design 7"),
    Requirement("row-5", "'No longer' ends what matches; with nothing to end it is kept as a negative.", "design 7"),
    Requirement("row-6", "The same triple and label is the same claim with more evidence.", "design 7"),
    Requirement("row-7", "A newer value by the same speaker supersedes; an older message never does.", "design 7"),
    Requirement("row-8", "Another speaker's value, or unclear timing, waits for a person.", "design 7"),
    Requirement("row-9", "A contradiction waits with its proof.", "design 7"),
    Requirement("row-10", "A predicate without a word is kept under related, with its wording.", "design 7"),
    Requirement("row-11", "Anything else is admitted.", "design 7"),
    Requirement("routing", "What is said to an audience stays with it; the owner's impersonal facts are for all.", "design 7"),
    Requirement("sensitivity", "The sensitivity is the highest of predicate, mark and terms.", "design 7"),
    Requirement("undo", "Undo is the exact reversal of one receipt, and reopens what it superseded.", "design 8"),
    Requirement("retract", "A retraction closes, offers back what it had superseded, and refuses the return.", "design 8"),
    Requirement("approval", "An approval is of the list shown, by who decides, once, and expires.", "design 8, hazard H10"),
    Requirement("settle", "A person decides what waits; the other rules are asked again.", "design 7"),
    Requirement("D01", "Erased words are blanked in place in messages, and the rest is intact.", "hazard D01"),
    Requirement("D02", "Evidence of erased statements is gone.", "hazard D02"),
    Requirement("D03", "An erased value is in no version at any time.", "hazard D03"),
    Requirement("D04", "Inferences from what was erased are gone unless otherwise supported.", "hazard D04, scenario T08"),
    Requirement("D05", "After an erasure the graph is a new generation, and the old one is removed.", "hazard D05"),
    Requirement("D06", "No term of an erased text is in the full text.", "hazard D06"),
    Requirement("D11", "No trace is left in the pages and the log of SQLite.", "hazard D11"),
    Requirement("D15", "The chain verifies after an erasure, and nothing erased can be guessed against it.", "hazard D15"),
    Requirement("D16", "A receipt has no content, verifies offline, and opens for who holds its opening.", "hazard D16"),
    Requirement("D17", "What waited for a person goes with what is erased.", "hazard D17"),
    Requirement("D21", "An erasure that was cut off is finished later, without a false receipt.", "hazards D21, F06"),
    Requirement("T10", "A false fact that a person takes back is recalled no more and not restated.", "scenario T10"),
    Requirement("merge", "One name is one entity; look-alikes are asked about; merges are taken back exactly.", "design 8"),
    Requirement(
        "T28", "Two entities of like names stay two until a person merges them, and a merge can be undone.", "scenario T28"
    ),
    Requirement("gate", "What nobody said first-hand waits where an answer or a conclusion stands on it.", "design 7"),
    Requirement("consolidation", "What is to be tidied is proposed, decided once, and can be taken back.", "design 7"),
    Requirement("documents", "Documents are quarantined, versioned, deleted, restored and purged.", "design 8"),
    Requirement("H02", "What a reader of a page does not see reaches no parser.", "hazard H02"),
    Requirement("rights", "A person sees, corrects and forgets their own space, and sees who else looked.", "hazard I19"),
    Requirement("backup", "A backup is whole, encrypted and verified, and brought back by the kit of now alone.", "design 8"),
    Requirement("F07", "A backup that was cut off is refused.", "hazard F07"),
    Requirement("D12", "Backups from before an erasure open with no kit of after.", "hazard D12"),
    Requirement("non-interference", "What one gets is the same whether or not the data of others is there.", "hazards I01-I20"),
    Requirement("telegram", "Strangers get a code, each message one effect and one reply, presses their person.", "design 12"),
    Requirement("groups", "A group is let in by the owner, and is a team of those of its people who are known.", "design 12"),
    Requirement("I15", "A group is told what was said in it, and nobody's own memory.", "hazard I15"),
    Requirement("files", "Documents become sources, a voice is transcribed, and what cannot be read is told.", "design 12"),
    Requirement("commands", "Commands do the same on every channel.", "design 12"),
    Requirement("liveness", "A channel that hears nothing is told of and started again, and no other.", "design 12"),
    Requirement("webhook", "What Telegram brings is taken with its secret alone, and once.", "design 12"),
    Requirement("F21", "A message that comes again has one effect.", "hazard F21"),
    Requirement(
        "F28", "A message from a time that cannot be is refused with a reason, and not remembered as seen.", "hazard F28"
    ),
    Requirement(
        "F29", "Many queued messages of one person keep nobody else waiting, and are not all held in memory.", "hazard F29"
    ),
    Requirement("F30", "A stop among 50 messages loses none and doubles none.", "hazard F30"),
    Requirement("F26", "A token that is not taken brings one channel down.", "hazard F26"),
    Requirement("sparql", "A query sees its reader's graphs alone, can do nothing else, and is ended in time.", "design 11"),
    Requirement(
        "tools", "A model looks within its clearance, notes its own words as its own, and only asks for the rest.", "design 11"
    ),
    Requirement("I06", "SPARQL of every form answers the same with and without the data of others.", "hazard I06"),
    Requirement("F34", "Corrections, retractions and endings equal a naive model on both clocks.", "hazard F34"),
    Requirement("T08", "Forgetting one of two sources leaves the claim; forgetting both leaves nothing.", "scenario T08"),
    Requirement("T09", "Forgetting all of one person leaves all of another.", "scenario T09"),
    Requirement("entities", "Names are facts: one exact name in one circle is one entity.", "design 6"),
    Requirement("vocabulary", "The vocabulary keeps its shapes, and all its annotations can be used.", "design 7"),
    Requirement("ontology", "Axioms are proposed, tried, adopted by the owner at once for everybody, and withdrawn.", "design 9"),
    Requirement("owl2", "The W3C's test cases of the RL profile pass, or are beyond the rules.", "design 9"),
    Requirement("same", "What is the same is read under each name, within the label of that saying.", "design 9"),
    Requirement("rules", "Each compiled rule concludes what its W3C rule does, and nothing else.", "design 9"),
    Requirement("explain", "Every inference has a proof down to facts that its reader may see.", "design 9"),
    Requirement("valid-time", "Valid time has four bounds and is written as EDTF.", "design 2"),
    Requirement("as-of", "Recall as of an instant tells what was believed then, for today's rights.", "design 10"),
    Requirement("valid-at", "Recall at a valid time tells what is known to hold then.", "design 10"),
    Requirement("ticks", "A claim enters and leaves the facts at its time, also after downtime.", "design 2"),
    Requirement("recall", "Recall finds by name, neighbourhood and words, within clearance and budget.", "design 10"),
    Requirement("offline", "Without a model, plain statements are read and answered with who said so and when.", "design 13"),
    Requirement("turn", "A message is durable before it is acknowledged, and answered once.", "design 5"),
    Requirement("terminal", "The commands work alone and beside a running process, and say what went wrong.", "design 14"),
    Requirement("socket", "The control socket is the owner's account's alone and survives bad requests.", "design 14"),
    Requirement("http", "HTTP says nothing about anybody and refuses foreign hosts.", "design 14, hazard H31"),
    Requirement("settings", "An unknown setting is an error that names the nearest one.", "design 14"),
    Requirement("times", "Phrases of time become four bounds in the speaker's zone.", "design 7, scenario T19"),
    Requirement("asking", "What is half understood is asked back, and a yes stores it with its own evidence.", "design 13"),
    Requirement("model-parser", "A model's reading is checked against the message; nothing else of it counts.", "scenario T17"),
    Requirement("model-answer", "A model is shown fenced memory last, within its clearance, and the recent turns.", "design 10"),
    Requirement("F15", "A model that does not answer in time is given up on; the message is kept.", "hazard F15"),
    Requirement("F16", "Anything but strict JSON of the schema is rejected, fast, with no partial facts.", "hazards F16, F18"),
    Requirement("F17", "Endless output is cut off.", "hazard F17"),
    Requirement("F19", "A busy or failing provider is asked again, within the deadline.", "hazard F19"),
    Requirement("H16", "A model's IRIs and unknown predicates reach nothing.", "hazards H16, H17"),
    Requirement("H18", "A value with the syntax of a query stays a value.", "hazard H18"),
    Requirement("persona", "The persona is a file that the owner edits, and a bad one is told.", "design 13"),
    Requirement("import", "A conversation is imported once, whole, and resumably.", "design 14"),
    Requirement("export", "What a person may see leaves as TriG or JSON-LD with its provenance.", "design 14"),
    Requirement("entry", "A one-time link lets one browser in once; without its cookie there is nothing.", "design 14"),
    Requirement("H30", "A socket or form from another origin is refused before anything reads it.", "hazards H30, H32"),
    Requirement("H34", "What people write is shown as text.", "hazards H33, H34"),
    Requirement("web", "The web chat shows replies as they grow, and what was stored, with Undo and why.", "design 14"),
    Requirement("scenarios", "The scenarios hold through the shipped path.", "scenarios"),
    Requirement("writers", "Concurrent writers and readers see whole transactions and make no duplicates.", "scenario T24"),
)
