"""From a PRIMAL Program to an ADJOINT one with open demands.

``rules`` the partial derivatives of operations; ``algebra`` builds their expressions; ``accumulate`` turns one statement into its adjoint
statements; ``reverse`` turns regions round.
"""
