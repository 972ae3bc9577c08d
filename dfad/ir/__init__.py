"""The language of dfad: its definition (grammar.md), nodes, memlets, and what works on any Program.

``dtype`` element types; ``memlet`` subsets; ``nodes`` the tree; ``operations`` the elementary operations; ``signature`` types of a call;
``walk`` traversal and rewriting; ``algebra`` builds expressions; ``names`` fresh names; ``integer`` the value of symbolic integers;
``verify`` well-formedness; ``show`` the listing; ``lifetimes`` when arrays are allocated; ``evaluate`` the reference interpreter;
``dataflow`` the graph view.
"""
