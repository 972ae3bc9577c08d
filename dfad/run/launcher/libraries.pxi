# Shared libraries: kernels, and the BLAS that scipy brings.

ctypedef int (*get_threads_t)() noexcept nogil
ctypedef void (*set_threads_t)(int) noexcept nogil
cdef get_threads_t blas_get_threads = NULL
cdef set_threads_t blas_set_threads = NULL


def connect_blas():
    """Fill in the routines that kernels call for matrix products; scipy brings them."""
    global blas_get_threads, blas_set_threads
    from scipy.linalg import cython_blas
    if blas_table[0] == NULL:
        library = open_library(cython_blas.__file__)
        for prefix in (b"scipy_openblas", b"openblas"):
            if blas_set_threads == NULL:
                blas_get_threads = <get_threads_t>dlsym(<void*><intptr_t>library, prefix + b"_get_num_threads")
                blas_set_threads = <set_threads_t>dlsym(<void*><intptr_t>library, prefix + b"_set_num_threads")
        for index, name in enumerate(("dgemm", "dgemv", "dger", "ddot", "sgemm", "sgemv", "sger", "sdot")):
            capsule = cython_blas.__pyx_capi__[name]
            blas_table[index] = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))


cdef int limit_blas(int threads) noexcept:
    """Give BLAS that many threads; the number before, 0 when nothing changed or this BLAS cannot be told."""
    cdef int before
    if blas_get_threads == NULL or blas_set_threads == NULL:
        return 0
    before = blas_get_threads()
    if before == threads:
        return 0
    blas_set_threads(threads)
    return before


cdef intptr_t open_library(path) except 0:
    """The handle of a shared library."""
    cdef bytes name = path.encode()
    cdef void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)
    if library == NULL:
        raise OSError(dlerror().decode(errors="replace"))
    return <intptr_t>library


def load(path):
    """The address of the kernel in a shared library; OSError when it does not load."""
    cdef void* symbol = dlsym(<void*><intptr_t>open_library(path), b"dfad_kernel")
    if symbol == NULL:
        raise OSError(dlerror().decode(errors="replace"))
    return <intptr_t>symbol
