"""Agent sessions to replay, made where recorded ones are not at hand; the same input gives the same bytes.

    python -m benchmarks.sessions OUT_FOLDER [--repository PATH] [--commits N] [--seed N]

writes OUT_FOLDER/{long,short,service}/*.json, one session a file, as request bodies that `forebay replay` reads.

    long     an agent that does a stretch of a git repository's history over again, commit by commit, in one session
    short    one commit each, as a task for an agent that opens files in windows of 100 lines
    service  a customer's wishes at the desk of a shop; orders, variants and flights as JSON

What coding sessions read is real: files, searches, listings, differences and logs of the repository as it stood before
each commit; what they write are the commit's own hunks and files. Made up are test runs (names and code lines in
them are real) and what the agent says, which names what it read. Only part of a large commit is done over again, so
that a session has the length and the mix of real ones: see `pace.py`. They stand in for recorded sessions and prove
nothing about how well a model works.

    repository.py            commits, trees, texts and hunks, through git
    transcript.py, tools.py  the messages so far; tool definitions
    printed.py, testing.py   what commands print; test runs, green and red
    remarks.py               what the agent says, and what it remembers
    work.py, pace.py         one file's work; how much is read at once
    long.py, short.py        the two kinds of coding session
    world.py, service.py     the shop's data, and its desk
    texts/                   the three system prompts
"""
