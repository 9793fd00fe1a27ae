"""Recorded sessions, read back as what they were: requests of an agent, one for each answer of the model.

A file goes in (`load`), whatever tool wrote it; what comes out is a list of sessions in OpenAI's messages, each
structurally sound: every call followed by exactly its results. `requests` turns such a session into the bodies
that the agent sent, each with its history as it stood then, so that the whole session can go through the proxy
again: over HTTP, or offline through the same policies.

Reading:
    recorded.py   what a session is; where in a file something is wrong
    documents.py  a file's JSON, with the lines it stood on
    messages.py   one message checked
    sound.py      calls and results put together
    definitions.py  tool definitions made from the calls, where a recording holds none
    formats/      one file per format, recognised by content and never by file name
    requests.py   the bodies that the agent sent

Replaying (`forebay replay`), with a simulated provider cache, and judging what came of it:
    asked.py, setup.py  under which policy, model, window and prices
    many.py, play.py, track.py  sessions, one session, one price regime's way through it: rows out
    ledger.py, prompt.py  messages known by their bytes; the cache and the bill
    evidence.py, said.py, recall.py, behind.py, names.py  what answers rely on, and whether it could be seen
    soundness.py  structural faults beyond the client's own
    rows.py, figures.py, glossary.py  what comes out, its sums, and what each figure means
    table.py, session_list.py, as_json.py, plot.py, progress.py  how it is shown
"""

from proxy.replay.formats import load
from proxy.replay.recorded import Recorded, RecordingError, UnknownFormat
from proxy.replay.requests import requests

__all__ = ["Recorded", "RecordingError", "UnknownFormat", "load", "requests"]
