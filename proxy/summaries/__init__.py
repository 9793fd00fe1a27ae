"""Summaries acted out: a model writes them in the background, the first record of one stands for everybody.

`editing.py` edits a request with them. `desk.py` has each segment decided once: `summariser.py` asks the model,
`prompt.py` says what and how, `ledger.py` records what was decided, and who is at it.
"""
