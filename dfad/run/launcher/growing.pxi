# Memory that grows where it lies: addresses for as much as the machine has are taken at once, and may be used chunk by chunk. Nothing is
# ever moved or copied. The system puts memory behind an address when it is first used; so what counts is what is in use, not the rest of the
# last chunk. The kernel writes how much that is, and it is counted whenever something else is allocated or released, and at the end: in
# between it only rises. Released, memory that grows is pooled for the next call's request from the same place of the kernel; what that
# call has not used yet counts as pooled.

cdef inline int64_t rounded(int64_t size) noexcept nogil:
    """The bytes that may be used after a request: whole pages with the head, whole chunks when there are many."""
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
    head.space, head.size, head.counted, head.touched, head.capacity = space, 0, 0, 0, 0
    return head


cdef Head* reuse_growing(Heap* heap, int64_t site) noexcept nogil:
    """The pooled memory of that place, out of the pool; NULL when there is none."""
    cdef Head* head = heap.pooled
    while head != NULL and not (head.space and head.site == site):
        head = head.next
    if head != NULL:
        unlink(&heap.pooled, head)
        heap.pooled_bytes -= head.size
        head.size = head.counted = 0
    return head


cdef void* reserve(dfad_workspace* workspace, int64_t site, int64_t kind) noexcept nogil:
    cdef Heap* heap = <Heap*>workspace
    cdef Head* head
    pthread_mutex_lock(&heap.lock)
    head = reuse_growing(heap, site)
    if head == NULL:
        head = take_addresses()
    if head != NULL:
        head.site, head.kind = <int32_t>site, <int32_t>kind
        push(&heap.growing, head)
    pthread_mutex_unlock(&heap.lock)
    return NULL if head == NULL else <void*>(head + 1)


cdef void count_grown(Heap* heap) noexcept nogil:
    """Count what has come into use since the last time."""
    cdef Head* head = heap.growing
    while head != NULL:
        heap.held_by[head.kind] += head.size - head.counted
        heap.peak_by[head.kind] = max(heap.peak_by[head.kind], heap.held_by[head.kind])
        head.counted = head.size
        heap.held += max(head.size - head.touched, 0)
        head.touched = max(head.touched, head.size)
        head = head.next
    heap.peak = max(heap.peak, heap.held)


cdef int commit(Heap* heap, Head* head, int64_t size) noexcept nogil:
    """Let the first `size` bytes be used; not 0 when they cannot be. Pooled blocks make room where these bytes would raise the peak."""
    cdef int64_t first = 0 if head.capacity == 0 else head.capacity + <int64_t>sizeof(Head)
    if size + <int64_t>sizeof(Head) > head.space:
        return 1
    trim(heap, heap.peak - (size - head.capacity))
    if mprotect(<char*>head + first, size + <int64_t>sizeof(Head) - first, PROT_READ | PROT_WRITE):
        trim(heap, 0)
        if mprotect(<char*>head + first, size + <int64_t>sizeof(Head) - first, PROT_READ | PROT_WRITE):
            return 1
    head.capacity = size
    return 0


cdef int grow(dfad_workspace* workspace, void* block, int64_t size) noexcept nogil:
    cdef Heap* heap = <Heap*>workspace
    cdef Head* head = <Head*>block - 1
    cdef int failed
    if size < 0 or size > (<int64_t>1 << 62):
        return 1
    size = rounded(size)
    pthread_mutex_lock(&heap.lock)
    count_grown(heap)
    failed = commit(heap, head, size)
    if failed:
        heap.refused = size
    pthread_mutex_unlock(&heap.lock)
    return failed
