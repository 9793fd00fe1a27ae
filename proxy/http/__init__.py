"""The proxy's face: what a client can ask, and what it is told.

`routes.py` lists every path, `middleware.py` the order in which a request passes the gates, `keys.py` what
the app and a request carry. A handler reads as the path; nothing here knows a provider or a store.
"""
