"""Language models, through litellm: one call with a deadline, a cap on what comes back, and retries within the deadline.

Knows neither prompts nor memory. litellm is loaded at the first call, since it takes seconds and 150 MB.
"""

import asyncio
import os
import random
import sys
import warnings
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import structlog

from memory.label import Sensitivity

log = structlog.get_logger(__name__)

Message: TypeAlias = Mapping[str, Any]
OnText: TypeAlias = Callable[[str], Awaitable[None]]

LONGEST_REPLY = 64_000
"""Characters of a reply; what comes after them is not waited for."""

_MOST_BYTES = 8 * LONGEST_REPLY
_TRIES = 3
_FIRST_PAUSE = 0.5
_LOCAL_PROVIDERS = ("ollama/", "ollama_chat/", "lm_studio/", "llamafile/")
_ELSEWHERE = ("OLLAMA_API_BASE", "LM_STUDIO_API_BASE", "LLAMAFILE_API_BASE")
_LOCAL_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})


class ModelError(Exception):
    """A model that gave no usable reply; the text says what happened.

    ModelError
    +-- ModelUnavailableError   it did not answer in time, refused, or cannot be reached
    +-- ModelReplyError         it answered, and not what was asked for
    """


class ModelUnavailableError(ModelError):
    """It did not answer in time, refused, or cannot be reached."""


class ModelReplyError(ModelError):
    """It answered, and not what was asked for."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A configured model: litellm's name for it, where it is, the most that it may be shown, and whether it can use tools.

    ``schema_as`` is the kind of ``response_format`` in which its server takes a JSON schema: ``json_schema``, as OpenAI's does,
    or ``json_object`` with the schema in it.
    """

    name: str
    api_base: str = ""
    api_key: str = ""
    clearance: Sensitivity | None = None
    deadline: float = 30.0
    max_tokens: int = 1_024
    tools: bool = True
    schema_as: str = "json_schema"

    @property
    def is_local(self) -> bool:
        """Tell whether it runs on this machine."""
        if self.api_base:
            return urlsplit(self.api_base).hostname in _LOCAL_HOSTS
        return self.name.startswith(_LOCAL_PROVIDERS) and not any(os.environ.get(name) for name in _ELSEWHERE)

    @property
    def cleared(self) -> Sensitivity:
        """Return the highest sensitivity that it may be shown; internal for a remote model where nothing is declared."""
        if self.clearance is not None:
            return self.clearance
        return Sensitivity.SECRET if self.is_local else Sensitivity.INTERNAL


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model wants used, with its arguments as JSON that nobody has checked."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said, and the tools that it wants used before it says more."""

    text: str
    calls: tuple[Call, ...] = ()


class Model:
    """One model, as configured."""

    def __init__(self, settings: ModelSettings) -> None:
        """Use a model; nothing is loaded or reached before the first call."""
        self.settings = settings

    async def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None, on_text: OnText | None = None
    ) -> str:
        """Return the model's reply; ``on_text`` is given what there is of it as it grows.

        With a JSON ``schema`` the model is asked for an object of it, which is not checked here. What is beyond
        ``LONGEST_REPLY`` is cut off. Raises ``ModelUnavailableError``, within the deadline.
        """
        named = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, "strict": True}}
        format_ = named if self.settings.schema_as == "json_schema" else {"type": "json_object", "schema": schema}
        return (await self._answered(messages, {"response_format": format_ if schema else None}, on_text)).text

    async def converse(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, on_text: OnText | None = None
    ) -> Completion:
        """Return what the model says, or the tools that it wants used; the same holds as for ``complete``."""
        return await self._answered(messages, {"tools": [dict(tool) for tool in tools]} if tools else {}, on_text)

    async def transcribe(self, name: str, content: bytes) -> str:
        """Return the words of a recording; raise ``ModelUnavailableError``, within the deadline."""
        litellm, settings = await asyncio.to_thread(_load), self.settings
        _use_here(litellm)
        try:
            async with asyncio.timeout(settings.deadline):
                heard: Any = await litellm.atranscription(
                    model=settings.name,
                    file=(name, content),
                    timeout=settings.deadline,
                    max_retries=1,
                    api_base=settings.api_base or None,
                    api_key=settings.api_key or ("none" if settings.is_local else None),
                )
        except Exception as error:
            message = f"{settings.name} could not hear it ({type(error).__name__})"
            raise ModelUnavailableError(message) from error
        return str(heard.text or "")[:LONGEST_REPLY]

    async def _answered(self, messages: Sequence[Message], more: Mapping[str, Any], on_text: OnText | None) -> Completion:
        litellm = _load() if "litellm" in sys.modules else await asyncio.to_thread(_load)
        _use_here(litellm)
        try:
            async with asyncio.timeout(self.settings.deadline):
                return await self._persist(messages, more, on_text)
        except TimeoutError as error:
            message = f"{self.settings.name} did not answer within {self.settings.deadline:g} seconds"
            raise ModelUnavailableError(message) from error

    async def _persist(self, messages: Sequence[Message], more: Mapping[str, Any], on_text: OnText | None) -> Completion:
        """Call, and again after a pause where the provider is busy or failing; what was shown already is not taken back."""
        for attempt in range(_TRIES):
            begun = False
            said = _Said()
            try:
                async with aclosing(self._stream(messages, more)) as deltas:
                    async for delta in deltas:
                        begun = said.take(delta) or begun
                        if on_text is not None and delta.content:
                            await on_text(said.text)
                        if said.size >= LONGEST_REPLY:
                            break
                return said.completion()
            except ModelUnavailableError:
                raise
            except Exception as error:
                if begun or attempt == _TRIES - 1 or not _is_passing(error):
                    message = f"{self.settings.name} could not answer ({type(error).__name__})"
                    raise ModelUnavailableError(message) from error
                log.info("model is busy", attempt=attempt, error=type(error).__name__)
                await asyncio.sleep(_pause(error, attempt))
        message = f"{self.settings.name} did not answer"
        raise ModelUnavailableError(message)

    async def _stream(self, messages: Sequence[Message], more: Mapping[str, Any]) -> AsyncGenerator[Any]:
        litellm, settings = _load(), self.settings
        response: Any = await litellm.acompletion(
            model=settings.name,
            messages=[dict(message) for message in messages],
            stream=True,
            max_tokens=settings.max_tokens,
            temperature=0,
            timeout=settings.deadline,
            num_retries=0,
            max_retries=0,
            api_base=settings.api_base or None,
            api_key=settings.api_key or ("none" if settings.is_local else None),
            **more,
        )
        try:
            async for chunk in response:
                if chunk.choices:
                    yield chunk.choices[0].delta
        finally:
            with suppress(Exception):
                await response.aclose()


