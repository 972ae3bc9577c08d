"""Python source -> Program: what the function's text and the types of its arguments say, in the language of `dfad.ir`.

``fence.check`` refuses what the language does not have, without types and without sympy; ``lower.lower`` gives the Program. It tries,
learns what it took a variable for wrongly, and begins again (``scope.Learned``).

The text first, syntax tree to syntax tree: what is ``comprehended`` becomes functions, ``inner`` functions are taken out (``built``
nodes stand for them), ``lists`` that append assign, ``exits`` become guards,
tuples that change are ``unpacked``, ``liveness`` of what is left. Then ``statements``, ``assignments``, ``expressions`` and
``conditional`` ones one by one, with ``calls`` and what they ``inline``; loops in ``trips`` and ``counted``; ``scope`` says where
lowering stands, ``names`` what comes from outside, ``builder`` and ``blocks`` hold the Program.
What values are: ``values``; ``arithmetic`` and ``powers`` of numbers, ``elementwise`` of arrays, ``masks`` and ``packing`` of what they
let through, ``sequences`` and ``literals``; ``attributes``, ``brackets``, ``indexing``, ``choices`` and ``positions`` of subscripts;
``arrays`` stores.
What names mean: ``variables`` bind, ``homes`` carry through regions, ``early`` reads before, ``rooms`` for what changes its length,
``exchanges``, ``selections`` of one of several (``oneof``, ``holes``, ``buffers``), ``doubts`` where a copy may be wrong, ``spread``
where masked elements may stay, ``computed`` results.
What is proven: ``affine`` and ``guards`` about integers, ``bounds``; ``undefined`` reads; ``written`` names in messages.
The functions: ``functions``, ``builtin`` and ``keywords``; ``creation``, ``shapes``, ``shifted``, ``reductions``, ``scans``,
``products``, ``einsum``, ``grids`` as nests; ``spelled`` as texts of the language itself: ``composed``, ``mathematics``, ``algebra``,
``assembled``, ``compared``, ``ordering``, ``searches``, ``padding``, with ``flat`` values; ``tables`` collects them.
"""
