"""Text -> callable: compile, keep, load and call.

``toolchain`` who compiles, and how; ``build`` text to shared library; ``cache`` what is kept; ``recipe`` the plan of a call, as plain
data; ``describe`` Program to recipe; ``names`` what a kernel's names mean; ``call`` a call's arguments; ``launcher/`` the compiled
part of a call; ``launch`` loads it. Only ``build`` and ``describe`` need the compiler rooms: a kernel from the cache loads without them.
"""
