"""A Voice WebSocket client as Vonage's platform is one: dials the agent, sends a packet each 20 ms, takes packets.

vonage_platform.py URL RATE FILE...   each file: s16le at RATE, said when the answer before has been heard
"""
import asyncio
import json
import sys

import websockets

url, rate, *paths = sys.argv[1:]
size = int(rate) * 20 // 1000 * 2


def tell(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


async def main():
    questions = [open(path, "rb").read() for path in paths]
    loop = asyncio.get_running_loop()
    heard_until = loop.time()
    packets = 0
    asked = 0

    async with websockets.connect(url) as socket:
        await socket.send(
            json.dumps({"event": "websocket:connected", "content-type": f"audio/l16;rate={rate}", "caller": "15550111"})
        )

        async def speak():
            nonlocal asked
            due = loop.time()
            question = b""
            while True:
                if not question and questions and packets > asked and loop.time() > heard_until + 0.3:
                    question = questions.pop(0)
                    asked = packets
                packet, question = question[:size], question[size:]
                await socket.send(packet.ljust(size, b"\0"))
                due += 0.02
                await asyncio.sleep(max(0, due - loop.time()))

        speaking = asyncio.create_task(speak())
        try:
            async for message in socket:
                if isinstance(message, bytes):
                    assert len(message) == size, len(message)
                    packets += 1
                    heard_until = max(heard_until, loop.time()) + 0.02
                    continue
                action = json.loads(message)
                tell(action["action"], payload=action.get("payload"))
                if action["action"] == "clear":
                    heard_until = loop.time()
                    await socket.send(json.dumps({"event": "websocket:cleared"}))
                else:
                    answer = {"event": "websocket:notify", "payload": action["payload"]}
                    loop.call_later(
                        max(0, heard_until - loop.time()),
                        lambda answer=answer: asyncio.ensure_future(socket.send(json.dumps(answer))),
                    )
        finally:
            speaking.cancel()
        tell("end", code=socket.close_code, packets=packets)


asyncio.run(main())
