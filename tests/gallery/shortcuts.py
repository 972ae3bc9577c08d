"""."""

ENTRIES = ()
