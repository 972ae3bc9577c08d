# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The launcher: from a Python call to the compiled kernel and back. Built once per environment.

A `Routine` is one compiled kernel with the plan of its call (`recipe.py`): which kinds of values it takes, what stands in each slot of
the block that the kernel reads, which arrays hold its results. A `Dispatcher` tries the routines of a kernel in turn.

A kernel's working memory comes from a `Heap`, which belongs to one call at a time. It counts every byte at each allocation and
release; released blocks are pooled and reused for requests of the same size, as long as pooling does not raise the peak.
"""

from cpython.buffer cimport PyBUF_STRIDES, PyBuffer_IsContiguous, PyBuffer_Release, PyObject_GetBuffer
from cpython.dict cimport PyDict_GetItemWithError
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer
from libc.stdint cimport int64_t, intptr_t
from libc.stdlib cimport free
from libc.string cimport memset

from numpy import bool_, empty, float32, float64, floating, integer, ndarray

cdef extern from "dfad.h":
    ctypedef struct dfad_workspace:
        int64_t site
        int64_t values[4]
        int64_t countdown
        void* (*allocate)(dfad_workspace*, int64_t, int64_t) noexcept nogil
        void (*release)(dfad_workspace*, void*) noexcept nogil
        int (*poll)(dfad_workspace*) noexcept nogil
        void* const* blas

cdef extern from "dlfcn.h" nogil:
    void* dlopen(const char*, int)
    void* dlsym(void*, const char*)
    const char* dlerror()
    int RTLD_NOW
    int RTLD_LOCAL

cdef extern from "stdlib.h" nogil:
    void* aligned_alloc(size_t, size_t)

cdef extern from "pthread.h" nogil:
    ctypedef struct pthread_mutex_t:
        pass
    int pthread_mutex_init(pthread_mutex_t*, void*)
    int pthread_mutex_lock(pthread_mutex_t*)
    int pthread_mutex_unlock(pthread_mutex_t*)
    int pthread_mutex_destroy(pthread_mutex_t*)

cdef extern from "time.h" nogil:
    cdef struct timespec:
        int64_t tv_sec
        int64_t tv_nsec
    int clock_gettime(int, timespec*)
    int CLOCK_MONOTONIC

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1

ctypedef int64_t (*kernel_t)(dfad_workspace*, int64_t*) noexcept nogil

CLASSES = ("tape", "snapshots", "temporaries", "copies", "adjoints", "results")

cdef enum:
    CLASS_COUNT = 6
    COPIES = 3
    ALIGNMENT = 64          # of every block, in bytes; also the size of its Head
    RETAINED = 1 << 29      # pooled bytes that outlive a call
    FIRST_STRIDE = 1 << 14  # loop iterations before the first poll

cdef double BETWEEN_POLLS = 0.05    # seconds


# ---------------------------------------------------------------- memory


cdef struct Head:                   # stands before every block
    Head* next
    Head* previous
    int64_t size                    # bytes asked for
    int64_t capacity                # bytes that it can hold
    int64_t kind                    # its memory class
    int64_t padding[3]


cdef struct Heap:
    dfad_workspace base             # first, so that a kernel's workspace is its heap
    pthread_mutex_t lock            # threads of one kernel may allocate at once
    Head* live
    Head* pooled
    int64_t pooled_bytes
    int64_t held                    # live and pooled bytes together
    int64_t peak
    int64_t held_by[CLASS_COUNT]
    int64_t peak_by[CLASS_COUNT]
    double polled                   # when, in seconds
    int64_t stride                  # loop iterations between two polls
    PyObject* owner


cdef inline void push(Head** first, Head* head) noexcept nogil:
    head.previous = NULL
    head.next = first[0]
    if first[0] != NULL:
        first[0].previous = head
    first[0] = head


cdef inline void unlink(Head** first, Head* head) noexcept nogil:
    if head.previous == NULL:
        first[0] = head.next
    else:
        head.previous.next = head.next
    if head.next != NULL:
        head.next.previous = head.previous


cdef void count(Heap* heap, int64_t size, int64_t kind) noexcept nogil:
    heap.held += size
    heap.held_by[kind] += size
    heap.peak = max(heap.peak, heap.held)
    heap.peak_by[kind] = max(heap.peak_by[kind], heap.held_by[kind])


cdef Head* reuse(Heap* heap, int64_t capacity) noexcept nogil:
    """A pooled block of exactly that capacity, out of the pool; NULL when there is none."""
    cdef Head* head = heap.pooled
    while head != NULL and head.capacity != capacity:
        head = head.next
    if head != NULL:
        unlink(&heap.pooled, head)
        heap.pooled_bytes -= head.size
        heap.held -= head.size
    return head


cdef void trim(Heap* heap, int64_t room) noexcept nogil:
    """Free pooled blocks until the held bytes are at most `room`."""
    cdef Head* head
    while heap.pooled != NULL and heap.held > room:
        head = heap.pooled
        unlink(&heap.pooled, head)
        heap.pooled_bytes -= head.size
        heap.held -= head.size
        free(head)


cdef Head* fresh(Heap* heap, int64_t size, int64_t capacity) noexcept nogil:
    """A new block; pooled ones make room for it where they would raise the peak, and where memory is short."""
    cdef Head* head
    trim(heap, heap.peak - size)
    head = <Head*>aligned_alloc(ALIGNMENT, ALIGNMENT + capacity)
    if head == NULL:
        trim(heap, 0)
        head = <Head*>aligned_alloc(ALIGNMENT, ALIGNMENT + capacity)
    return head


cdef void* allocate(dfad_workspace* workspace, int64_t size, int64_t kind) noexcept nogil:
    cdef Heap* heap = <Heap*>workspace
    cdef int64_t capacity = max((size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT, ALIGNMENT)
    cdef Head* head
    if size < 0 or size > (<int64_t>1 << 62):
        return NULL
    pthread_mutex_lock(&heap.lock)
    head = reuse(heap, capacity)
    if head == NULL:
        head = fresh(heap, size, capacity)
    if head != NULL:
        head.size, head.capacity, head.kind = size, capacity, kind
        push(&heap.live, head)
        count(heap, size, kind)
    pthread_mutex_unlock(&heap.lock)
    return NULL if head == NULL else <void*>(head + 1)


cdef void release(dfad_workspace* workspace, void* block) noexcept nogil:
    cdef Heap* heap = <Heap*>workspace
    cdef Head* head
    if block == NULL:
        return
    head = <Head*>block - 1
    pthread_mutex_lock(&heap.lock)
    unlink(&heap.live, head)
    push(&heap.pooled, head)
    heap.held_by[head.kind] -= head.size
    heap.pooled_bytes += head.size
    pthread_mutex_unlock(&heap.lock)


# ---------------------------------------------------------------- interrupts


cdef double now() noexcept nogil:
    cdef timespec time
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec + 1e-9 * time.tv_nsec


cdef int poll(dfad_workspace* workspace) noexcept nogil:
    """Look for a signal about every `BETWEEN_POLLS` seconds; true ends the call. The stride follows the speed of the loop."""
    cdef Heap* heap = <Heap*>workspace
    cdef double time = now(), elapsed = time - heap.polled
    if elapsed < 0.5 * BETWEEN_POLLS:
        heap.stride = min(2 * heap.stride, <int64_t>1 << 40)
    elif elapsed > BETWEEN_POLLS:
        heap.stride = max(<int64_t>(heap.stride * (BETWEEN_POLLS / elapsed)), 1)
    workspace.countdown = heap.stride
    heap.polled = time
    return 0 if elapsed < 0.1 * BETWEEN_POLLS else has_signal(heap.owner)


cdef int has_signal(PyObject* owner) noexcept with gil:
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        (<Workspace>owner).interrupt = error
        return 1
    return 0


cdef class Workspace:
    """What one call works with: the block that the kernel reads, the views of its arrays, and its heap."""

    cdef Heap heap
    cdef int64_t* block
    cdef int64_t* symbols
    cdef Py_buffer* views
    cdef bint* is_open
    cdef int view_count
    cdef object interrupt

    def __cinit__(self, int views, int slots, int symbols):
        memset(&self.heap, 0, sizeof(Heap))
        pthread_mutex_init(&self.heap.lock, NULL)
        self.heap.base.allocate = allocate
        self.heap.base.release = release
        self.heap.base.poll = poll
        self.heap.base.blas = blas_table
        self.heap.owner = <PyObject*>self
        self.view_count = views
        self.views = <Py_buffer*>PyMem_Calloc(views + 1, sizeof(Py_buffer))
        self.is_open = <bint*>PyMem_Calloc(views + 1, sizeof(bint))
        self.block = <int64_t*>PyMem_Calloc(slots + 1, sizeof(int64_t))
        self.symbols = <int64_t*>PyMem_Calloc(symbols + 1, sizeof(int64_t))
        if not (self.views and self.is_open and self.block and self.symbols):
            raise MemoryError

    def __dealloc__(self):
        self.drop_live()
        trim(&self.heap, 0)
        pthread_mutex_destroy(&self.heap.lock)
        PyMem_Free(self.views)
        PyMem_Free(self.is_open)
        PyMem_Free(self.block)
        PyMem_Free(self.symbols)

    cdef void begin(self) noexcept:
        """Start counting: what is pooled is held from the start."""
        cdef Heap* heap = &self.heap
        memset(heap.held_by, 0, sizeof(heap.held_by))
        memset(heap.peak_by, 0, sizeof(heap.peak_by))
        heap.held = heap.peak = heap.pooled_bytes
        heap.stride = heap.base.countdown = FIRST_STRIDE
        heap.polled = now()
        self.interrupt = None

    cdef void drop_live(self) noexcept:
        """Free what an ended call left."""
        cdef Head* head
        while self.heap.live != NULL:
            head = self.heap.live
            unlink(&self.heap.live, head)
            free(head)

    cdef void end(self) noexcept:
        """Close the views; keep the pool for the next call unless it is large."""
        cdef int index
        for index in range(self.view_count):
            if self.is_open[index]:
                PyBuffer_Release(&self.views[index])
                self.is_open[index] = False
        self.drop_live()
        self.heap.held = self.heap.pooled_bytes
        if self.heap.pooled_bytes > RETAINED:
            trim(&self.heap, 0)


# ---------------------------------------------------------------- routines


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
    inputs : sequence of (kind, dtype, ones, is_written, constant)
    outputs : sequence of (dtype, like, memory class, read)
        `like`: the input whose shape the array has; -1: `shapes` knows; -2: a scalar, which `read` takes from its bits.
    slots, symbols : sequence of (kind, which, part)
        What stands in the block, and the integers that `shapes` takes.
    shapes : callable or None
        The shapes of all outputs, from the integers.
    returns : int, tuple or None
        What a call gives: positions among the inputs and outputs, nested as the result is.
    fail : callable
        (status, site, values) -> the exception for a status other than 0.
    sizes : sequence of int or None
        The integers for which it was planned; it misses others.
    """

    cdef kernel_t function
    cdef int input_count, slot_count, symbol_count
    cdef Expected* expected
    cdef Slot* slots
    cdef Slot* symbols
    cdef list dtypes, constants
    cdef tuple outputs
    cdef object shapes, returns, fail, sizes
    cdef list workspaces
    cdef int64_t last[CLASS_COUNT + 1]

    def __cinit__(self, intptr_t address, inputs, outputs, slots, symbols, shapes, returns, fail, sizes=None):
        self.function = <kernel_t>address
        self.input_count, self.slot_count, self.symbol_count = len(inputs), len(slots), len(symbols)
        self.expected = <Expected*>PyMem_Calloc(self.input_count + 1, sizeof(Expected))
        self.slots = <Slot*>PyMem_Calloc(self.slot_count + 1, sizeof(Slot))
        self.symbols = <Slot*>PyMem_Calloc(self.symbol_count + 1, sizeof(Slot))
        if not (self.expected and self.slots and self.symbols):
            raise MemoryError
        self.dtypes, self.constants = [], []
        for index, (kind, dtype, ones, is_written, constant) in enumerate(inputs):
            bits = sum(1 << d for d, one in enumerate(ones) if one)
            free = sum(1 << d for d, one in enumerate(ones) if one is None)
            self.expected[index] = Expected(kind, len(ones), bits, free, 1, is_written)
            if kind == ARRAY:
                self.expected[index].itemsize = dtype.itemsize
            self.dtypes.append(dtype)
            self.constants.append(constant)
        copy_slots(self.slots, slots)
        copy_slots(self.symbols, symbols)
        self.outputs, self.shapes, self.returns, self.fail = tuple(outputs), shapes, returns, fail
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
        try:
            if not self.takes(values, workspace) or self.overlaps(workspace):
                return MISS
            if self.measure(workspace):
                trim(&workspace.heap, 0)
            if self.sizes is not None and self.sizes != [workspace.symbols[index] for index in range(self.symbol_count)]:
                return MISS
            workspace.begin()
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
        """Whether an array that is written shares bytes with another one."""
        cdef int first, second
        cdef Py_buffer* written
        cdef Py_buffer* other
        for first in range(self.input_count):
            if self.expected[first].is_written:
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
        cdef list products = list(values)
        self.make_outputs(products, values, workspace)
        self.fill_block(workspace)
        with nogil:
            status = self.function(&workspace.heap.base, workspace.block)
        self.remember(&workspace.heap)
        if status != 0:
            workspace.drop_live()
            raise self.error(status, workspace)
        self.read_scalars(products, workspace)
        return arrange(self.returns, products)

    cdef int make_outputs(self, list products, tuple values, Workspace workspace) except -1:
        """Append an array for each output, None for a scalar."""
        cdef int index = self.input_count
        cdef object shapes = None
        cdef int position = 0, like
        if self.shapes is not None:
            shapes = self.shapes(*[workspace.symbols[which] for which in range(self.symbol_count)])
        for dtype, like, kind, _ in self.outputs:
            if like == -2:
                products.append(None)
            else:
                array = empty(values[like].shape if like >= 0 else shapes[position], dtype)
                PyObject_GetBuffer(array, &workspace.views[index], PyBUF_STRIDES)
                workspace.is_open[index] = True
                count(&workspace.heap, workspace.views[index].len, kind)
                products.append(array)
            index += 1
            position += 1
        return 0

    cdef void fill_block(self, Workspace workspace) noexcept:
        cdef int index
        cdef Slot* slot
        for index in range(self.slot_count):
            slot = &self.slots[index]
            if slot.kind == ADDRESS:
                workspace.block[index] = <int64_t><intptr_t>workspace.views[slot.which].buf
            elif slot.kind == SCALAR:
                workspace.block[index] = 0
            elif slot.kind == BITS and slot.part == 4:
                workspace.block[index] = 0
                (<float*>&workspace.block[index])[0] = <float>(<double*>&workspace.views[slot.which].len)[0]
            else:
                workspace.block[index] = integer_at(slot, workspace)

    cdef int read_scalars(self, list products, Workspace workspace) except -1:
        cdef int index, place
        for index in range(self.slot_count):
            if self.slots[index].kind == SCALAR:
                place = self.slots[index].which
                read = self.outputs[place - self.input_count][3]
                products[place] = scalar(read, &workspace.block[index])
        return 0

    cdef void remember(self, Heap* heap) noexcept:
        cdef int kind
        for kind in range(CLASS_COUNT):
            self.last[kind] = heap.peak_by[kind]
        self.last[CLASS_COUNT] = heap.peak

    cdef object error(self, int64_t status, Workspace workspace):
        cdef int index
        if status == 1:
            return MemoryError("a kernel found no memory for its working arrays")
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


# ---------------------------------------------------------------- dispatch


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


# ---------------------------------------------------------------- libraries


cdef void* blas_table[8]            # in the order of dfad.h


def connect_blas():
    """Fill in the routines that kernels call for matrix products; scipy brings them."""
    from scipy.linalg import cython_blas
    if blas_table[0] == NULL:
        for index, name in enumerate(("dgemm", "dgemv", "dger", "ddot", "sgemm", "sgemv", "sger", "sdot")):
            capsule = cython_blas.__pyx_capi__[name]
            blas_table[index] = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))


def load(path):
    """The address of the kernel in a shared library; OSError when it does not load."""
    cdef bytes name = path.encode()
    cdef void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)
    cdef void* symbol = NULL if library == NULL else dlsym(library, b"dfad_kernel")
    if symbol == NULL:
        raise OSError(dlerror().decode(errors="replace"))
    return <intptr_t>symbol
