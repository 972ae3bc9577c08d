"""Demands + budget + costs -> Plan -> a Program without open Demands.

``record`` is the unlimited plan: what is wanted (``demands``) and not ``equal`` to what else is, of what is only compared a byte
(``sides``; ``decide``), slots (``tape``, ``rows`` where it grows), none for a constant that a ``first`` trip finds, ``locals`` of loop
bodies computed again (``replay``; when: ``levels``) or stored, by a least ``cut``; ``classes`` says what of it is tape, and what a sweep
fills ``afresh``.
``planner`` is the budget: ``values`` and ``question`` put a gradient Program as a ``problem`` of plain records, with ``costs`` and a
``footprint``; ``ilp`` answers it (``model``), ``search`` where it is too large; ``realize`` and ``postpone`` put the answer into effect,
``audit`` looks at it a second time; of several Programs ``choice`` takes the best. ``report`` is what is told of it. ``parts`` cuts the
result to what a call wants.
"""
