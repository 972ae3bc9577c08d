"""From a PRIMAL Program to an ADJOINT one with open demands.

``rules`` the partial derivatives of operations; ``accumulate`` turns one statement into its adjoint statements, ``library`` one operation
on whole subsets (with ``nests`` of loops), ``collector`` gathers them; ``exchanges`` what a sweep does to names (``places``: where data
say so); ``trips`` counts those of a while; ``reverse`` turns regions round.
"""
