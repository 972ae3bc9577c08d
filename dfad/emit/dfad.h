/* What a generated kernel and its launcher share, and the operations that C does not have.
 *
 * The workspace belongs to one call at a time. The launcher fills it before the call:
 *   countdown  how many innermost iterations, roughly, may pass before `poll` is asked; `poll` sets it anew
 *   allocate   memory of a class (0 tape, 1 snapshots, 2 temporaries, 3 copies, 4 adjoints, 5 results), aligned to 64 bytes;
 *              NULL when there is none, never NULL for 0 bytes
 *   reserve    memory of a class that grows where it lies; it has no bytes yet. `site` tells those of one kernel apart
 *   grow       makes it that many bytes long, or more; not 0 when there are none. The word before it holds how many it has, and the word
 *              before that how many are in use
 *   make       the memory of a result whose size the kernel computes, by its number; it is the caller's afterwards
 *   release    gives it back; what a kernel that ends with an error has not released, the launcher releases
 *   poll       not 0 when the call must end; asked by the thread that called
 *   team       how many threads may share a loop; `threads` afterwards
 *   share      run the parts of a loop on these threads; the status of the whole
 *   blas       Fortran routines: dgemm dgemv dger ddot sgemm sgemv sger sdot, in this order (DFAD_DGEMM ... DFAD_SDOT)
 * The kernel sets `site` and `values` when a check fails.
 */
#ifndef DFAD_H
#define DFAD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* One part of a loop, run by one thread (0: the one that called). `given`: what the loop was given. */
struct dfad_workspace;
typedef int64_t (*dfad_part)(struct dfad_workspace*, int64_t thread, int64_t part, int64_t parts, void* given);

typedef struct dfad_workspace {
    int64_t site;
    int64_t values[4];
    int64_t countdown;
    void* (*allocate)(struct dfad_workspace*, int64_t bytes, int64_t memory_class);
    void* (*reserve)(struct dfad_workspace*, int64_t site, int64_t memory_class);
    int (*grow)(struct dfad_workspace*, void*, int64_t bytes);
    void* (*make)(struct dfad_workspace*, int64_t result, int64_t bytes);
    void (*release)(struct dfad_workspace*, void*);
    int (*poll)(struct dfad_workspace*);
    void* const* blas;
    int64_t (*team)(struct dfad_workspace*);
    int64_t (*share)(struct dfad_workspace*, int64_t parts, int64_t is_down, dfad_part part, void* given);
    int64_t threads;
    char apart[64]; /* the countdown changes often: what follows is in other cache lines */
    int64_t stopped; /* not 0 when the parts of a loop must end */
    int64_t failed;  /* the first part in which a check failed */
    int64_t lock;    /* of `failed`, `site` and `values` */
} dfad_workspace;

/* Different names, different memory: parameters of these types never overlap. */
typedef double* __restrict__ dfad_f64p;
typedef float* __restrict__ dfad_f32p;
typedef int64_t* __restrict__ dfad_i64p;
typedef int32_t* __restrict__ dfad_i32p;
typedef int8_t* __restrict__ dfad_i8p;
typedef uint8_t* __restrict__ dfad_u8p;

/* What ends a call almost never happens. A compiler that took each such exit for a likely one would think after some ten of them that
 * the rest of the kernel hardly ever runs, and not vectorise it. A macro, since it looks before it puts functions in. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_expect_with_probability)
#define dfad_rare(condition) __builtin_expect_with_probability((condition) != 0, 0, 1.0)
#endif
#endif
#ifndef dfad_rare
#define dfad_rare(condition) __builtin_expect((condition) != 0, 0)
#endif

#define dfad_poll(ws, iterations) dfad_rare(dfad_must_stop(ws, iterations))

static inline int dfad_must_stop(dfad_workspace* ws, int64_t iterations)
{
    ws->countdown -= iterations;
    return dfad_rare(ws->countdown < 0) && ws->poll(ws);
}

static inline void* dfad_allocate(dfad_workspace* ws, int64_t bytes, int64_t memory_class)
{
    return ws->allocate(ws, bytes > 0 ? bytes : 0, memory_class);
}

/* So many times as many bytes; none below 0 times, and INT64_MAX, which no machine has, where 64 bits do not count them. */
static inline int64_t dfad_bytes(int64_t bytes, int64_t times)
{
    int64_t product;
    if (times <= 0) return 0;
    return __builtin_mul_overflow(bytes, times, &product) ? INT64_MAX : product;
}

