"""Talks to a demo agent with the unchanged ElevenLabs SDK, and prints what its callbacks tell, a JSON object a line.

elevenlabs_sdk.py BASE_URL signed|public FILE...   each file: s16le at 16 kHz, said when the answer before has been heard
"""
import json
import sys
import threading
import time

from elevenlabs.client import ElevenLabs
from elevenlabs.conversational_ai.conversation import AudioInterface, ClientTools, Conversation


def tell(kind, **values):
    print(json.dumps({"event": kind, **values}), flush=True)


class FileAudio(AudioInterface):
    """A microphone that says one file after the other, in real time, and a loudspeaker that counts."""

    def __init__(self, paths):
        self.questions = [open(path, "rb").read() for path in paths]
        self.heard_until = time.monotonic()
        self.received = 0
        self.stopped = threading.Event()

    def start(self, input_callback):
        self.thread = threading.Thread(target=self.run, args=(input_callback,), daemon=True)
        self.thread.start()

    def run(self, send):
        size = 2000  # 62.5 ms
        due = time.monotonic()
        question = b""
        answered = 0
        while not self.stopped.is_set():
            is_quiet = time.monotonic() > self.heard_until + 0.3 and self.received > answered
            if not question and self.questions and is_quiet:
                question = self.questions.pop(0)
                answered = self.received
            chunk, question = question[:size], question[size:]
            send(chunk.ljust(size, b"\0"))
            due += size / 32000
            time.sleep(max(0, due - time.monotonic()))

    def stop(self):
        self.stopped.set()

    def output(self, audio):
        self.received += len(audio)
        self.heard_until = max(self.heard_until, time.monotonic()) + len(audio) / 32000

    def interrupt(self):
        self.heard_until = time.monotonic()
        tell("interrupted")


base_url, mode, *paths = sys.argv[1:]
audio = FileAudio(paths)
tools = ClientTools()
tools.register("get_weather", lambda parameters: tell("tool", city=parameters["city"]) or "fine for a walk")
letters = []
conversation = Conversation(
    ElevenLabs(api_key="key", base_url=base_url),
    "demo",
    requires_auth=mode == "signed",
    audio_interface=audio,
    client_tools=tools,
    callback_agent_response=lambda text: tell("agent", text=text),
    callback_agent_response_correction=lambda original, corrected: tell("corrected", text=corrected),
    callback_user_transcript=lambda text: tell("user", text=text),
    callback_audio_alignment=lambda alignment: letters.extend(alignment.chars),
    callback_disconnect=lambda details: tell("end", reason=details.reason, code=details.close_code),
)
conversation.start_session()
identifier = conversation.wait_for_session_end()
tell("summary", id=identifier, bytes=audio.received, letters="".join(letters))
