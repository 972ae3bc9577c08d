"""Demands + budget + costs -> Plan -> a Program without open Demands.

``record`` is the unlimited plan: slots (``tape``), scalars recomputed or stored (``scalars``), its working state (``demands``).
``planner`` is the budget: ``values`` and ``question`` put a gradient Program as a ``problem`` of plain records, with ``costs`` and a
``footprint``; ``ilp`` answers it (``model``), ``search`` where it is too large; ``realize`` and ``postpone`` put the answer into effect.
``parts`` cuts the result to what a call wants.
"""
