"""People's rights: what is remembered of them they see, correct and forget themselves, and they see who else looked."""

import asyncio
from pathlib import Path

import pytest

from bootstrap.wiring import open_service
from gateway.inspect import Look
from gateway.service import Said, Service


async def _say(service: Service, text: str, speaker: str = "", id_: str = "") -> str:
    (reply,) = await service.say(Said(speaker, "", id_ or text, text, 1_770_000_000_000_000, "UTC"))
    return reply.text


async def _run(tmp_path: Path) -> None:
    service = open_service(tmp_path / "data")
    await service.start()
    try:
        greeting = await _say(service, "I live in Oslo.", "Bea")
        assert all(word in greeting for word in ("remember", "/memory", "/retract", "/forget"))
        assert "Oslo" in await _say(service, "/memory", "Bea")
        assert "Oslo" not in await _say(service, "/memory")
        before = await service.look(Look("changes"), "Bea")
        assert "looked at by the owner: changes" in "\n".join(before.lines)
        await service.look(Look("why", "Oslo"), "Bea")
        await service.export("Bea", "trig", tmp_path / "out.trig")
        seen = "\n".join((await service.look(Look("changes"), "Bea")).lines)
        assert "looked at by the owner: why" in seen
        assert "looked at by the owner: export" in seen
        assert "looked at" not in "\n".join((await service.look(Look("changes"), "")).lines)
        shown = await _say(service, "Forget that I live in Oslo.", "Bea")
        code = shown.split("/approve ", 1)[1][:6]
        assert "Nothing of yours waits" in await _say(service, f"/approve {code}", id_="not mine")
        assert "Erased" in await _say(service, f"/approve {code}", "Bea")
        assert "Nothing of yours waits" in await _say(service, f"/approve {code}", "Bea", "again")
        assert "I remember nothing" in await _say(service, "/memory", "Bea", "after")
    finally:
        await service.stop()


@pytest.mark.requirement("rights", "approval", "I8")
def test_a_member_sees_corrects_and_forgets_without_the_owner(tmp_path: Path) -> None:
    asyncio.run(_run(tmp_path))
