# One compiled kernel: which values it takes, and its call.

cdef enum InputKind:                # as recipe.py numbers them
    ARRAY = 0
    INTEGER = 1
    FLOAT = 2
    CONSTANT = 3

cdef enum SlotKind:
    EXTENT = 0                      # of input `which` in dimension `part`
    NUMBER = 1                      # integer input `which`
    BITS = 2                        # of float input `which`, as a double (part 8) or a float (part 4)
    ADDRESS = 3                     # of array `which`: inputs first, then outputs
    SCALAR = 4                      # the kernel writes output `which` here
    GROWN = 5                       # the class of the memory of output `which`, in whose place the kernel leaves its address
    MADE = 6                        # `which` itself: an output whose memory the kernel asks for once it knows its size

cdef struct Slot:
    int kind
    int which
    int part


cdef struct Expected:
    int kind
    int rank
    int64_t ones                    # bit d: the extent of dimension d is 1
    int64_t free                    # bit d: the extent of dimension d may be 1 or not
    int64_t itemsize
    bint is_written
    bint is_updated                 # written, or updated in a copy: shares memory with no other argument


class Miss:
    """The type of MISS."""


MISS = Miss()
"""What a routine answers to values that are not of its types."""


cdef class Routine:
    """One compiled kernel and the plan of its call.

    Parameters
    ----------
    address : int
        The address of the compiled function.
    inputs : sequence of (kind, dtype, ones, is_written, is_updated, constant)
    outputs : sequence of (dtype, like, memory class, read, extents)
        `like`: the input whose shape the array has; -1: `shapes` knows; -2: a scalar, which `read` takes from its bits; -3: memory
        that the kernel makes, which comes back as a vector; -4: an array of the shape that the kernel leaves in the scalars `extents`.
    slots, symbols : sequence of (kind, which, part)
        What stands in the block, and the integers that `shapes` takes.
    shapes : callable or None
        The shapes of all outputs, from the integers.
    returns : int, tuple or None
        What a call gives: positions among the inputs and outputs, nested as the result is.
    fail : callable
        (status, site, values) -> the exception for a status other than 0; for 1 the values are the bytes that were asked for, and held.
    sizes : sequence of int or None
        The integers for which it was planned; it misses others.
    threads : int
        How many threads may share a loop or a matrix product; 0 asks the environment at each call.
    uses_blas : bool
        Whether there are matrix products.
    """

    cdef kernel_t function
    cdef int input_count, slot_count, symbol_count, threads
    cdef bint uses_blas
    cdef Expected* expected
    cdef Slot* slots
    cdef Slot* symbols
    cdef list dtypes, constants, made
    cdef tuple outputs
    cdef object shapes, returns, fail, sizes
    cdef list workspaces
    cdef int64_t last[CLASS_COUNT + 1]

    def __cinit__(self, intptr_t address, inputs, outputs, slots, symbols, shapes, returns, fail, sizes=None, int threads=1,
                  bint uses_blas=False):
        self.function = <kernel_t>address
        self.input_count, self.slot_count, self.symbol_count = len(inputs), len(slots), len(symbols)
        self.expected = <Expected*>PyMem_Calloc(self.input_count + 1, sizeof(Expected))
        self.slots = <Slot*>PyMem_Calloc(self.slot_count + 1, sizeof(Slot))
        self.symbols = <Slot*>PyMem_Calloc(self.symbol_count + 1, sizeof(Slot))
        if not (self.expected and self.slots and self.symbols):
            raise MemoryError
        self.dtypes, self.constants = [], []
        for index, (kind, dtype, ones, is_written, is_updated, constant) in enumerate(inputs):
            bits = sum(1 << d for d, one in enumerate(ones) if one)
            free = sum(1 << d for d, one in enumerate(ones) if one is None)
            self.expected[index] = Expected(kind, len(ones), bits, free, 1, is_written, is_updated)
            if kind == ARRAY:
                self.expected[index].itemsize = dtype.itemsize
            self.dtypes.append(dtype)
            self.constants.append(constant)
        copy_slots(self.slots, slots)
        copy_slots(self.symbols, symbols)
        self.outputs, self.shapes, self.returns, self.fail = tuple(outputs), shapes, returns, fail
        self.made = [*self.dtypes, *(dtype for dtype, *_ in outputs)]
        self.threads, self.uses_blas = threads, uses_blas
        self.workspaces, self.sizes = [], None if sizes is None else list(sizes)

    def __dealloc__(self):
        PyMem_Free(self.expected)
        PyMem_Free(self.slots)
        PyMem_Free(self.symbols)

    @property
    def memory(self):
        """The peak bytes of each class in the last call, and the peak of their sum, pooled bytes included."""
        found = {name: self.last[index] for index, name in enumerate(CLASSES)}
        found["peak"] = self.last[CLASS_COUNT]
        return found

    @property
    def pooled(self):
        """The bytes that idle workspaces hold for the next call."""
        cdef Workspace workspace
        cdef int64_t found = 0
        for workspace in self.workspaces:
            found += workspace.heap.pooled_bytes
        return found

    def free_pool(self):
        """Give the pooled memory back."""
        self.workspaces.clear()

    def __call__(self, tuple values, int64_t copied=0):
        """Run; MISS when the values are not of the routine's types. `copied`: bytes that the caller copied for the call."""
        cdef Workspace workspace
        cdef int index
        if len(values) != self.input_count:
            return MISS
        try:
            workspace = <Workspace>self.workspaces.pop()
        except IndexError:
            workspace = Workspace(self.input_count + len(self.outputs), self.slot_count, self.symbol_count)
        workspace.wake()
        try:
            if not self.takes(values, workspace) or self.overlaps(workspace):
                return MISS
            if self.measure(workspace):
                trim(&workspace.heap, 0)
            if self.sizes is not None:
                drop_spare()
            if self.sizes is not None and self.sizes != [workspace.symbols[index] for index in range(self.symbol_count)]:
                return MISS
            workspace.begin(self.threads)
            if copied:
                count(&workspace.heap, copied, COPIES)
            return self.run(values, workspace)
        finally:
            workspace.end()
            self.workspaces.append(workspace)

    cdef bint takes(self, tuple values, Workspace workspace) except -1:
        """Whether the values are of the expected types; opens the views of the arrays and fills in the scalars."""
        cdef int index, kind
        cdef object value
        for index in range(self.input_count):
            value = values[index]
            kind = self.expected[index].kind
            if kind == ARRAY:
                if not self.takes_array(value, index, workspace):
                    return False
            elif kind == INTEGER:
                if not takes_integer(value, <int64_t*>&workspace.views[index].len):
                    return False
            elif kind == FLOAT:
                if not takes_float(value, <double*>&workspace.views[index].len):
                    return False
            elif value is not self.constants[index] and not (type(value) is str and value == self.constants[index]):
                return False
        return True

    cdef bint takes_array(self, object value, int index, Workspace workspace) except -1:
        cdef Expected* expected = &self.expected[index]
        cdef Py_buffer* view = &workspace.views[index]
        cdef int dimension
        if type(value) is not ndarray or value.dtype is not self.dtypes[index]:
            return False
        PyObject_GetBuffer(value, view, PyBUF_STRIDES)
        workspace.is_open[index] = True
        if view.ndim != expected.rank or (expected.is_written and view.readonly):
            return False
        for dimension in range(expected.rank):
            if (view.shape[dimension] == 1) != ((expected.ones >> dimension) & 1) and not (expected.free >> dimension) & 1:
                return False
        return PyBuffer_IsContiguous(view, c'C') and <intptr_t>view.buf % expected.itemsize == 0

    cdef bint overlaps(self, Workspace workspace) noexcept:
        """Whether an array that is updated shares bytes with another one."""
        cdef int first, second
        cdef Py_buffer* written
        cdef Py_buffer* other
        for first in range(self.input_count):
            if self.expected[first].is_updated:
                written = &workspace.views[first]
                for second in range(self.input_count):
                    other = &workspace.views[second]
                    if (second != first and self.expected[second].kind == ARRAY and written.len and other.len
                            and <char*>written.buf < <char*>other.buf + other.len
                            and <char*>other.buf < <char*>written.buf + written.len):
                        return True
        return False

    cdef bint measure(self, Workspace workspace) noexcept:
        """Fill in the integers; true when they differ from those of the workspace's last call, whose blocks then fit no more."""
        cdef int index
        cdef int64_t value
        cdef bint differs = False
        for index in range(self.symbol_count):
            value = integer_at(&self.symbols[index], workspace)
            differs |= value != workspace.symbols[index]
            workspace.symbols[index] = value
        return differs

    cdef object run(self, tuple values, Workspace workspace):
        cdef int64_t status
        cdef int before = 0
        cdef list products = list(values)
        self.make_outputs(products, values, workspace)
        self.fill_block(workspace)
        if self.uses_blas:
            before = limit_blas(<int>team(&workspace.heap.base))
        with nogil:
            status = self.function(&workspace.heap.base, workspace.block)
        if before:
            limit_blas(before)
        self.remember(&workspace.heap)
        if status != 0:
            workspace.drop_live()
            raise self.error(status, workspace)
        self.read_results(products, workspace)
        return arrange(self.returns, products)

    cdef int make_outputs(self, list products, tuple values, Workspace workspace) except -1:
        """Append an array for each output, None for a scalar."""
        cdef int index = self.input_count
        cdef object shapes = None
        cdef int position = 0, like
        if self.shapes is not None:
            shapes = self.shapes(*[workspace.symbols[which] for which in range(self.symbol_count)])
        workspace.products, workspace.made = products, self.made
        for dtype, like, kind, _, _ in self.outputs:
            if like <= -2:
                products.append(None)
            else:
                shape = values[like].shape if like >= 0 else shapes[position]
                try:
                    array = self.output(shape, dtype, kind)
                except MemoryError:
                    raise self.fail(1, -1, (prod(shape) * dtype.itemsize, workspace.heap.held)) from None
                workspace.view(index, array)
                count(&workspace.heap, workspace.views[index].len, kind)
                products.append(array)
            index += 1
            position += 1
        return 0

    cdef object output(self, shape, dtype, int kind):
        """An array that nothing has filled in; what another sweep reads may lie in memory that was used before, without a budget."""
        cdef int64_t size = dtype.itemsize
        for extent in shape:
            size *= extent
        if kind == RESULTS or size < WORTHWHILE or self.sizes is not None:
            return empty(shape, dtype)
        return kept_array(shape, dtype, size)

    cdef void fill_block(self, Workspace workspace) noexcept:
        cdef int index
        cdef Slot* slot
        for index in range(self.slot_count):
            slot = &self.slots[index]
            if slot.kind == ADDRESS:
                workspace.block[index] = <int64_t><intptr_t>workspace.views[slot.which].buf
            elif slot.kind == GROWN:
                workspace.block[index] = self.outputs[slot.which - self.input_count][2]
            elif slot.kind == MADE:
                workspace.block[index] = slot.which
            elif slot.kind == SCALAR:
                workspace.block[index] = 0
            elif slot.kind == BITS and slot.part == 4:
                workspace.block[index] = 0
                (<float*>&workspace.block[index])[0] = <float>(<double*>&workspace.views[slot.which].len)[0]
            else:
                workspace.block[index] = integer_at(slot, workspace)

    cdef int read_results(self, list products, Workspace workspace) except -1:
        """Take scalars and memory that the kernel made out of the block."""
        cdef int index, place
        for index in range(self.slot_count):
            place = self.slots[index].which
            if self.slots[index].kind == SCALAR:
                read = self.outputs[place - self.input_count][3]
                products[place] = scalar(read, &workspace.block[index])
            elif self.slots[index].kind == GROWN:
                products[place] = take_over(workspace, workspace.block[index], self.outputs[place - self.input_count][0])
        for place in range(self.input_count, len(products)):
            dtype, like, _, _, extents = self.outputs[place - self.input_count]
            if <int>like == -4:
                workspace.close(place)
                shape = tuple([products[extent] for extent in extents])
                if products[place] is None:
                    products[place] = empty(shape, dtype)
                elif len(shape) > 1:
                    products[place].resize(shape, refcheck=False)
        return 0

    cdef void remember(self, Heap* heap) noexcept:
        cdef int kind
        count_grown(heap)
        for kind in range(CLASS_COUNT):
            self.last[kind] = heap.peak_by[kind]
        self.last[CLASS_COUNT] = heap.peak

    cdef object error(self, int64_t status, Workspace workspace):
        cdef int index
        if status == 1:
            return self.fail(status, -1, (workspace.heap.refused, workspace.heap.held))
        if status == 3 and workspace.interrupt is not None:
            error, workspace.interrupt = workspace.interrupt, None
            return error
        return self.fail(status, workspace.heap.base.site, tuple([workspace.heap.base.values[index] for index in range(4)]))


