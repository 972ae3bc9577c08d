# Memory that is counted: every byte at each allocation and release. Released blocks are pooled and reused for requests of the same
# size, as long as pooling does not raise the peak.

cdef struct Head:                   # stands before every block
    Head* next
    Head* previous
    int64_t space                   # of memory that grows: addresses, this head included (growing.pxi); else 0
    int64_t counted                 # of memory that grows: bytes that its class has been told of
    int64_t touched                 # of memory that grows: bytes that were in use once, so that the system has put memory there
    int32_t kind                    # its memory class
    int32_t site                    # of memory that grows: which of the kernel it is
    int64_t size                    # bytes asked for; where it grows the kernel writes them, and of what is pooled they are those touched
    int64_t capacity                # bytes that it can hold without being asked for more


cdef struct Heap:
    dfad_workspace base             # first, so that a kernel's workspace is its heap
    pthread_mutex_t lock            # threads of one kernel may allocate at once
    Head* live
    Head* growing                   # live, too
    Head* pooled
    int64_t pooled_bytes
    int64_t held                    # live and pooled bytes together
    int64_t peak
    int64_t held_by[CLASS_COUNT]
    int64_t peak_by[CLASS_COUNT]
    int64_t refused                 # bytes of the block that could not be had
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
    while head != NULL and (head.space or head.capacity != capacity):
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
        give_back(head)


cdef void give_back(Head* head) noexcept nogil:
    """To the system."""
    if head.space:
        munmap(head, head.space)
    else:
        free(head)


cdef Head* obtain(int64_t capacity) noexcept nogil:
    """A block from the system; a large one on huge pages where the system has them, since most are filled at once."""
    cdef Head* head = <Head*>aligned_alloc(ALIGNMENT, ALIGNMENT + capacity)
    cdef size_t first = (<size_t>head + PAGE - 1) // PAGE * PAGE
    if head != NULL and capacity >= LARGE:
        madvise(<void*>first, (<size_t>head + capacity - first) // PAGE * PAGE, MADV_HUGEPAGE)
    return head


cdef Head* fresh(Heap* heap, int64_t size, int64_t capacity) noexcept nogil:
    """A new block; pooled ones make room for it where they would raise the peak, and where memory is short."""
    cdef Head* head
    trim(heap, heap.peak - size)
    head = obtain(capacity)
    if head == NULL:
        trim(heap, 0)
        head = obtain(capacity)
    return head


cdef void* allocate(dfad_workspace* workspace, int64_t size, int64_t kind) noexcept nogil:
    cdef Heap* heap = <Heap*>workspace
    cdef int64_t capacity = max((size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT, ALIGNMENT)
    cdef Head* head
    if size < 0 or size > (<int64_t>1 << 62):
        heap.refused = size
        return NULL
    pthread_mutex_lock(&heap.lock)
    count_grown(heap)
    head = reuse(heap, capacity)
    if head == NULL:
        head = fresh(heap, size, capacity)
    else:
        trim(heap, heap.peak - size)    # it may have been asked for fewer bytes before
    if head != NULL:
        head.size, head.capacity, head.kind, head.space = size, capacity, kind, 0
        push(&heap.live, head)
        count(heap, size, kind)
    else:
        heap.refused = size
    pthread_mutex_unlock(&heap.lock)
    return NULL if head == NULL else <void*>(head + 1)


cdef void release(dfad_workspace* workspace, void* block) noexcept nogil:
    cdef Heap* heap = <Heap*>workspace
    cdef Head* head
    if block == NULL:
        return
    head = <Head*>block - 1
    pthread_mutex_lock(&heap.lock)
    count_grown(heap)
    unlink(&heap.growing if head.space else &heap.live, head)
    push(&heap.pooled, head)
    heap.held_by[head.kind] -= head.size
    if head.space:
        head.size = head.touched
    heap.pooled_bytes += head.size
    pthread_mutex_unlock(&heap.lock)
