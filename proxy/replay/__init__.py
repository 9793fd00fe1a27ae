"""Recorded sessions, read back as what they were: requests of an agent, one for each answer of the model.

A file goes in (`load`), whatever tool wrote it; what comes out is a list of sessions in OpenAI's messages, each
structurally sound: every call followed by exactly its results. `requests` turns such a session into the bodies
that the agent sent, each with its history as it stood then, so that the whole session can go through the proxy
again: over HTTP, or offline through the same policies.

    recorded.py   what a session is; where in a file something is wrong
    documents.py  a file's JSON, with the lines it stood on
    messages.py   one message checked
    sound.py      calls and results put together
    definitions.py  tool definitions made from the calls, where a recording holds none
    formats/      one file per format, recognised by content and never by file name
    requests.py   the bodies that the agent sent
"""

from proxy.replay.formats import load
from proxy.replay.recorded import Recorded, RecordingError, UnknownFormat
from proxy.replay.requests import requests

__all__ = ["Recorded", "RecordingError", "UnknownFormat", "load", "requests"]
