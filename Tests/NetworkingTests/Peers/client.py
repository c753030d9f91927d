"""A WebSocket client of the Python library `websockets` against our server: client.py URL TASK [CA-FILE].

Prints one line of JSON with what it saw."""

import asyncio
import json
import ssl
import sys

import websockets
import websockets.asyncio.client as client


async def run(url, task, context):
    seen = {}
    options = {"max_size": 4 << 20, "ping_interval": None, "close_timeout": 3}
    if task == "plain":
        options["compression"] = None
    if task == "subprotocol":
        options["subprotocols"] = ["voice.v1", "voice.v2"]
    try:
        async with client.connect(url, ssl=context, **options) as socket:
            seen["subprotocol"] = socket.subprotocol
            seen["extensions"] = socket.response.headers.get("Sec-WebSocket-Extensions")
            if task in ("echo", "plain"):
                for size in (0, 1, 125, 126, 65_535, 65_536, 1 << 20):
                    message = bytes(index & 255 for index in range(size))
                    await socket.send(message)
                    assert await socket.recv() == message, size
                await socket.send(["", "frag", "", "men", "ted \u00fc"])
                assert await socket.recv() == "fragmented \u00fc"
                await socket.send([bytes(70_000)] * 3)
                assert await socket.recv() == bytes(210_000)
                pong = await socket.ping(b"are you there")
                seen["ping"] = await asyncio.wait_for(pong, 5) >= 0
            elif task == "toolarge":
                await socket.send(bytes(3 << 20))
                await socket.recv()
            elif task == "fragmentedtoolarge":
                await socket.send([bytes(60_000)] * 80)
                await socket.recv()
            elif task == "badtext":
                socket.transport.write(bytes([0x81, 0x82, 0, 0, 0, 0, 0xC3, 0x28]))
                await socket.recv()
            elif task == "badcode":
                socket.transport.write(bytes([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xED]))
                await socket.recv()
            elif task == "unmasked":
                socket.transport.write(bytes([0x81, 0x01, 0x41]))
                await socket.recv()
            elif task == "close":
                await socket.close(4007, "bye")
            elif task == "listen":
                async for _ in socket:
                    pass
            seen["code"] = socket.close_code
    except websockets.ConnectionClosed as closed:
        seen["code"] = closed.rcvd.code if closed.rcvd else None
        seen["reason"] = closed.rcvd.reason if closed.rcvd else None
    except websockets.InvalidStatus as status:
        seen["status"] = status.response.status_code
    except ssl.SSLError as error:
        seen["tls"] = error.reason
    print(json.dumps(seen), flush=True)


context = ssl.create_default_context(cafile=sys.argv[3]) if len(sys.argv) > 3 else None
asyncio.run(run(sys.argv[1], sys.argv[2], context))