class _Said:
    """What has come of a reply so far."""

    def __init__(self) -> None:
        self.text, self.size = "", 0
        self._calls: dict[int, list[str]] = {}

    def take(self, delta: Any) -> bool:
        """Take a piece; return whether there was anything in it."""
        piece, called = delta.content or "", getattr(delta, "tool_calls", None) or ()
        self.text += piece
        self.size += len(piece)
        for call in called:
            last = max(self._calls, default=-1)
            index = call.index if call.index is not None else last + bool(call.id) if self._calls else 0
            parts = self._calls.setdefault(index, ["", "", ""])
            parts[0], parts[1] = parts[0] or call.id or "", parts[1] or call.function.name or ""
            parts[2] += call.function.arguments or ""
            self.size += len(call.function.arguments or "")
        return bool(piece or called)

    def completion(self) -> Completion:
        """Return all of it; calls that were cut off are none."""
        calls = tuple(Call(id_ or f"call-{at}", name, arguments) for at, (id_, name, arguments) in sorted(self._calls.items()))
        return Completion(self.text[:LONGEST_REPLY], calls if self.size < LONGEST_REPLY else ())


async def close_models() -> None:
    """Close the connections that models have opened in this event loop."""
    litellm = sys.modules.get("litellm")
    if getattr(litellm, "muniment_loop", None) is asyncio.get_running_loop():
        await litellm.aclient_session.aclose()  # type: ignore[union-attr]
        litellm.muniment_loop = None  # type: ignore[union-attr]


def _is_passing(error: Exception) -> bool:
    """Tell whether a call may succeed when it is made again."""
    status = getattr(error, "status_code", None)
    return status in {408, 409, 425, 429} or (isinstance(status, int) and status >= 500)  # noqa: PLR2004


def _pause(error: Exception, attempt: int) -> float:
    """Return how many seconds to wait: what the provider asks for, or twice as long each time, spread at random."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    with suppress(AttributeError, TypeError, ValueError):
        return float(headers.get("retry-after"))
    return _FIRST_PAUSE * 2**attempt * random.uniform(0.5, 1.5)  # noqa: S311 - spreads load


def _load() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm  # noqa: PLC0415 - heavy, and needed by configured models alone
    # Modules that litellm loads later declare types that pydantic remarks on; that is no news for whoever runs this.
    warnings.filterwarnings("ignore", message=".*using the `ReadOnly` qualifier.*", category=UserWarning)
    return litellm


def _use_here(litellm: Any) -> None:
    """Let litellm's clients run in this event loop, over a transport that cuts off what is too long."""
    loop = asyncio.get_running_loop()
    if getattr(litellm, "muniment_loop", None) is loop:
        return
    from gateway.capped import capped_client  # noqa: PLC0415

    litellm.muniment_loop = loop
    litellm.drop_params = litellm.suppress_debug_info = litellm.disable_aiohttp_transport = True
    litellm.in_memory_llm_clients_cache.flush_cache()
    litellm.aclient_session = capped_client(_MOST_BYTES)
