"""The language of dfad: its definition (grammar.md), nodes, memlets, and what works on any Program.

``dtype`` element types; ``memlet`` subsets; ``nodes`` the tree; ``operations`` the elementary operations; ``walk`` traversal and
rewriting; ``verify`` well-formedness; ``show`` the listing; ``evaluate`` the reference interpreter; ``dataflow`` the graph view.
"""
