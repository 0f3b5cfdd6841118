import asyncio
from pathlib import Path

import httpx
import pytest

from bootstrap.wiring import open_service
from gateway.http.app import make_app

pytestmark = pytest.mark.requirement("http")


def get(data: Path, path: str, host: str = "localhost") -> httpx.Response:
    async def run() -> httpx.Response:
        service = open_service(data)
        await service.start()
        app = make_app(service, frozenset({"localhost"}))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=f"http://{host}:8787") as client:
            response = await client.get(path)
        await service.stop()
        return response

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("path", "words"), [("/", "Muniment"), ("/healthz", "ok"), ("/readyz", "ready"), ("/static/style.css", "color-scheme")]
)
def test_it_says_that_it_runs_and_nothing_else(path: str, words: str, tmp_path: Path) -> None:
    response = get(tmp_path, path)
    assert response.status_code == 200
    assert words in response.text
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/docs", "/openapi.json", "/memory", "/%2e%2e/ledger.db"])
def test_there_is_nothing_else(path: str, tmp_path: Path) -> None:
    assert get(tmp_path, path).status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "localhost@evil.example"])
def test_another_host_is_refused(host: str, tmp_path: Path) -> None:
    response = get(tmp_path, "/", host)
    assert response.status_code == 403
    assert "Muniment" not in response.text
