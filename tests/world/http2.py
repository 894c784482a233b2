"""The same replies over HTTP/2."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, Event, RequestReceived, StreamEnded, StreamReset, WindowUpdated
from h2.exceptions import ProtocolError

from world.listener import Connection
from world.messages import Reply, Request

Answer = Callable[[Request, Connection], Awaitable[Reply]]


async def serve_http2(connection: Connection, answer: Answer) -> None:
    """Answer the requests of one connection, each stream in a task of its own."""
    await _Http2(connection, answer).run()


class _Http2:
    def __init__(self, connection: Connection, answer: Answer) -> None:
        self._connection = connection
        self._answer = answer
        self._h2 = H2Connection(
            # A site may send what the library would correct.
            H2Configuration(client_side=False, validate_outbound_headers=False, normalize_outbound_headers=False)
        )
        self._fields: dict[int, tuple[tuple[bytes, bytes], ...]] = {}
        self._bodies: dict[int, bytearray] = {}
        self._room = asyncio.Condition()
        self._streams: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        self._h2.initiate_connection()
        await self._flush()
        try:
            while data := await self._connection.reader.read(65_536):
                for event in self._h2.receive_data(data):
                    await self._take(event)
                await self._flush()
        finally:
            # The client is gone, and nobody waits for the streams under way.
            for stream in self._streams:
                stream.cancel()
            await asyncio.gather(*self._streams, return_exceptions=True)

    async def _take(self, event: Event) -> None:
        match event:
            case RequestReceived():
                self._fields[event.stream_id] = tuple((bytes(name), bytes(value)) for name, value in event.headers)
                self._bodies[event.stream_id] = bytearray()
            case DataReceived():
                self._bodies[event.stream_id] += event.data
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            case StreamEnded():
                self._streams.append(asyncio.create_task(self._respond(event.stream_id)))
            case WindowUpdated() | StreamReset():
                async with self._room:
                    self._room.notify_all()

    async def _respond(self, stream: int) -> None:
        fields = self._fields.pop(stream)
        named = dict(fields)
        request = Request(
            method=named[b":method"].decode(),
            target=named[b":path"].decode("latin-1"),
            fields=fields,
            body=bytes(self._bodies.pop(stream)),
            version="2",
        )
        reply = await self._answer(request, self._connection)
        # A stream that the client has reset cannot be written to any more.
        with suppress(ProtocolError, ConnectionError):
            await self._send(stream, request, reply)

    async def _send(self, stream: int, request: Request, reply: Reply) -> None:
        fields = [(b":status", str(reply.status).encode()), *((name.lower(), value) for name, value in reply.fields)]
        self._h2.send_headers(stream, fields)
        await self._flush()
        left = reply.cut_after
        if request.method != "HEAD":
            async for piece in reply.pieces():
                await self._send_data(stream, piece if left is None else piece[:left])
                if left is not None and (left := left - len(piece)) <= 0:
                    self._h2.reset_stream(stream)
                    await self._flush()
                    return
        self._h2.end_stream(stream)
        await self._flush()

    async def _send_data(self, stream: int, piece: bytes) -> None:
        while piece:
            async with self._room:
                await self._room.wait_for(lambda: self._window(stream) > 0)
            size = min(self._window(stream), self._h2.max_outbound_frame_size, len(piece))
            self._h2.send_data(stream, piece[:size])
            await self._flush()
            piece = piece[size:]

    def _window(self, stream: int) -> int:
        return self._h2.local_flow_control_window(stream)

    async def _flush(self) -> None:
        await self._connection.send(self._h2.data_to_send())
