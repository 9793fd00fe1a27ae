"""Everything that waits, opens or remembers. What is decided, `policies` decides.

A request takes seven steps: the *middleware* names it, finds its tenant and draws the error boundary; *wire* slices
the body; *context* folds the history into its budget; *keeping* writes the originals of what leaves; *upstream*
forwards, as bytes or through LiteLLM; the *answer* streams back, calls of our own tool answered in between
(*retrieval*); *recording* counts what happened. `app.py` wires all of it, on one screen.
"""