cdef int copy_slots(Slot* target, slots) except -1:
    for index, (kind, which, part) in enumerate(slots):
        target[index] = Slot(kind, which, part)
    return 0


cdef inline int64_t integer_at(Slot* slot, Workspace workspace) noexcept:
    """An extent of an array, or the integer (or the bits of the float) that `takes` left in the place of a view."""
    cdef Py_buffer* view = &workspace.views[slot.which]
    return view.shape[slot.part] if slot.kind == EXTENT else view.len


cdef bint takes_integer(object value, int64_t* place) except -1:
    cdef int overflow = 0
    if not PyLong_CheckExact(value):
        if not isinstance(value, integer):
            return False
        value = int(value)
    place[0] = PyLong_AsLongLongAndOverflow(value, &overflow)
    return overflow == 0


cdef bint takes_float(object value, double* place) except -1:
    if PyFloat_Check(value):
        place[0] = PyFloat_AS_DOUBLE(value)
        return True
    if isinstance(value, floating):
        place[0] = float(value)
        return True
    return False


cdef object scalar(int read, int64_t* place):
    """A scalar result from its bits, as recipe.py numbers the ways."""
    if read == 0:
        return (<double*>place)[0]
    if read == 1:
        return <double>(<float*>place)[0]
    if read == 2:
        return place[0]
    if read == 3:
        return (place[0] & 0xFF) != 0
    if read == 4:
        return float64((<double*>place)[0])
    return float32((<float*>place)[0])


cdef object arrange(object returns, list products):
    if type(returns) is int:
        return products[<int>returns]
    if returns is None:
        return None
    return tuple([arrange(part, products) for part in returns])
