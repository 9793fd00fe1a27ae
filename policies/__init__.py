"""Decides what leaves a context, and never acts.

A conversation's facts go in, a plan comes out: the *fold* walks the turns in order, and at each *checkpoint*
decides whether a *batch* is due, because the window forces it or because it pays. A batch clears old results and
arguments, drops the oldest turns, and as a last resort shortens what remains. The *plan* lists the edits, and its
*report* accounts for every token.

Pure: no input or output, no clock, no randomness. Counting and digesting are handed in (`terms.py`), so the same
conversation under the same terms gives the same plan on every replica and after every restart.
"""
