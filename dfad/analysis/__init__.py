"""Facts about a Program, never a new Program.

``activity`` what a derivative can flow through; ``instances`` statements, their iteration domains and their order; ``sets`` the bridge to
isl; ``versions`` which writes overwrite a demanded value.
"""
