"""From a PRIMAL Program to an ADJOINT one with open demands.

``rules`` the partial derivatives of operations; ``accumulate`` turns one statement into its adjoint
statements; ``reverse`` turns regions round.
"""
