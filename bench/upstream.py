"""An upstream for the proxy's benchmark, in a process of its own: chat completions that take a fixed time to begin.

python -m bench.upstream PORT THINKS_MS
"""

from __future__ import annotations

import asyncio
import json
import sys

CHUNKS = 20


def _chunk(delta: dict[str, str]) -> bytes:
    data = b"data: " + json.dumps({"id": "c", "choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(data), data)


WHOLE = json.dumps(
    {"id": "c", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Well. " * CHUNKS}}]}
).encode()
PLAIN = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(WHOLE), WHOLE)
BEGIN = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
STREAMED = [_chunk({"content": "Well. "})] * CHUNKS
END = b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, thinks_s: float) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            size = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
            body = await reader.readexactly(size)
            await asyncio.sleep(thinks_s)
            if b'"stream":true' in body:
                writer.write(BEGIN)
                for chunk in STREAMED:
                    writer.write(chunk)
                    await asyncio.sleep(0)
                writer.write(END)
            else:
                writer.write(PLAIN)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main(port: int, thinks_ms: float) -> None:
    """Serve until killed."""
    server = await asyncio.start_server(lambda r, w: _serve(r, w, thinks_ms / 1000), "127.0.0.1", port, limit=1 << 24)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
