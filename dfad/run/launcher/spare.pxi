# Memory of arrays that one sweep keeps for another. When nobody holds it any more it waits for the next array of its size: a fresh page
# costs the system more than the kernel needs to fill it. What waits is idle; with the pools of idle workspaces it is bounded.

cdef Head* spare = NULL             # changed with the GIL held, as idle_bytes


cdef class Kept:
    """The memory of one such array."""

    cdef Head* head

    def __dealloc__(self):
        global idle_bytes
        if self.head == NULL:
            return
        if idle_bytes + self.head.capacity > RETAINED:
            drop_spare()
        if idle_bytes + self.head.capacity > RETAINED:
            give_back(self.head)
        else:
            push(&spare, self.head)
            idle_bytes += self.head.capacity

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, <void*>(self.head + 1), self.head.size, 0, flags)


cdef void drop_spare() noexcept:
    """Give back all that waits."""
    global idle_bytes
    cdef Head* head
    while spare != NULL:
        head = spare
        unlink(&spare, head)
        idle_bytes -= head.capacity
        give_back(head)


cdef object kept_array(shape, dtype, int64_t size):
    """An array of that many bytes, not set to anything, in memory that waited where there is some."""
    global idle_bytes
    cdef int64_t capacity = (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    cdef Head* head = spare
    cdef Kept kept = Kept()
    while head != NULL and head.capacity != capacity:
        head = head.next
    if head != NULL:
        unlink(&spare, head)
        idle_bytes -= capacity
    else:
        head = obtain(capacity)
        if head == NULL:
            raise MemoryError
        head.space = 0
    head.size, head.capacity = size, capacity
    kept.head = head
    return ndarray(shape, dtype, kept)
