"""Python source -> Program: what the function's text and the types of its arguments say, in the language of `dfad.ir`.

`fence.check` refuses what the language does not have, without types and without sympy; `lower.lower` gives the Program.
"""
