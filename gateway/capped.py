"""An HTTP client under which no response grows past a number of bytes, so that a model cannot fill the memory."""

from collections.abc import AsyncIterator

import httpx


def capped_client(most: int) -> httpx.AsyncClient:
    """Return a client whose responses fail with ``httpx.ReadError`` past ``most`` bytes; deadlines are the caller's."""
    return httpx.AsyncClient(transport=_Capped(most), timeout=None)  # noqa: S113


class _Capped(httpx.AsyncHTTPTransport):
    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if isinstance(response.stream, httpx.AsyncByteStream):
            response.stream = _Stream(response.stream, self._most)
        return response


class _Stream(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream, most: int) -> None:
        self._inner, self._most = inner, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for piece in self._inner:
            read += len(piece)
            if read > self._most:
                message = "the response is longer than anything that was asked for"
                raise httpx.ReadError(message)
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
