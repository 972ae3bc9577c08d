# The routines of one kernel, tried in turn; what names mean now.

cdef class Dispatcher:
    """The routines of one kernel, the last added first.

    A routine is added with `guards`, (namespace, name, object or None): it holds as long as the name means that object (None: nothing),
    and `hidden`, (namespace, name): the values to read anew at each call. A namespace is a dict, or a cell with the name None.
    """

    cdef tuple defaults
    cdef int parameter_count
    cdef tuple entries
    cdef public object last

    def __init__(self, int parameter_count, tuple defaults):
        self.parameter_count, self.defaults, self.entries, self.last = parameter_count, defaults, (), None

    def add(self, Routine routine, tuple guards, tuple hidden):
        """Put a routine before the others; those whose guards hold no more are dropped."""
        self.entries = ((routine, guards, hidden), *(entry for entry in self.entries if holds(entry[1])))

    def __call__(self, tuple args):
        """The result of the first routine that takes these arguments, else MISS."""
        cdef Routine routine
        cdef tuple guards, hidden
        cdef int missing = self.parameter_count - len(args)
        if missing != 0:
            if missing < 0 or missing > len(self.defaults):
                return MISS
            args = args + self.defaults[len(self.defaults) - missing:]
        for entry in self.entries:
            routine, guards, hidden = <Routine>(<tuple>entry)[0], <tuple>(<tuple>entry)[1], <tuple>(<tuple>entry)[2]
            if holds(guards):
                result = routine(args + read(hidden) if hidden else args)
                if result is not MISS:
                    self.last = routine
                    return result
        return MISS


cdef PyObject* meaning(object namespace, object name) except? NULL:
    """What a name means now, borrowed; NULL for nothing."""
    if name is None:
        try:
            return <PyObject*>namespace.cell_contents
        except ValueError:
            return NULL
    return PyDict_GetItemWithError(namespace, name)


cpdef bint holds(tuple guards) except -1:
    """Whether every name still means the same."""
    cdef PyObject* found
    for namespace, name, expected in guards:
        found = meaning(namespace, name)
        if found != (NULL if expected is None else <PyObject*>expected):
            return False
    return True


cpdef tuple read(tuple hidden):
    """What the names mean now."""
    cdef PyObject* found
    values = []
    for namespace, name in hidden:
        found = meaning(namespace, name)
        values.append(None if found == NULL else <object>found)
    return tuple(values)
