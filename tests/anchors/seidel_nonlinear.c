/* Hand-written adjoint of seidel_nonlinear (loss: sum of A), one thread. Build: cc -O3 -march=native -shared -fPIC, link -lmvec -lm.

   for t < T: for 1 <= i < n: for 1 <= j < n:  A[i,j] = 0.5*A[i,j] + 0.25*sin(A[i-1,j]*A[i,j-1])

   Tape: the row's old values from the second sweep on, a box of (T-1)*(n-1)^2 doubles. The values of the first sweep are read only
   linearly and need no record.

   Two forms of the reverse sweep:
     grad    each row in three loops, so that cos and everything but the recurrence g[j-1] += p[j]*g[j] runs in vectors;
     grad_s  one loop, as the adjoint statements stand.
   The loops keep their own order: no skewing over rows or sweeps. */
#include <string.h>

/* glibc's vector versions, without fast-math. */
__attribute__((simd("notinbranch"), const)) double cos(double);
double sin(double);

static void row(double *restrict r, const double *restrict u, long n) {
  double left = r[0];
  for (long j = 1; j < n; j++) r[j] = left = 0.5 * r[j] + 0.25 * sin(u[j] * left);
}

void fwd(double *restrict A, long n, long T) {
  for (long t = 0; t < T; t++)
    for (long i = 1; i < n; i++) row(A + i * n, A + (i - 1) * n, n);
}

void fwd_taped(double *restrict A, double *restrict tape, long n, long T) {
  for (long t = 0; t < T; t++)
    for (long i = 1; i < n; i++) {
      if (t > 0) memcpy(tape + ((t - 1) * (n - 1) + i - 1) * (n - 1), A + i * n + 1, (n - 1) * sizeof(double));
      row(A + i * n, A + (i - 1) * n, n);
    }
}

/* p, q: n doubles of working memory each. */
static void row_bwd(const double *restrict r, const double *restrict u, double *restrict g, double *restrict gu,
                    double *restrict p, double *restrict q, long n) {
  for (long j = 1; j < n; j++) {
    double c = 0.25 * cos(u[j] * r[j - 1]);
    p[j] = c * u[j];
    q[j] = c * r[j - 1];
  }
  double s = g[n - 1];
  for (long j = n - 1; j >= 1; j--) {
    g[j] = s;
    s = g[j - 1] + p[j] * s;
  }
  g[0] = s;
  for (long j = 1; j < n; j++) {
    gu[j] += q[j] * g[j];
    g[j] *= 0.5;
  }
}

void bwd(double *restrict A, const double *restrict tape, double *restrict g, double *restrict work, long n, long T) {
  for (long t = T - 1; t >= 0; t--)
    for (long i = n - 1; i >= 1; i--) {
      row_bwd(A + i * n, A + (i - 1) * n, g + i * n, g + (i - 1) * n, work, work + n, n);
      if (t > 0) memcpy(A + i * n + 1, tape + ((t - 1) * (n - 1) + i - 1) * (n - 1), (n - 1) * sizeof(double));
    }
}

static void row_bwd_s(double *restrict r, const double *restrict u, double *restrict g, double *restrict gu,
                      const double *restrict old, long n) {
  for (long j = n - 1; j >= 1; j--) {
    if (old) r[j] = old[j - 1];
    double s = g[j], c = s * 0.25 * cos(u[j] * r[j - 1]);
    g[j] = 0.5 * s;
    gu[j] += c * r[j - 1];
    g[j - 1] += c * u[j];
  }
}

void bwd_s(double *restrict A, const double *restrict tape, double *restrict g, long n, long T) {
  for (long t = T - 1; t >= 0; t--)
    for (long i = n - 1; i >= 1; i--)
      row_bwd_s(A + i * n, A + (i - 1) * n, g + i * n, g + (i - 1) * n, t > 0 ? tape + ((t - 1) * (n - 1) + i - 1) * (n - 1) : 0, n);
}

static double start(const double *A0, double *A, double *tape, double *g, long n, long T) {
  memcpy(A, A0, n * n * sizeof(double));
  fwd_taped(A, tape, n, T);
  double loss = 0;
  for (long k = 0; k < n * n; k++) {
    loss += A[k];
    g[k] = 1;
  }
  return loss;
}

/* Value and gradient by A0. A, g: n*n doubles; tape: (T-1)*(n-1)^2; work: 2*n. The caller keeps tape and work between calls. */
double grad(const double *A0, double *A, double *g, double *tape, double *work, long n, long T) {
  double loss = start(A0, A, tape, g, n, T);
  bwd(A, tape, g, work, n, T);
  return loss;
}

double grad_s(const double *A0, double *A, double *g, double *tape, double *work, long n, long T) {
  (void)work;
  double loss = start(A0, A, tape, g, n, T);
  bwd_s(A, tape, g, n, T);
  return loss;
}
