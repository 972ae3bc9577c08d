"""Program -> Program, one rewrite per file; ``before.py`` and ``after.py`` name the order."""
