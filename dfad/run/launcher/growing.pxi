# Memory that grows where it lies: addresses for as much as the machine has are taken at once, and get memory behind them chunk by chunk.
# Nothing is ever moved or copied. A chunk is counted before it can be used. Released, it is pooled with the memory that it has, for the
# next call's request from the same place of the kernel; what that call has not asked for yet counts as pooled.

cdef inline int64_t rounded(int64_t size) noexcept nogil:
    """The bytes that are granted to a request: whole pages with the head, whole chunks when there are many."""
    cdef int64_t step = PAGE if size + <int64_t>sizeof(Head) < CHUNK else CHUNK
    return (size + <int64_t>sizeof(Head) + step - 1) // step * step - <int64_t>sizeof(Head)


cdef Head* take_addresses() noexcept nogil:
    """Addresses with memory behind the head only, as many as the machine has bytes, or fewer where the system grants fewer; NULL for none."""
    cdef int64_t space = sysconf(_SC_PHYS_PAGES) * PAGE
    cdef void* memory = mmap(NULL, space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    cdef Head* head
    while memory == MAP_FAILED and space > SPACE:
        space = space // (2 * PAGE) * PAGE
        memory = mmap(NULL, space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    if memory == MAP_FAILED:
        return NULL
    head = <Head*>memory
    if mprotect(memory, PAGE, PROT_READ | PROT_WRITE):
        munmap(memory, space)
        return NULL
    head.space, head.size, head.committed, head.capacity = space, 0, 0, 0
    return head


cdef Head* reuse_growing(Heap* heap, int64_t site) noexcept nogil:
    """The pooled memory of that place, out of the pool; NULL when there is none."""
    cdef Head* head = heap.pooled
    while head != NULL and not (head.space and head.site == site):
        head = head.next
    if head != NULL:
        unlink(&heap.pooled, head)
        heap.pooled_bytes -= head.size
        head.size = head.capacity = 0
    return head


cdef void* reserve(dfad_workspace* workspace, int64_t site, int64_t kind) noexcept nogil:
    cdef Heap* heap = <Heap*>workspace
    cdef Head* head
    pthread_mutex_lock(&heap.lock)
    head = reuse_growing(heap, site)
    if head == NULL:
        head = take_addresses()
    if head != NULL:
        head.site, head.kind = site, kind
        push(&heap.live, head)
    pthread_mutex_unlock(&heap.lock)
    return NULL if head == NULL else <void*>(head + 1)


cdef int commit(Heap* heap, Head* head, int64_t size) noexcept nogil:
    """Put memory behind the first `size` bytes; not 0 when there is none."""
    cdef int64_t more = size - head.committed
    cdef int64_t first = 0 if head.committed == 0 else head.committed + <int64_t>sizeof(Head)
    if size + <int64_t>sizeof(Head) > head.space:
        return 1
    trim(heap, heap.peak - more)
    if mprotect(<char*>head + first, size + <int64_t>sizeof(Head) - first, PROT_READ | PROT_WRITE):
        trim(heap, 0)
        if mprotect(<char*>head + first, size + <int64_t>sizeof(Head) - first, PROT_READ | PROT_WRITE):
            return 1
    head.committed = size
    heap.held += more
    heap.peak = max(heap.peak, heap.held)
    return 0


cdef int grow(dfad_workspace* workspace, void* block, int64_t size) noexcept nogil:
    cdef Heap* heap = <Heap*>workspace
    cdef Head* head = <Head*>block - 1
    cdef int failed
    if size < 0 or size > (<int64_t>1 << 62):
        return 1
    size = rounded(size)
    pthread_mutex_lock(&heap.lock)
    failed = commit(heap, head, size) if size > head.committed else 0
    if failed:
        heap.refused = size
    else:
        heap.held_by[head.kind] += size - head.size
        heap.peak_by[head.kind] = max(heap.peak_by[head.kind], heap.held_by[head.kind])
        head.size = head.capacity = size
    pthread_mutex_unlock(&heap.lock)
    return failed
