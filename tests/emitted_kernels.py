"""Compile and run an emitted kernel with a launcher of its own, a few lines of ctypes: what the tests of emission stand on."""

import ctypes
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
import scipy.linalg.cython_blas

from dfad.emit import ArrayField, Emitted, ExtentField, FloatField, IntegerField, ScalarResultField, emit
from dfad.ir.integer import evaluate_integer
from dfad.ir.nodes import Program, Role
from dfad.run.build import building
from dfad.run.cache import temporary

I64 = ctypes.c_int64
ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, I64, I64)
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
POLL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
TEAM = ctypes.CFUNCTYPE(I64, ctypes.c_void_p)
PART = ctypes.CFUNCTYPE(I64, ctypes.c_void_p, I64, I64, I64, ctypes.c_void_p)
SHARE = ctypes.CFUNCTYPE(I64, ctypes.c_void_p, I64, I64, PART, ctypes.c_void_p)
BLAS = ("dgemm", "dgemv", "dger", "ddot", "sgemm", "sgemv", "sger", "sdot")


class Workspace(ctypes.Structure):
    _fields_ = (
        ("site", I64),
        ("values", I64 * 4),
        ("countdown", I64),
        ("allocate", ALLOCATE),
        ("reserve", ctypes.c_void_p),
        ("grow", ctypes.c_void_p),
        ("make", ctypes.c_void_p),
        ("release", RELEASE),
        ("poll", POLL),
        ("blas", ctypes.POINTER(ctypes.c_void_p)),
        ("team", TEAM),
        ("share", SHARE),
        ("threads", I64),
        ("apart", ctypes.c_char * 64),
        ("stopped", I64),
        ("failed", I64),
        ("lock", I64),
    )


@dataclass
class Run:
    """How a call went: status, results by name, bytes by memory class at their peak, polls, and what was not released."""

    status: int
    results: dict[str, object]
    site: int = -1
    values: tuple[int, ...] = ()
    peak: dict[int, int] = field(default_factory=dict)
    left: int = 0
    polls: int = 0


def compile_emitted(emitted: Emitted, more_flags=()):
    """The kernel as a ctypes function."""
    with building(temporary()) as build:
        key = build.add(replace(emitted, flags=(*emitted.flags, *more_flags)))
        built = build.kernels()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "kernel.so"
        library.write_bytes(built.libraries[key])
        kernel = ctypes.CDLL(str(library)).dfad_kernel
    kernel.restype = I64
    kernel.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    kernel.c = built.c[key]
    return kernel


@cache
def blas_table():
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
    capsules = [scipy.linalg.cython_blas.__pyx_capi__[routine] for routine in BLAS]
    return (ctypes.c_void_p * len(BLAS))(*(address(capsule, name(capsule)) for capsule in capsules))


class Launcher:
    """A compiled program that takes arguments by name."""

    def __init__(self, program: Program, *, threads: int = 1, fastmath: bool = False, flags=()) -> None:
        self.program = program
        self.emitted = emit(program, fastmath=fastmath)
        self.threads = threads
        self.kernel = compile_emitted(self.emitted, flags)

    def __call__(self, memory_limit: int | None = None, stop: bool = False, countdown: int = 10**7, **arguments) -> Run:
        results = {}
        block = (I64 * len(self.emitted.fields))()
        self.make_results(arguments, results)
        for k, slot in enumerate(self.emitted.fields):
            block[k] = self.slot(slot, arguments | results)
        live, held, run = {}, defaultdict(int), Run(0, results)

        def allocate(_, size, kind):
            if memory_limit is not None and sum(held.values()) + size > memory_limit:
                return None
            buffer = ctypes.create_string_buffer(size + 64)
            address = (ctypes.addressof(buffer) + 63) // 64 * 64
            ctypes.memset(address, 0xFF, size)
            live[address] = buffer, size, kind
            held[kind] += size
            run.peak[kind] = max(run.peak.get(kind, 0), held[kind])
            return address

        def release(_, address):
            _, size, kind = live.pop(address)
            held[kind] -= size

        def poll(_):
            run.polls += 1
            workspace.countdown = countdown
            return int(stop)

        def share(address, parts, is_down, part, given):
            """The parts in turn, the last first; the threads take turns, too."""
            ends = [part(address, number % self.threads, number, parts, given) for number in reversed(range(parts))]
            return max(ends)

        callbacks = ALLOCATE(allocate), None, None, None, RELEASE(release), POLL(poll)
        threads = TEAM(lambda _: self.threads), SHARE(share)
        workspace = Workspace(-1, (I64 * 4)(), countdown, *callbacks, blas_table(), *threads, self.threads)
        run.status = self.kernel(ctypes.addressof(workspace), ctypes.addressof(block))
        run.site, run.values, run.left = workspace.site, tuple(workspace.values), len(live)
        for k, slot in enumerate(self.emitted.fields):
            if isinstance(slot, ScalarResultField):
                kind = slot.dtype.numpy if slot.dtype.is_float else np.dtype("int64")
                results[slot.array] = slot.dtype.numpy.type(np.array([block[k]], dtype=np.int64).view(kind)[0])
        return run

    def make_results(self, arguments, results) -> None:
        values = {
            bound.symbol.name: arguments[bound.array].shape[bound.dimension] if hasattr(bound, "array") else arguments[bound.parameter]
            for bound in self.program.symbols
        }
        for array in self.program.parameters:
            if array.role == Role.RESULT and array.rank:
                shape = tuple(evaluate_integer(extent, values) for extent in array.shape)
                results[array.name] = np.full(shape, 7, dtype=array.dtype.numpy)

    @staticmethod
    def slot(slot, values) -> int:
        match slot:
            case ExtentField(array=name, dimension=dimension):
                return values[name].shape[dimension]
            case IntegerField(parameter=name):
                return int(values[name])
            case FloatField(array=name, dtype=dtype):
                bits = np.zeros(8 // dtype.bytes, dtype=dtype.numpy)
                bits[0] = values[name]
                return int(bits.view(np.int64)[0])
            case ArrayField(array=name):
                assert values[name].flags.c_contiguous
                return values[name].ctypes.data
            case ScalarResultField():
                return 0