static inline void* dfad_reserve(dfad_workspace* ws, int64_t site, int64_t memory_class)
{
    return ws->reserve(ws, site, memory_class);
}

static inline int dfad_grow(dfad_workspace* ws, void* memory, int64_t bytes)
{
    int64_t* head = (int64_t*)memory;
    if (__builtin_expect(bytes > head[-1], 0) && ws->grow(ws, memory, bytes)) return 1;
    if (bytes > head[-2]) head[-2] = bytes;
    return 0;
}

static inline void* dfad_make(dfad_workspace* ws, int64_t result, int64_t bytes) { return ws->make(ws, result, bytes > 0 ? bytes : 0); }

static inline void dfad_clear(void* memory, int64_t bytes) { memset(memory, 0, bytes > 0 ? (size_t)bytes : 0); }

static inline void dfad_copy(void* to, const void* from, int64_t bytes) { memcpy(to, from, bytes > 0 ? (size_t)bytes : 0); }

static inline void dfad_release(dfad_workspace* ws, void* memory) { ws->release(ws, memory); }

/* A failed check. */
static inline int64_t dfad_fail(dfad_workspace* ws, int64_t site, int64_t a, int64_t b, int64_t c, int64_t d)
{
    ws->site = site;
    ws->values[0] = a;
    ws->values[1] = b;
    ws->values[2] = c;
    ws->values[3] = d;
    return 2;
}

/* The block of arguments holds pointers. Read as an integer, each could point to a local array, as far as GCC knows, which then stays
 * in memory between two loads through it. */
static inline void* dfad_load_pointer(int64_t* slot) { return *(void**)slot; }

