# Threads that share the parts of a loop with the thread that called.
#
# They wait for work, a moment awake and then asleep. Whoever calls opens a job and begins with the parts at once; those threads that come in
# time help. At the end the caller closes the job and waits for the threads inside, asking meanwhile whether a signal is there. A thread
# begins with a share of the parts that is the same for every loop over the same range, whose cells are in its cache, then takes what is
# left. One job at a time: a second call that comes meanwhile does its parts alone. On a machine with other things to do a thread may lose its
# processor in the middle of a part, and the caller waits for longer than it worked; then it works alone for a while. After a fork
# the child begins with no threads and makes its own.

cdef enum:
    MOST_THREADS = 256
    MOST_PARTS = 256
    AWAKE = 50_000                  # nanoseconds that threads wait without sleeping
    ASLEEP = 60_000_000             # and that the caller sleeps between two questions
    LATE = 100_000                  # and waits beyond the time that it worked, before it calls that a loss
    LOSSES = 16                     # one loss in so much time is borne

cdef struct Team:
    pthread_mutex_t sleep           # guards the sleeping of threads and of the caller
    pthread_cond_t work             # there is a job
    pthread_cond_t done             # the last thread has left
    int64_t is_busy                 # a job is open or being closed
    int64_t size                    # threads there are
    int64_t sleeping                # and that sleep
    int64_t number                  # counts jobs
    int64_t is_open
    int64_t inside                  # threads at work
    int64_t forks                   # this process's distance from the first one
    int64_t alone_until             # nanoseconds
    dfad_workspace* workspace
    dfad_part part
    void* given
    int64_t parts
    int64_t threads
    int64_t is_down
    int64_t apart[8]
    int64_t taken[MOST_PARTS]

cdef Team crew


cdef void found_team() noexcept nogil:
    """No threads, no job."""
    cdef int64_t forks = crew.forks
    memset(&crew, 0, sizeof(Team))
    crew.forks = forks
    pthread_mutex_init(&crew.sleep, NULL)
    pthread_cond_init(&crew.work, NULL)
    pthread_cond_init(&crew.done, NULL)


cdef void after_fork() noexcept nogil:
    crew.forks += 1
    found_team()


found_team()
pthread_atfork(NULL, NULL, after_fork)


cdef int64_t asked_threads() noexcept:
    """What `OMP_NUM_THREADS` says now; 0 when it says nothing."""
    cdef char* text = getenv(b"OMP_NUM_THREADS")
    return 0 if text == NULL else max(strtol(text, NULL, 10), 0)


cdef int64_t available_threads() noexcept nogil:
    """The processors that this process may use."""
    cdef cpu_set_t processors
    return max(CPU_COUNT(&processors), 1) if sched_getaffinity(0, sizeof(cpu_set_t), &processors) == 0 else 1


cdef int64_t team(dfad_workspace* workspace) noexcept nogil:
    """How many threads may share a loop in this call; counted at the first question."""
    if workspace.threads == 0:
        workspace.threads = available_threads()
    workspace.threads = min(workspace.threads, MOST_THREADS)
    return workspace.threads


# ---------------------------------------------------------------- the parts of a job


cdef int64_t run_parts(int64_t thread) noexcept nogil:
    """What one thread does of the open job, its own share first; the largest status."""
    cdef dfad_workspace* workspace = crew.workspace
    cdef int64_t parts = crew.parts, place = crew.threads - 1 - thread if crew.is_down else thread
    cdef int64_t first = place * parts // crew.threads, part, status = 0, count
    for count in range(parts):
        part = (first + count) % parts
        if __atomic_load_n(&workspace.stopped, __ATOMIC_RELAXED):
            break
        if part > __atomic_load_n(&workspace.failed, __ATOMIC_RELAXED):
            continue
        if not __atomic_exchange_n(&crew.taken[part], 1, __ATOMIC_RELAXED):
            status = max(status, crew.part(workspace, thread, part, parts, crew.given))
    return status


cdef int64_t share(dfad_workspace* workspace, int64_t parts, int64_t is_down, dfad_part part, void* given) noexcept nogil:
    """Run all parts, with the team when it is free; the status of the loop."""
    cdef int64_t status, forks = crew.forks, start, end
    if parts == 1:
        return part(workspace, 0, 0, 1, given)
    workspace.stopped = 0
    start = nanoseconds()
    if start < crew.alone_until or __atomic_exchange_n(&crew.is_busy, 1, __ATOMIC_ACQUIRE):
        return run_alone(workspace, parts, part, given)
    hire(workspace.threads - 1)
    crew.workspace, crew.part, crew.given = workspace, part, given
    crew.parts, crew.threads, crew.is_down = parts, workspace.threads, is_down
    memset(crew.taken, 0, parts * sizeof(int64_t))
    open_job()
    status = run_parts(0)
    end = nanoseconds()
    close_job(end)
    remember_loss(start, end)
    __atomic_store_n(&crew.is_busy, 0, __ATOMIC_RELEASE)
    if forks != crew.forks:
        return 4    # a signal handler has forked: the parts of other threads are lost in the child
    if workspace.stopped:
        return 3
    return 2 if workspace.failed < parts else status


