# What one call works with, and the question that long loops ask: whether a signal waits.

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


cdef void* make(dfad_workspace* workspace, int64_t place, int64_t size) noexcept with gil:
    """A result whose size the kernel computes, an array of its own, not set to anything; NULL when there is no memory."""
    cdef Heap* heap = <Heap*>workspace
    try:
        return (<Workspace>heap.owner).make(place, size)
    except (MemoryError, ValueError):
        heap.refused = size
        return NULL


cdef class Workspace:
    """What one call works with: the block that the kernel reads, the views of its arrays, what the call gives, and its heap."""

    cdef Heap heap
    cdef int64_t* block
    cdef int64_t* symbols
    cdef Py_buffer* views
    cdef bint* is_open
    cdef int view_count
    cdef list products
    cdef list made                  # of what the kernel makes: the dtypes by place
    cdef object interrupt

    def __cinit__(self, int views, int slots, int symbols):
        memset(&self.heap, 0, sizeof(Heap))
        pthread_mutex_init(&self.heap.lock, NULL)
        self.heap.base.allocate = allocate
        self.heap.base.reserve = reserve
        self.heap.base.grow = grow
        self.heap.base.make = make
        self.heap.base.release = release
        self.heap.base.poll = poll
        self.heap.base.team = team
        self.heap.base.share = share
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
        global idle_bytes
        self.drop_live()
        idle_bytes -= self.heap.pooled_bytes
        trim(&self.heap, 0)
        pthread_mutex_destroy(&self.heap.lock)
        PyMem_Free(self.views)
        PyMem_Free(self.is_open)
        PyMem_Free(self.block)
        PyMem_Free(self.symbols)

    cdef void wake(self) noexcept:
        """Out of the idle ones; `end` puts it back among them."""
        global idle_bytes
        idle_bytes -= self.heap.pooled_bytes

    cdef void begin(self, int64_t threads) noexcept:
        """Start counting: what is pooled is held from the start."""
        cdef Heap* heap = &self.heap
        heap.base.threads = threads if threads > 0 else asked_threads()
        memset(heap.held_by, 0, sizeof(heap.held_by))
        memset(heap.peak_by, 0, sizeof(heap.peak_by))
        heap.held = heap.peak = heap.pooled_bytes
        heap.stride = heap.base.countdown = FIRST_STRIDE
        heap.polled = now()
        self.interrupt = None

    cdef void* make(self, int64_t place, int64_t size) except NULL:
        """A vector of that many bytes in that place of what the call gives; pooled memory makes room for it where it would raise the peak."""
        cdef Py_buffer* view = &self.views[place]
        dtype = self.made[place]
        trim(&self.heap, self.heap.peak - size)
        array = self.products[place] = empty(size // dtype.itemsize, dtype)
        self.view(place, array)
        count(&self.heap, view.len, RESULTS)
        return view.buf

    cdef int view(self, int64_t place, array) except -1:
        """Open the view of an array; `end` closes it."""
        PyObject_GetBuffer(array, &self.views[place], PyBUF_STRIDES)
        self.is_open[place] = True
        return 0

    cdef void close(self, int64_t place) noexcept:
        if self.is_open[place]:
            PyBuffer_Release(&self.views[place])
            self.is_open[place] = False

    cdef void drop_live(self) noexcept:
        """Free what an ended call left."""
        cdef Head* head
        while self.heap.live != NULL or self.heap.growing != NULL:
            head = self.heap.live if self.heap.live != NULL else self.heap.growing
            unlink(&self.heap.growing if head.space else &self.heap.live, head)
            give_back(head)

    cdef void end(self) noexcept:
        """Close the views; keep the pool for the next call unless idle pools together would be large."""
        global idle_bytes
        cdef int index
        for index in range(self.view_count):
            self.close(index)
        self.products = None
        self.drop_live()
        self.heap.held = self.heap.pooled_bytes
        if idle_bytes + self.heap.pooled_bytes > RETAINED:
            trim(&self.heap, 0)
        idle_bytes += self.heap.pooled_bytes


cdef class Grown:
    """Memory that a kernel made and a caller keeps: gone when nobody holds it."""

    cdef Head* head

    def __dealloc__(self):
        if self.head != NULL:
            give_back(self.head)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, <void*>(self.head + 1), self.head.size, 0, flags)


cdef object take_over(Workspace workspace, int64_t address, dtype):
    """The block at that address, no longer the workspace's, as a vector."""
    cdef Grown grown = Grown()
    grown.head = <Head*><intptr_t>address - 1
    unlink(&workspace.heap.growing, grown.head)
    return frombuffer(grown, dtype) if grown.head.size else empty(0, dtype)
