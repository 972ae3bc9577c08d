"""Program -> Program with the same meaning, one rewrite per file, in five lists that name their order.

``before`` differentiation: ``renew`` arrays that are changed in place, ``substitute`` arrays that are read once, ``number`` equal values,
``factors`` of matrices, products with ``columns``, in ``strips`` and ``windows``, ``twins`` for copies, ``ends`` of loops that are left,
arrays that trips make anew taken ``apart``, indices without ``wraps``, ``guards`` as scalars. ``between`` the default plan and a budget:
``tidy`` empty regions, ``dead`` statements (``unread`` cells in nests), ``initial`` contributions as assignments, ``aliases`` of
arguments, ``gather`` for adjoint stencils (its loops: ``pieces``; costly values first: ``spread``). ``fused`` where everything is kept:
``extents`` that Checks compare have one form, loops of one trip are their body (``once``), sums under conditions are sums of choices
(``choose``), loops of one range are one (``fuse``), arrays that one loop alone uses shrink (``contract``). ``after`` the plan: ``upward``
loops, ``distribute`` recurrences, ``carry`` their values, ``unswitch`` conditions. ``last``, into the language of emit: ``lower_library``,
products of one matrix in ``panels``, ``registers`` for cells; where several threads are allowed, ``parallel`` marks the loops that they
may share.
"""
