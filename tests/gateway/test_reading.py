"""Files as their readers see them, in passages with offsets."""

from pathlib import Path

import pytest

from gateway.errors import IncorrectRequestError
from gateway.reading import LARGEST, pieces, plain, read_file


@pytest.mark.requirement("documents", "H02")
def test_only_what_a_reader_sees_is_read() -> None:
    html = (
        "<html><head><title>Bo lives in Rome.</title><style>p{}</style></head><body><!-- Bo lives in Nice. -->"
        "<h1>Bo</h1><p>Bo lives in <b>Bergen</b>.<br>He likes tea &amp; cake.</p><p hidden>Bo lives in Paris.</p>"
        '<div style="display: none">Bo lives in Lima.<p>deep</p></div><img alt="Bo lives in Oslo."><script>Bo()</script>'
        "<ul><li>one<li>two</ul></body></html>"
    )
    assert plain(html, "html") == "Bo\n\nBo lives in Bergen.\nHe likes tea & cake.\n\none\n\ntwo"


@pytest.mark.requirement("documents", "H02")
def test_markdown_is_read_without_its_marks() -> None:
    text = "# Notes\n\n**Mara** lives in *Lima*.\n\n<!-- Mara lives in Rome. -->\n\n![Mara in Nice](x.png)\n\n"
    text += "- [Tom](http://x) likes `tea`\n"
    assert plain(text, "markdown") == "Notes\n\nMara lives in Lima.\n\nTom likes tea"


@pytest.mark.requirement("documents")
def test_passages_lie_where_they_say() -> None:
    text = "  First.\n\nSecond paragraph.\nStill it.\n\n" + "A sentence here. " * 200
    found = list(pieces(text))
    assert [piece.words for piece in found[:2]] == ["First.", "Second paragraph.\nStill it."]
    assert all(text[piece.start : piece.start + len(piece.words)] == piece.words for piece in found)
    assert all(len(piece.words) <= 1_200 and piece.words.endswith(".") for piece in found)
    assert "".join("".join(piece.words.split()) for piece in found) == "".join(text.split())
    assert next(pieces("x" * 3_000)).words == "x" * 1_200
    assert list(pieces(" \n \n")) == []


@pytest.mark.requirement("documents")
def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\x00bad")
    (tmp_path / "c.txt").write_bytes(b"x" * (LARGEST + 1))
    (tmp_path / "d.txt").write_text("\ufeffMara lives in Lima.\r\n", encoding="utf-8")
    for name in ("a.pdf", "b.txt", "c.txt", "missing.txt"):
        with pytest.raises(IncorrectRequestError, match="Nothing was stored"):
            read_file(tmp_path / name)
    assert read_file(tmp_path / "d.txt") == "Mara lives in Lima.\n"