cdef int64_t run_alone(dfad_workspace* workspace, int64_t parts, dfad_part part, void* given) noexcept nogil:
    """All parts in their order."""
    cdef int64_t number, status
    for number in range(parts):
        status = part(workspace, 0, number, parts, given)
        if status != 0:
            return status
    return 0


cdef void remember_loss(int64_t start, int64_t end) noexcept nogil:
    """Work alone for a while when the wait since `end` was longer than the work before it."""
    cdef int64_t now = nanoseconds()
    if now - end > end - start + LATE:
        crew.alone_until = now + LOSSES * (now - end)


cdef void open_job() noexcept nogil:
    __atomic_store_n(&crew.is_open, 1, __ATOMIC_SEQ_CST)
    __atomic_fetch_add(&crew.number, 1, __ATOMIC_SEQ_CST)
    if __atomic_load_n(&crew.sleeping, __ATOMIC_SEQ_CST):
        pthread_mutex_lock(&crew.sleep)
        pthread_cond_broadcast(&crew.work)
        pthread_mutex_unlock(&crew.sleep)


cdef void close_job(int64_t start) noexcept nogil:
    """Let no thread in, and wait for those inside."""
    __atomic_store_n(&crew.is_open, 0, __ATOMIC_SEQ_CST)
    while __atomic_load_n(&crew.inside, __ATOMIC_SEQ_CST) > 0:
        if nanoseconds() - start > AWAKE and not sleep_until_done() and crew.workspace.poll(crew.workspace):
            __atomic_store_n(&crew.workspace.stopped, 1, __ATOMIC_RELAXED)


cdef bint sleep_until_done() noexcept nogil:
    """Sleep until the last thread has left; false after a while."""
    cdef timespec until
    cdef bint in_time = True
    clock_gettime(CLOCK_REALTIME, &until)
    until.tv_nsec += ASLEEP
    if until.tv_nsec >= 1_000_000_000:
        until.tv_sec, until.tv_nsec = until.tv_sec + 1, until.tv_nsec - 1_000_000_000
    pthread_mutex_lock(&crew.sleep)
    if __atomic_load_n(&crew.inside, __ATOMIC_SEQ_CST) > 0:
        in_time = pthread_cond_timedwait(&crew.done, &crew.sleep, &until) == 0
    pthread_mutex_unlock(&crew.sleep)
    return in_time


# ---------------------------------------------------------------- the threads


cdef void hire(int64_t count) noexcept nogil:
    """As many threads; fewer where the system gives no more. Signals are for other threads."""
    cdef pthread_t thread
    cdef sigset_t every, before
    if crew.size >= count:
        return
    sigfillset(&every)
    pthread_sigmask(SIG_SETMASK, &every, &before)
    while crew.size < count:
        if pthread_create(&thread, NULL, work, <void*><intptr_t>(crew.size + 1)) != 0:
            break
        pthread_detach(thread)
        crew.size += 1
    pthread_sigmask(SIG_SETMASK, &before, NULL)


cdef void* work(void* given) noexcept nogil:
    """The life of a thread."""
    cdef int64_t thread = <int64_t><intptr_t>given, seen = 0
    while True:
        seen = wait_for_job(seen)
        __atomic_fetch_add(&crew.inside, 1, __ATOMIC_SEQ_CST)
        if __atomic_load_n(&crew.is_open, __ATOMIC_SEQ_CST) and thread < crew.threads:
            run_parts(thread)
        if __atomic_fetch_sub(&crew.inside, 1, __ATOMIC_SEQ_CST) == 1 and not __atomic_load_n(&crew.is_open, __ATOMIC_SEQ_CST):
            pthread_mutex_lock(&crew.sleep)
            pthread_cond_signal(&crew.done)
            pthread_mutex_unlock(&crew.sleep)
    return NULL


cdef int64_t wait_for_job(int64_t seen) noexcept nogil:
    """The number of a job behind the one that was seen."""
    cdef int64_t start = nanoseconds()
    while nanoseconds() - start < AWAKE:
        if __atomic_load_n(&crew.number, __ATOMIC_SEQ_CST) != seen:
            return __atomic_load_n(&crew.number, __ATOMIC_SEQ_CST)
    pthread_mutex_lock(&crew.sleep)
    __atomic_fetch_add(&crew.sleeping, 1, __ATOMIC_SEQ_CST)
    while __atomic_load_n(&crew.number, __ATOMIC_SEQ_CST) == seen:
        pthread_cond_wait(&crew.work, &crew.sleep)
    __atomic_fetch_sub(&crew.sleeping, 1, __ATOMIC_SEQ_CST)
    pthread_mutex_unlock(&crew.sleep)
    return __atomic_load_n(&crew.number, __ATOMIC_SEQ_CST)


cdef int64_t nanoseconds() noexcept nogil:
    cdef timespec time
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
