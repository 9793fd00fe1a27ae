"""What may happen to a tool result when it is first seen, and never later: it was not forwarded yet, so it costs no
cache. `steps.py` puts the three steps in order.
"""
