"""The one error that the notebook layer adds to dfad's own."""

from dfad import DfadError


class OptionError(DfadError):
    """A magic was given an option, a value or a CALL that it does not take.

    IPython's own `UsageError` is printed without an `error` output, so that a notebook run would go on after it; this one stops it.
    """
