"""The one place where Forebay's version stands."""

VERSION = "0.1.0"
