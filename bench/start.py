"""What starting costs: ``muniment --help``, and the memory of an idle ``muniment serve``, with and without configured models."""

import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import psutil

from bootstrap.figures import Figures, options, percentile

ROUNDS = 7
_COMMAND = (sys.executable, "-m", "bootstrap.cli")
_PORT = 18_787
_SETTLE = 3.0
_MODELS = """[models.parser]
name = "ollama/unused"
[models.answerer]
name = "ollama/unused"
"""


def main() -> int:
    """Measure both."""
    given = options(__doc__ or "").parse_args()
    figures = Figures(given.check)
    times = [_help() for _ in range(3 if given.quick else ROUNDS)]
    figures.put("muniment --help: wall p50", percentile(times, 0.5), "s", at_most=0.5)
    figures.put("idle serve: resident memory", _idle(""), "MiB", at_most=150)
    figures.put("idle serve with models: resident memory", _idle(_MODELS), "MiB", at_most=250)
    return figures.exit_code()


def _help() -> float:
    started = time.perf_counter()
    subprocess.run([*_COMMAND, "--help"], check=True, capture_output=True)  # noqa: S603
    return time.perf_counter() - started


def _idle(settings: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        if settings:
            (data / "muniment.toml").write_text(settings, encoding="utf-8")
        command = [*_COMMAND, "serve", "--data", str(data), "--port", str(_PORT)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        try:
            _wait_for(f"http://127.0.0.1:{_PORT}/readyz")
            time.sleep(_SETTLE)
            return psutil.Process(process.pid).memory_info().rss / 2**20
        finally:
            process.terminate()
            process.wait(30)


def _wait_for(url: str) -> None:
    for _ in range(100):
        try:
            with urllib.request.urlopen(url, timeout=1):  # noqa: S310 - our own address
                return
        except OSError:
            time.sleep(0.1)
    message = f"{url} does not answer"
    raise TimeoutError(message)


if __name__ == "__main__":
    sys.exit(main())
