"""Facts about a Program, never a new Program.

For the adjoint and the plan: ``activity`` what a derivative can flow through; ``statements`` what runs, in the order of the text;
``instances`` their iteration domains, order and accesses; ``buffers`` which buffer an exchanged name stands for; ``sets`` the bridge to
isl; ``versions`` which writes overwrite a demanded value; ``equalities`` what cells are known to equal.
For the rewrites: ``shifts`` how far apart the accesses of a perfect nest lie; ``recurrences`` what flows through an innermost loop from
trip to trip; ``extents`` which extents a Check has made equal; ``independence`` of the trips of a loop; ``work`` how much a loop has to do.
"""
