"""OpenAI's JSON on its way in and out: sliced, not parsed.

`envelope.slice_body` finds where each value of a body stands. `reader.Reader` knows a message slice that it met
before by the digest of its bytes; only new slices are decoded (`strict`), weighed (`facts`, `parts`, `images`)
and digested by what they mean (`meaning`). `render.render` puts edits back into the very bytes that came, so
that what no edit touches leaves as it arrived.
"""
