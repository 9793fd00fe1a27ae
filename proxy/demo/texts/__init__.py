"""What the demo's tools answer: source files, logs and listings of an invented project.

Every text is a function of its arguments and a seed: the same on every machine and in every run.
"""
