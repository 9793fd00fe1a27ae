"""Retrieval: one tool by which the model reads back what was taken out of its context, answered inside the proxy.

`tool.py` says when a request carries it. `loop.py` is an upstream that answers its calls: `dialogue.py` holds the
rounds, `whole.py` and `streamed.py` are their two forms, `reading.py` answers one call. What the client never saw
of a turn is recorded (`exchanges.py`), and put back into every later request (`restoring.py`) before anything else
looks at it.
"""
