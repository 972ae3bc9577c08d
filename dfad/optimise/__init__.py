"""Program -> Program with the same meaning, one rewrite per file, in four lists that name their order.

``before`` differentiation: ``substitute`` arrays that are read once, ``ends`` of loops that are left, indices without ``wraps``,
``guards`` as scalars. ``between`` the default plan and a budget: ``tidy`` empty regions, ``dead`` statements (``unread`` cells in nests),
``initial`` contributions as assignments, ``aliases`` of arguments, ``gather`` for adjoint stencils (its loops: ``pieces``; costly values
first: ``spread``). ``after`` the plan: ``upward`` loops, ``distribute`` recurrences, ``carry`` their values, ``unswitch`` conditions.
``last``, into the language of emit: ``lower_library``, ``registers`` for cells;
where several threads are allowed, ``parallel`` marks the loops that they may share.
"""
