# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The launcher: from a Python call to the compiled kernel and back. Built once per environment.

A `Routine` is one compiled kernel with the plan of its call (`recipe.py`): which kinds of values it takes, what stands in each slot of
the block that the kernel reads, which arrays hold its results. A `Dispatcher` tries the routines of a kernel in turn.

A kernel's working memory comes from a `Heap`, which belongs to one call at a time. The parts stand in files of their own.
"""

from cpython.buffer cimport PyBUF_STRIDES, PyBuffer_FillInfo, PyBuffer_IsContiguous, PyBuffer_Release, PyObject_GetBuffer
from cpython.dict cimport PyDict_GetItemWithError
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer
from libc.stdint cimport int32_t, int64_t, intptr_t
from libc.stdlib cimport free
from libc.string cimport memset

from math import prod

from numpy import bool_, empty, float32, float64, floating, frombuffer, integer, ndarray

cdef extern from "dfad.h":
    ctypedef struct dfad_workspace
    ctypedef int64_t (*dfad_part)(dfad_workspace*, int64_t, int64_t, int64_t, void*) noexcept nogil
    ctypedef struct dfad_workspace:
        int64_t site
        int64_t values[4]
        int64_t countdown
        void* (*allocate)(dfad_workspace*, int64_t, int64_t) noexcept nogil
        void* (*reserve)(dfad_workspace*, int64_t, int64_t) noexcept nogil
        int (*grow)(dfad_workspace*, void*, int64_t) noexcept nogil
        void* (*make)(dfad_workspace*, int64_t, int64_t) noexcept nogil
        void (*release)(dfad_workspace*, void*) noexcept nogil
        int (*poll)(dfad_workspace*) noexcept nogil
        void* const* blas
        int64_t (*team)(dfad_workspace*) noexcept nogil
        int64_t (*share)(dfad_workspace*, int64_t, int64_t, dfad_part, void*) noexcept nogil
        int64_t threads
        int64_t stopped
        int64_t failed

cdef extern from "dlfcn.h" nogil:
    void* dlopen(const char*, int)
    void* dlsym(void*, const char*)
    const char* dlerror()
    int RTLD_NOW
    int RTLD_LOCAL

cdef extern from "stdlib.h" nogil:
    void* aligned_alloc(size_t, size_t)
    char* getenv(const char*)
    long strtol(const char*, char**, int)

cdef extern from "sched.h" nogil:
    ctypedef struct cpu_set_t:
        pass
    int sched_getaffinity(int, size_t, cpu_set_t*)
    int CPU_COUNT(cpu_set_t*)

cdef extern from "sys/mman.h" nogil:
    void* mmap(void*, size_t, int, int, int, int64_t)
    int munmap(void*, size_t)
    int mprotect(void*, size_t, int)
    int madvise(void*, size_t, int)
    int MADV_HUGEPAGE
    int PROT_NONE
    int PROT_READ
    int PROT_WRITE
    int MAP_PRIVATE
    int MAP_ANONYMOUS
    int MAP_NORESERVE
    void* MAP_FAILED

cdef extern from "unistd.h" nogil:
    int64_t sysconf(int)
    int _SC_PHYS_PAGES

cdef extern from "time.h" nogil:
    cdef struct timespec:
        int64_t tv_sec
        int64_t tv_nsec
    int clock_gettime(int, timespec*)
    int CLOCK_MONOTONIC
    int CLOCK_REALTIME

cdef extern from "pthread.h" nogil:
    ctypedef struct pthread_mutex_t:
        pass
    int pthread_mutex_init(pthread_mutex_t*, void*)
    int pthread_mutex_lock(pthread_mutex_t*)
    int pthread_mutex_unlock(pthread_mutex_t*)
    int pthread_mutex_destroy(pthread_mutex_t*)
    ctypedef struct pthread_cond_t:
        pass
    ctypedef unsigned long pthread_t
    int pthread_cond_init(pthread_cond_t*, void*)
    int pthread_cond_wait(pthread_cond_t*, pthread_mutex_t*)
    int pthread_cond_timedwait(pthread_cond_t*, pthread_mutex_t*, const timespec*)
    int pthread_cond_signal(pthread_cond_t*)
    int pthread_cond_broadcast(pthread_cond_t*)
    int pthread_create(pthread_t*, void*, void* (*)(void*) noexcept nogil, void*)
    int pthread_detach(pthread_t)
    int pthread_atfork(void (*)() noexcept nogil, void (*)() noexcept nogil, void (*)() noexcept nogil)

cdef extern from "signal.h" nogil:
    ctypedef struct sigset_t:
        pass
    int SIG_SETMASK
    int sigfillset(sigset_t*)
    int pthread_sigmask(int, const sigset_t*, sigset_t*)

cdef extern from * nogil:
    int __ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST
    int64_t __atomic_load_n(int64_t*, int)
    void __atomic_store_n(int64_t*, int64_t, int)
    int64_t __atomic_exchange_n(int64_t*, int64_t, int)
    int64_t __atomic_fetch_add(int64_t*, int64_t, int)
    int64_t __atomic_fetch_sub(int64_t*, int64_t, int)

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1

ctypedef int64_t (*kernel_t)(dfad_workspace*, int64_t*) noexcept nogil

CLASSES = ("tape", "snapshots", "temporaries", "copies", "adjoints", "results")

cdef enum:
    CLASS_COUNT = 6
    COPIES = 3
    RESULTS = 5
    ALIGNMENT = 64          # of every block, in bytes; also the size of its Head
    PAGE = 4096
    LARGE = 4 << 20         # bytes from which a block asks for huge pages
    CHUNK = 1 << 16         # bytes by which memory that grows gets longer; a page while it is shorter than that
    SPACE = 1 << 26         # addresses below which memory that grows asks for no fewer
    RETAINED = 1 << 29      # pooled bytes of all idle workspaces together, and what waits for the next array of its size
    WORTHWHILE = 1 << 16    # bytes from which an array that is kept for another sweep is worth waiting for
    FIRST_STRIDE = 1 << 14  # loop iterations before the first poll

cdef int64_t idle_bytes = 0         # pooled bytes of all idle workspaces; changed with the GIL held
cdef double BETWEEN_POLLS = 0.05    # seconds

cdef void* blas_table[8]            # in the order of dfad.h

include "heap.pxi"
include "growing.pxi"
include "team.pxi"
include "spare.pxi"
include "workspace.pxi"
include "libraries.pxi"
include "routine.pxi"
include "dispatch.pxi"
