"""The export: RDF that other tools read, with provenance, and nothing of anybody else."""

import json
from pathlib import Path

import pytest
import rdflib
from pyoxigraph import RdfFormat, parse, serialize

from bootstrap.cli import main
from ontologies.vocab import PREFIXES
from tests.conftest import ANN, BOB, Desk

pytestmark = pytest.mark.requirement("export")
PROV = rdflib.Namespace("http://www.w3.org/ns/prov#")


def exported(desk: Desk, by: str = ANN) -> str:
    quads = desk.memory.dataset(desk.clearance(by, quarantined=True))
    return (serialize(quads, format=RdfFormat.TRIG, prefixes=PREFIXES) or b"").decode()


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib", "ignore:.*is deprecated:DeprecationWarning")
def test_rdflib_reads_versions_with_their_provenance(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    desk.say("I live in Rome.")
    dataset = rdflib.Dataset()
    dataset.parse(data=exported(desk), format="trig")
    union = rdflib.Graph()
    for s, p, o, _ in dataset.quads():
        union.add((s, p, o))  # type: ignore[arg-type]
    assert len(set(union.subjects(PROV.invalidatedAtTime, None))) == 1
    assert len(list(union.triples((None, PROV.wasRevisionOf, None)))) == 1
    revised = next(union.subjects(PROV.wasRevisionOf, None))
    sources = list(union.objects(revised, PROV.wasDerivedFrom))
    assert [str(union.value(source, PROV.value)) for source in sources] == ["I live in Oslo."]


@pytest.mark.requirement("I2")
def test_it_is_the_same_with_and_without_others(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    before = exported(desk)
    for number in range(5):
        desk.say(f"I live in Zephyr{number}x.", BOB, owner=False)
    assert exported(desk) == before
    assert "Zephyr" not in before


def test_the_command_writes_both_formats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io  # noqa: PLC0415

    data = str(tmp_path / "data")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"I live in Oslo.\n")))
    assert main(["chat", "--data", data]) == 0
    capsys.readouterr()
    assert main(["memory", "export", "--data", data]) == 0
    assert "Oslo" in capsys.readouterr().out
    out = tmp_path / "all.jsonld"
    assert main(["memory", "export", "--format", "jsonld", "--out", str(out), "--data", data]) == 0
    assert json.loads(out.read_text())
    assert any("Oslo" in str(quad.object) for quad in parse(out.read_bytes(), RdfFormat.JSON_LD))
    assert not list((tmp_path / "data" / "run").glob("export-*"))
    assert main(["memory", "export", "--out", str(tmp_path / "no" / "x"), "--data", data]) == 2
    assert "cannot be written" in capsys.readouterr().err
