"""The command line. Beside a running process it speaks through that one's socket; alone it opens the data directory itself."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

DEFAULT_DATA = "data"
_DESCRIPTION = "A personal assistant whose memory shows its evidence, reasons, and can be corrected."
_IMPORTING = (
    "Remember a conversation. FILE is the JSON that Telegram Desktop exports of one chat, or JSONL of"
    ' {"at": TIME, "speaker": NAME, "text": WORDS}. What is there already is skipped.'
)

Adder: TypeAlias = "Callable[..., argparse.ArgumentParser]"

_ASKING = (
    "Facts and inferences are there by default; GRAPH ?g finds them one by one, and the claims with their provenance. The"
    " prefixes : (the vocabulary), owl, prov, rdf, rdfs, skos and xsd need no declaration."
)
_FORGETTING = 'WHAT is a name, a statement such as "I live in Lima", an id, or "everything about me".'


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    0 done; 1 a check failed or a message was not stored; 2 to 5 as in ``gateway.errors``; 130 interrupted.
    """
    options = _parser().parse_args(arguments)
    os.umask(0o077)
    from bootstrap import commands

    try:
        return commands.run(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--data", type=Path, default=Path(os.environ.get("MUNIMENT_DATA", DEFAULT_DATA)), metavar="DIR",
                        help="the data directory, made where it is missing (default: $MUNIMENT_DATA or ./data)")  # fmt: skip
    common.add_argument("--json", action="store_true", help="print JSON")
    who = argparse.ArgumentParser(add_help=False)
    who.add_argument("--as", dest="speaker", default="", metavar="NAME", help="a member of that name instead of the owner")

    parser = argparse.ArgumentParser(prog="muniment", description=_DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", parents=[common], help="run the assistant until it is stopped")
    serve.add_argument("--port", type=int, default=None, help="the port to listen on (default: from muniment.toml, or 8787)")
    chat = commands.add_parser("chat", parents=[common, who], help="talk to the assistant; a pipe is read one message a line",
                               description='Talk to the assistant. With --json, each line in is {"id", "text"} and each line'
                               " out a reply; the same id is answered once.")  # fmt: skip
    chat.add_argument("--chat", default="", metavar="NAME", help="another chat of the same person")
    commands.add_parser("pending", parents=[common, who], help="what waits for a person's decision")
    approve = commands.add_parser("approve", parents=[common, who], help="do what was shown, or believe what waits")
    approve.add_argument("code", metavar="CODE", help="the code that `pending` shows")
    approve.add_argument("choice", nargs="?", default="", metavar="CHOICE", help="one of the choices that `pending` shows")
    approve.add_argument("--receipt", type=Path, default=None, metavar="FILE", help="write the receipt of an erasure there")
    approve.add_argument("--opening", type=Path, default=None, metavar="FILE",
                         help="write what opens the receipt there; it holds the erased statements")  # fmt: skip
    deny = commands.add_parser("deny", parents=[common, who], help="leave what was shown as it is, or reject what waits")
    deny.add_argument("code", metavar="CODE")
    pair = commands.add_parser(
        "pair", parents=[common, who], help="print a one-time link for a browser, or let in who has a code"
    )
    pair.add_argument("code", nargs="?", default="", metavar="CODE", help="the code that a stranger was given in a chat")
    _verifying(commands.add_parser, common)
    commands.add_parser("checkpoint", parents=[common], help="print the signed head of the chain, to be kept elsewhere")
    receipt = commands.add_parser("receipt", parents=[common], help="print the signed receipt of an erasure")
    receipt.add_argument("erasure", metavar="ID")
    backup = commands.add_parser(
        "backup", parents=[common], help="write an encrypted copy of the ledger, also while it is served"
    )
    backup.add_argument("file", type=Path, metavar="FILE")
    kit = commands.add_parser("kit", parents=[common], help="write what opens the backups of now, to be kept elsewhere")
    kit.add_argument("file", type=Path, metavar="FILE")
    restore = commands.add_parser("restore", parents=[common], help="bring a backup back into a new data directory")
    restore.add_argument("file", type=Path, metavar="FILE")
    restore.add_argument("--kit", type=Path, required=True, metavar="FILE", help="the kit that opens it")
    commands.add_parser("status", parents=[common], help="what runs, who is known, how much is remembered")
    doctor = commands.add_parser("doctor", parents=[common], help="check ledger, graph, vocabulary and permissions")
    doctor.add_argument("--reasoner", action="store_true", help="let another reasoner close some facts too, and compare")

    acts = commands.add_parser(
        "source", help="hand over documents, which are quarantined until a person believes them"
    ).add_subparsers(dest="act", required=True, metavar="ACT")
    for act, help_, name in (
        ("add", "read a text, Markdown or HTML file, or a folder of them", "PATH"),
        ("list", "what there is", ""),
        ("delete", "let it count no more, and what only it said", "NAME"),
        ("restore", "bring a deleted one back", "NAME"),
        ("purge", "destroy all versions of it, once you have approved what goes", "NAME"),
    ):
        one = acts.add_parser(act, parents=[common, who], help=help_)
        one.set_defaults(name="", yes=False)
        if name:
            one.add_argument("name", metavar=name)
        if act == "purge":
            one.add_argument("--yes", action="store_true", help="approve at once what is shown")
    _asking(commands.add_parser, common, who)
    _axioms(commands.add_parser, common, who)
    _people(commands.add_parser, common)
    memory = commands.add_parser("memory", help="look at what is remembered, and change it")
    pages = memory.add_subparsers(dest="page", required=True, metavar="PAGE")
    _looking(pages.add_parser, common, who)
    _changing(pages.add_parser, common, who)
    return parser


def _verifying(add: Adder, common: argparse.ArgumentParser) -> None:
    """Add what checks a data directory, or a receipt alone."""
    verify = add("verify", parents=[common], help="check the chain, its rows, checkpoints, receipts and the graph")
    verify.add_argument("--checkpoint", type=Path, default=None, metavar="FILE", help="a checkpoint that was kept elsewhere")
    verify.add_argument(
        "--receipt", type=Path, default=None, metavar="FILE", help="only check a receipt, without a data directory"
    )
    verify.add_argument(
        "--key", default="", metavar="HEX", help="with --receipt: the key of the instance that has to have signed it"
    )
    verify.add_argument("--opening", type=Path, default=None, metavar="FILE", help="with --receipt: what opens it")


def _asking(add: Adder, common: argparse.ArgumentParser, who: argparse.ArgumentParser) -> None:
    """Add what is for those who ask in SPARQL, here or over HTTP."""
    query = add("sparql", parents=[common, who], help="ask in SPARQL 1.1 what you may see", description=_ASKING)
    query.add_argument("query", metavar="QUERY", help="the query, or - to read it from standard input")
    query.add_argument("--as-of", default="", metavar="TIME", help="over what was believed then (a day, or a time)")
    query.add_argument("--valid-at", default="", metavar="TIME", help="over what is known to hold then")
    query.add_argument("--format", default="", metavar="FORMAT", help="json, xml, csv or tsv; ttl or nt for triples")
    tokens = add("token", help="let a program ask over HTTP").add_subparsers(dest="act", required=True, metavar="ACT")
    for act, help_, name in (("new", "make one, which is shown once", "NAME"), ("list", "those that can be used", ""),
                             ("revoke", "let one be used no more", "ID")):  # fmt: skip
        one = tokens.add_parser(act, parents=[common, who], help=help_)
        one.set_defaults(name="", clearance="internal")
        if name:
            one.add_argument("name", metavar=name)
        if act == "new":
            one.add_argument("--clearance", default="internal", metavar="LEVEL",
                             help="the most that its bearer sees: public, internal (default), sensitive or secret")  # fmt: skip


def _people(add: Adder, common: argparse.ArgumentParser) -> None:
    """Add what is done with people."""
    people = add("people", help="who is known and where, and who is blocked").add_subparsers(
        dest="act", required=True, metavar="ACT"
    )
    for act, help_ in (("list", "everybody"), ("block", "hear no more of somebody"), ("unblock", "let somebody in again")):
        one = people.add_parser(act, parents=[common], help=help_)
        one.set_defaults(who="")
        if act != "list":
            one.add_argument("who", metavar="WHO", help="a name, or where they are known, such as telegram:123")


def _axioms(add: Adder, common: argparse.ArgumentParser, who: argparse.ArgumentParser) -> None:
    """Add what is done with words and axioms."""
    axioms = add("ontology", help="words and axioms of this instance's own").add_subparsers(
        dest="act", required=True, metavar="ACT"
    )
    for act, help_, name in (
        ("propose", "keep axioms from a Turtle file, and see what they would do", "FILE"),
        ("list", "what was proposed, and what became of it", ""),
        ("adopt", "let proposed axioms hold, once you have approved what follows", "ID"),
        ("withdraw", "let adopted axioms hold no more, once you have approved what goes", "ID"),
    ):
        one = axioms.add_parser(act, parents=[common, who], help=help_)
        one.set_defaults(given="")
        if name:
            one.add_argument("given", metavar=name)
            one.add_argument("--yes", action="store_true", help="approve at once what is shown")


def _looking(add: Adder, common: argparse.ArgumentParser, who: argparse.ArgumentParser) -> None:
    """Add the pages that only show."""
    looks = {
        "show": "what is believed about NAME, or about everything",
        "why": "where it comes from: evidence, decisions and proofs",
        "history": "every version on both clocks",
        "timeline": "what holds, or held, when in the world",
        "search": "what recall finds for words",
    }
    for page, help_ in looks.items():
        one = add(page, parents=[common, who], help=help_)
        one.add_argument("--as-of", default="", metavar="TIME", help="as it was believed then (a day, or a time)")
        if page != "history":
            one.add_argument("--valid-at", default="", metavar="TIME", help="what is known to hold then")
        if page in {"show", "why", "search"}:
            one.add_argument("--quarantined", action="store_true", help="what documents and strangers say as well")
        if page == "search":
            one.add_argument("--history", action="store_true", help="what no longer holds or is believed too")
        one.add_argument("words", nargs="+" if page == "search" else "*", metavar="NAME" if page != "search" else "WORD")
    changed = add("changes", parents=[common, who], help="what was asserted, corrected, refused and erased when")
    changed.add_argument("--from", dest="since", default="", metavar="TIME", help="from that day or time on")
    changed.add_argument("--to", dest="until", default="", metavar="TIME", help="until that day or time")
    out = add("export", parents=[common, who], help="write all that one may see as RDF, with its provenance")
    out.add_argument("--format", choices=("trig", "jsonld"), default="trig")
    out.add_argument("--out", type=Path, default=None, metavar="FILE", help="the file to write (default: standard output)")


def _changing(add: Adder, common: argparse.ArgumentParser, who: argparse.ArgumentParser) -> None:
    """Add the pages that change what is remembered."""
    for act, help_ in (("forget", "destroy something, once you have approved what goes"),
                       ("retract", "stop believing something, and keep what was said")):  # fmt: skip
        one = add(act, parents=[common, who], help=help_, description=_FORGETTING)
        one.add_argument("words", nargs="+", metavar="WHAT")
        one.add_argument("--yes", action="store_true", help="approve at once what is shown")
    one = add("merge", parents=[common, who], help="let two things be one, once you have approved what moves")
    one.add_argument("first", metavar="NAME", help="a name, or an id")
    one.add_argument("second", metavar="NAME")
    one.add_argument("--yes", action="store_true", help="approve at once what is shown")
    one = add("promote", parents=[common, who], help="say what a document or a stranger said as your own")
    one.add_argument("claim", metavar="ID", help="the id that `memory show --quarantined` gives")
    one = add("unmerge", parents=[common, who], help="take a merge back, or list those that can be")
    one.add_argument("code", nargs="?", default="", metavar="CODE")
    add("consolidate", parents=[common, who], help="look for what is to be tidied now; what needs a person waits in `pending`")
    bring = add("import", parents=[common], help="remember a conversation from a file", description=_IMPORTING)
    bring.add_argument("file", type=Path, metavar="FILE")
    bring.add_argument("--me", default="", metavar="NAME", help="what the owner is called in it")
    bring.add_argument("--chat", default="", metavar="NAME", help="what to call the conversation (default: the name in the file)")
    bring.add_argument(
        "--join", action="store_true", help="let people who are new to it see a conversation that is there already"
    )
    bring.add_argument("--zone", default="", metavar="ZONE", help="the time zone of its speakers (default: the owner's)")


if __name__ == "__main__":
    sys.exit(main())
