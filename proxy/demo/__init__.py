"""`forebay demo`: a real proxy, a scripted upstream that checks every request, two agent sessions.

`session.py` says what a session is; `review.py` and `coding.py` write the two bundled ones. `client.py` plays a
session over HTTP, `upstream.py` answers it, judged by `structure.py` and billed by `prompt_cache.py`.
`table.py` shows what was seen, `run.py` puts it together.
"""
