"""A WebSocket server of the Python library `websockets`; prints its port, serves until its input ends.

The path says how it behaves: /echo; /chosen (subprotocol "voice.v2"); /foreign (a subprotocol that nobody offered);
/refuse (403); /fragments; /close/CODE; /headers; /flood (1 MiB/s and more until the client goes); /sink (reads nothing);
/binary/COUNT; /raw/HEX (bytes on the bare connection after the handshake)."""

import asyncio
import http
import json
import ssl
import sys

import websockets.asyncio.server as server


def choose(connection, offered):
    path = connection.request.path
    if path == "/chosen" and "voice.v2" in offered:
        return "voice.v2"
    if path == "/foreign":
        return "foreign"
    return None


def process_request(connection, request):
    if request.path == "/refuse":
        return connection.respond(http.HTTPStatus.FORBIDDEN, "not you\n")
    if request.path == "/moved":
        response = connection.respond(http.HTTPStatus.FOUND, "elsewhere\n")
        response.headers["Location"] = "/echo"
        return response
    return None


async def serve(socket):
    path = socket.request.path
    if path == "/headers":
        await socket.send(json.dumps(list(socket.request.headers.raw_items())))
    elif path == "/fragments":
        await socket.send(["", "frag", "", "men", "ted"])
        await socket.send([b"\x00", b"", b"\x01" * 70_000, b"\x02"])
        await socket.ping()
        await socket.send("end")
        await socket.wait_closed()
    elif path.startswith("/close/"):
        await socket.close(int(path.split("/")[2]), "as asked")
    elif path == "/flood":
        piece = bytes(65_536)
        sent = 0
        try:
            while True:
                await socket.send(piece)
                sent += len(piece)
                print("sent", sent, flush=True)
        except Exception:
            pass
    elif path == "/sink":
        socket.transport.pause_reading()
        await asyncio.sleep(30)
    elif path.startswith("/binary/"):
        for index in range(int(path.split("/")[2])):
            await socket.send(index.to_bytes(4, "big") * 80)
        await socket.close()
    elif path.startswith("/raw/"):
        socket.transport.write(bytes.fromhex(path.split("/")[2]))
        await asyncio.sleep(10)
    elif path == "/vanish":
        await socket.send("soon")
        socket.transport.abort()
    else:
        async for message in socket:
            await socket.send(message)


async def main():
    context = None
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    async with server.serve(
        serve, "127.0.0.1", 0, ssl=context, select_subprotocol=choose, process_request=process_request,
        subprotocols=["voice.v2"], max_size=4 << 20, ping_interval=None, close_timeout=2,
    ) as listening:
        print("port", listening.sockets[0].getsockname()[1], flush=True)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
