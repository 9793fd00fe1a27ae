"""Measurements of the running proxy beside others; ratios, never assertions."""