/* The block of arguments holds floating-point scalars as bits. */
static inline double dfad_load_f64(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float dfad_load_f32(int64_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int64_t dfad_store_f64(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

static inline int64_t dfad_store_f32(float value)
{
    int64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

/* Integers: division and remainder floor, as in Python; by zero they give 0, as in NumPy. */
static inline int64_t dfad_floordiv(int64_t a, int64_t b)
{
    if (b == 0 || b == -1) return -a * (b != 0);
    return a / b - ((a % b != 0) & ((a < 0) != (b < 0)));
}

static inline int64_t dfad_mod(int64_t a, int64_t b)
{
    if (b == 0 || b == -1) return 0;
    int64_t rest = a % b;
    return rest + (((rest != 0) & ((rest < 0) != (b < 0))) ? b : 0);
}

/* The remainder with the sign of the dividend, as C's and NumPy's fmod. */
static inline int64_t dfad_fmod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

static inline int64_t dfad_min(int64_t a, int64_t b) { return b < a ? b : a; }
static inline int64_t dfad_max(int64_t a, int64_t b) { return b > a ? b : a; }
static inline int64_t dfad_abs(int64_t a) { return a < 0 ? -a : a; }
static inline int64_t dfad_sign(int64_t a) { return (a > 0) - (a < 0); }

static inline int64_t dfad_xor(int64_t a, int64_t b) { return a ^ b; }
static inline int64_t dfad_invert(int64_t a) { return ~a; }

/* Shifts by as many bits as there are, or more, leave none, as NumPy's. */
static inline int64_t dfad_left_shift(int64_t a, int64_t bits) { return (uint64_t)bits < 64 ? (int64_t)((uint64_t)a << bits) : 0; }
static inline int64_t dfad_right_shift(int64_t a, int64_t bits) { return (uint64_t)bits < 64 ? a >> bits : -(a < 0); }

static inline int64_t dfad_power(int64_t base, int64_t exponent)
{
    int64_t result = 1;
    for (; exponent > 0; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

/* The length of a range, and its part that whole strips of a power of 2 make up. */
static inline int64_t dfad_trips(int64_t start, int64_t stop, int64_t step)
{
    int64_t span = step > 0 ? stop - start : start - stop, width = step > 0 ? step : -step;
    return span <= 0 ? 0 : (span + width - 1) / width;
}

static inline int64_t dfad_whole(int64_t trips, int64_t strip) { return trips > 0 ? trips & -strip : 0; }

/* Floating point: each operation for double and float. */
#define DFAD_FLOATING(real, dtype, f)                                                                                        \
    static inline real dfad_maximum_##dtype(real a, real b) { return (a >= b) | (a != a) ? a : b; }                          \
    static inline real dfad_minimum_##dtype(real a, real b) { return (a <= b) | (a != a) ? a : b; }                          \
    static inline real dfad_python_max_##dtype(real a, real b) { return b > a ? b : a; }                                     \
    static inline real dfad_python_min_##dtype(real a, real b) { return b < a ? b : a; }                                     \
    static inline real dfad_sign_##dtype(real a) { return a > 0 ? (real)1 : a < 0 ? (real)-1 : a == 0 ? (real)0 : a; }       \
    static inline real dfad_square_##dtype(real a) { return a * a; }                                                         \
    static inline real dfad_cube_##dtype(real a) { return a * a * a; }                                                       \
    static inline real dfad_fourth_##dtype(real a) { return (a * a) * (a * a); }                                             \
    static inline int dfad_isinf_##dtype(real a) { return fabs##f(a) == (real)INFINITY; }                                    \
    static inline real dfad_mod_##dtype(real a, real b)                                                                      \
    {                                                                                                                        \
        real rest = fmod##f(a, b);                                                                                           \
        if (b == 0) return rest;                                                                                             \
        if (rest == 0) return copysign##f((real)0, b);                                                                       \
        return (b < 0) != (rest < 0) ? rest + b : rest;                                                                      \
    }                                                                                                                        \
    static inline real dfad_floordiv_##dtype(real a, real b)                                                                 \
    {                                                                                                                        \
        if (b == 0) return a / b;                                                                                            \
        real rest = fmod##f(a, b), quotient = (a - rest) / b;                                                                \
        if (rest != 0 && (b < 0) != (rest < 0)) quotient -= (real)1;                                                         \
        if (quotient == 0) return copysign##f((real)0, a / b);                                                               \
        real below = floor##f(quotient);                                                                                     \
        return quotient - below > (real)0.5 ? below + (real)1 : below;                                                       \
    }

/* The derivative of lgamma; ir/special.py has the formulas. */
static double dfad_digamma_f64(double x)
{
    static const double bernoulli[] = {1.0/12, -1.0/120, 1.0/252, -1.0/240, 1.0/132, -691.0/32760, 1.0/12};
    if (isinf(x)) return x > 0 ? x : NAN;
    if (x <= 0 && x == floor(x)) return NAN;
    if (x < 0) return dfad_digamma_f64(1.0 - x) - 3.141592653589793/tan(3.141592653589793*(x - floor(x)));
    double result = 0.0;
    for (; x < 10.0; x += 1.0) result -= 1.0/x;
    double square = 1.0/(x*x), series = 0.0;
    for (int k = 6; k >= 0; k--) series = square*(series + bernoulli[k]);
    return result + log(x) - 0.5/x - series;
}
static inline float dfad_digamma_f32(float x) { return (float)dfad_digamma_f64((double)x); }

DFAD_FLOATING(double, f64, )
DFAD_FLOATING(float, f32, f)

/* Parallel loops. The range is cut into parts in its own order, a few for each thread, which take them as they become free; so a thread that
 * the system does not run holds up nobody. The parts depend on the number of threads alone, and so do sums over them. A part ends at the
 * first check that fails in it; later parts are then left out, earlier ones are not: the check that is told is the first of the loop. */
enum { DFAD_ENOUGH = 400000, DFAD_EVEN = 4, DFAD_UNEVEN = 16, DFAD_MOST_PARTS = 256 };

/* How many parts a loop has: one where there is little to do. */
static inline int64_t dfad_parts(dfad_workspace* ws, int64_t trips, int64_t work, int is_even)
{
    ws->failed = INT64_MAX;
    if (work < DFAD_ENOUGH) return 1;
    int64_t threads = ws->team(ws), most = dfad_min(trips, DFAD_MOST_PARTS);
    return threads == 1 ? 1 : dfad_max(1, dfad_min(most, threads * (is_even ? DFAD_EVEN : DFAD_UNEVEN)));
}

/* `is_down`: the loop runs downwards; a thread then begins at the other end, and so with the same indices as in a loop that runs upwards. */
static inline int64_t dfad_share(dfad_workspace* ws, int64_t parts, int is_down, dfad_part part, void* given)
{
    return ws->share(ws, parts, is_down, part, given);
}

/* Where a part begins, and the one before it ends. */
static inline int64_t dfad_cut(int64_t start, int64_t stop, int64_t step, int64_t part, int64_t parts)
{
    return start + step * (dfad_trips(start, stop, step) * part / parts);
}

/* Arrays that each thread has for itself lie in one block, cache lines apart. */
static inline int64_t dfad_apart(int64_t bytes) { return bytes > 0 ? (bytes + 63) & ~(int64_t)63 : 0; }

static inline int64_t dfad_for_all(dfad_workspace* ws, int64_t parts, int64_t bytes)
{
    return parts == 1 ? bytes : ws->threads * dfad_apart(bytes);
}

static inline void* dfad_own(void* memory, int64_t thread, int64_t bytes) { return (char*)memory + thread * dfad_apart(bytes); }

static inline int64_t dfad_fail_in(dfad_workspace* ws, int64_t part, int64_t site, int64_t a, int64_t b, int64_t c, int64_t d)
{
    while (__atomic_exchange_n(&ws->lock, 1, __ATOMIC_ACQUIRE)) {}
    if (part < ws->failed) {
        __atomic_store_n(&ws->failed, part, __ATOMIC_RELAXED);
        dfad_fail(ws, site, a, b, c, d);
    }
    __atomic_store_n(&ws->lock, 0, __ATOMIC_RELEASE);
    return 2;
}

/* Whether a part must end: the thread that called asks, the others look at what it was told. */
#define dfad_poll_in(ws, thread, iterations) dfad_rare(dfad_must_stop_in(ws, thread, iterations))

static inline int dfad_must_stop_in(dfad_workspace* ws, int64_t thread, int64_t iterations)
{
    if (thread > 0) return (int)__atomic_load_n(&ws->stopped, __ATOMIC_RELAXED);
    if (!dfad_poll(ws, iterations)) return 0;
    __atomic_store_n(&ws->stopped, 1, __ATOMIC_RELAXED);
    return 1;
}

/* Products of row-major matrices; BLAS counts columns first, so it is asked for the transposed product of the transposed.
 * op(a) is m x k, op(b) is k x n, c is m x n; `t` transposes; `ld` is the distance of rows. accumulate adds to c. */
enum { DFAD_DGEMM, DFAD_DGEMV, DFAD_DGER, DFAD_DDOT, DFAD_SGEMM, DFAD_SGEMV, DFAD_SGER, DFAD_SDOT };

#define DFAD_BLAS(real, dtype, gemm_at, gemv_at)                                                                             \
    static inline void dfad_gemm_##dtype(dfad_workspace* ws, int64_t ta, int64_t tb, int64_t m, int64_t n, int64_t k,        \
        const real* a, int64_t lda, const real* b, int64_t ldb, int64_t accumulate, real* c, int64_t ldc)                    \
    {                                                                                                                        \
        typedef void (*gemm)(char*, char*, int*, int*, int*, real*, const real*, int*, const real*, int*, real*, real*, int*); \
        if (m <= 0 || n <= 0) return;                                                                                        \
        int rows = (int)m, columns = (int)n, inner = (int)(k > 0 ? k : 0);                                                   \
        int a_rows = (int)dfad_max(lda, 1), b_rows = (int)dfad_max(ldb, 1), c_rows = (int)dfad_max(ldc, 1);                  \
        real one = 1, beta = (real)(accumulate != 0);                                                                        \
        ((gemm)ws->blas[gemm_at])(tb ? "T" : "N", ta ? "T" : "N", &columns, &rows, &inner, &one, b, &b_rows, a, &a_rows,     \
            &beta, c, &c_rows);                                                                                              \
    }                                                                                                                        \
    /* y = op(a) x: a has m rows and n columns before op */                                                                  \
    static inline void dfad_gemv_##dtype(dfad_workspace* ws, int64_t ta, int64_t m, int64_t n, const real* a, int64_t lda,   \
        const real* x, int64_t incx, int64_t accumulate, real* y, int64_t incy)                                              \
    {                                                                                                                        \
        typedef void (*gemv)(char*, int*, int*, real*, const real*, int*, const real*, int*, real*, real*, int*);            \
        int rows = (int)m, columns = (int)n, a_rows = (int)dfad_max(lda, 1), x_step = (int)incx, y_step = (int)incy;         \
        real one = 1, beta = (real)(accumulate != 0);                                                                        \
        if (m <= 0 || n <= 0) { /* BLAS returns at once and would leave y as it is */                                        \
            for (int64_t i = 0; !accumulate && i < (ta ? n : m); i++) y[i * incy] = 0;                                       \
            return;                                                                                                          \
        }                                                                                                                    \
        ((gemv)ws->blas[gemv_at])(ta ? "N" : "T", &columns, &rows, &one, a, &a_rows, x, &x_step, &beta, y, &y_step);         \
    }

DFAD_BLAS(double, f64, DFAD_DGEMM, DFAD_DGEMV)
DFAD_BLAS(float, f32, DFAD_SGEMM, DFAD_SGEMV)

#endif
