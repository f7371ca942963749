# SPDX-License-Identifier: BSD-3-Clause
"""Finds and loads the shared library, and declares the functions of pavior.h that the package calls."""

import ctypes
import glob
import operator
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_void_p,
)

import numpy

from ._errors import ArgumentError, PaviorError, error_of

MAX_DIMENSIONS = 3


class Progress(Structure):
    """State of a run while it takes steps."""

    _fields_ = [
        ("step", c_int64),
        ("steps", c_int64),
        ("seconds", c_double),
        ("gpts", c_double),
        ("gbytes", c_double),
        ("seconds_left", c_double),
        ("points", c_int64),
        ("bounded", c_int),
        ("longest", c_char_p),
    ]


LISTENER = CFUNCTYPE(c_int, c_void_p, c_int, POINTER(Progress), c_char_p)
EVENT_PROGRESS, EVENT_NOTE, EVENT_SETUP, EVENT_WARNING = range(4)


class ProgramOptions(Structure):
    _fields_ = [("set", POINTER(c_char_p)), ("name", c_char_p), ("directory", c_char_p)]


class RunOptions(Structure):
    """pav_run_options: zeros ask for the defaults."""

    _fields_ = [
        ("listener", LISTENER),
        ("user", c_void_p),
        ("report_seconds", c_double),
        ("steps", c_int64),
        ("nan_check_every", c_int64),
        ("directory", c_char_p),
        ("no_files", c_int),
        ("threads", c_int),
        ("bind", c_char_p),
        ("schedule", c_char_p),
        ("checkpoint", c_char_p),
        ("checkpoint_every", c_int64),
        ("checkpoint_seconds", c_double),
        ("restart", c_char_p),
        ("copy_rate", c_int),
        ("force", c_int),
        ("verify", c_int),
        ("subdomains", c_char_p),
        ("weights", c_char_p),
        ("time_limit", c_double),
        ("device_memory", c_int64),
        ("out_of_core", c_char_p),
        ("timeline", c_char_p),
        ("allow_outside", c_int),
        ("exchange_every", c_int),
        ("ranks", c_void_p),
        ("wisdom", c_int),
        ("bundle", c_void_p),
        ("host_memory", c_int64),
        ("disk", c_char_p),
        ("early", c_int64),
        ("no_stamp", c_int),
    ]


class Item(Structure):
    _fields_ = [
        ("kind", c_int),
        ("index", c_int64),
        ("name", c_char_p),
        ("type", c_int),
        ("dimensions", c_int),
        ("extent", c_int64 * MAX_DIMENSIONS),
        ("ages", c_int),
    ]


KINDS = ("field", "param", "scalar", "measure", "sample")


class View(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("type", c_int),
        ("dimensions", c_int),
        ("extent", c_int64 * MAX_DIMENSIONS),
        ("stride", c_int64 * MAX_DIMENSIONS),
    ]


class DeviceView(Structure):
    _fields_ = [("view", View), ("device_type", c_int), ("device_number", c_int)]


class SolveField(Structure):
    _fields_ = [("name", c_char_p), ("values", c_void_p), ("count", c_int64)]


class SolveResult(Structure):
    _fields_ = [
        ("iterations", c_int64),
        ("residual", c_double),
        ("seconds", c_double),
        ("setup_seconds", c_double),
    ]


class Candidate(Structure):
    _fields_ = [
        ("schedule", c_char * 256),
        ("bound", c_char_p),
        ("seconds", c_double),
        ("memory", c_double),
        ("caches", c_double),
        ("arithmetic", c_double),
        ("start", c_double),
        ("idle", c_double),
        ("tried", c_int),
    ]


class AdjointOptions(Structure):
    _fields_ = [
        ("listener", LISTENER),
        ("user", c_void_p),
        ("steps", c_int64),
        ("threads", c_int),
        ("schedule", c_char_p),
        ("directory", c_char_p),
        ("no_files", c_int),
        ("data", c_char_p),
        ("coefficients", POINTER(c_char_p)),
        ("shots", c_char_p),
        ("at_once", c_int),
        ("ranks", c_void_p),
        ("history", c_int64),
        ("keep", c_char_p),
        ("values", POINTER(c_void_p)),
        ("every", c_int64),
        ("disk", c_char_p),
        ("disk_bytes", c_int64),
        ("stored", c_char_p),
        ("speed", c_char_p),
        ("image", c_int),
        ("together", c_int),
        ("sweep", c_int),
        ("no_stamp", c_int),
    ]


class MeshSize(Structure):
    _fields_ = [
        ("columns", c_int64),
        ("triangles", c_int64),
        ("nodes", c_int64),
        ("cells", c_int64),
        ("layers", c_int),
        ("levels", c_int),
        ("colours", c_int),
        ("volume", c_double),
    ]


class MeshRunOptions(Structure):
    _fields_ = [("directory", c_char_p), ("no_files", c_int), ("threads", c_int), ("allow_outside", c_int), ("no_stamp", c_int)]


class AdjointResult(Structure):
    _fields_ = [
        ("misfit", c_double),
        ("steps", c_int64),
        ("steps_again", c_int64),
        ("history_bytes", c_int64),
        ("disk_bytes", c_int64),
        ("forward_seconds", c_double),
        ("backward_seconds", c_double),
        ("every", c_int64),
    ]


# The structures of pavior.h, by their names there: a test compares sizes and offsets with the header's.
STRUCTURES = {
    "pav_progress": Progress,
    "pav_program_options": ProgramOptions,
    "pav_run_options": RunOptions,
    "pav_item": Item,
    "pav_view": View,
    "pav_device_view": DeviceView,
    "pav_solve_field": SolveField,
    "pav_solve_result": SolveResult,
    "pav_candidate": Candidate,
    "pav_adjoint_options": AdjointOptions,
    "pav_adjoint_result": AdjointResult,
    "pav_mesh_size": MeshSize,
    "pav_mesh_run_options": MeshRunOptions,
}

_TEXT = POINTER(c_void_p)  # char **, freed by pav_text_free

# name: (type of the result; None: a pav_status that is checked), types of the arguments
_FUNCTIONS = {
    "pav_version": (c_char_p, []),
    "pav_message": (c_char_p, []),
    "pav_type_name": (c_char_p, [c_int]),
    "pav_text_free": ("nothing", [c_void_p]),
    "pav_device_open": (None, [c_char_p, POINTER(c_void_p)]),
    "pav_device_free": ("nothing", [c_void_p]),
    "pav_device_name": (c_char_p, [c_void_p]),
    "pav_doctor": (None, [c_int, _TEXT]),
    "pav_catalogue": (None, [c_int, _TEXT]),
    "pav_program_load": (None, [c_char_p, POINTER(ProgramOptions), POINTER(c_void_p)]),
    "pav_program_parse": (None, [c_char_p, c_size_t, POINTER(ProgramOptions), POINTER(c_void_p)]),
    "pav_program_free": ("nothing", [c_void_p]),
    "pav_program_dimensions": (c_int, [c_void_p]),
    "pav_program_on_mesh": (c_int, [c_void_p]),
    "pav_program_print": (None, [c_void_p, _TEXT]),
    "pav_program_explain": (None, [c_void_p, c_int, _TEXT]),
    "pav_program_generate": (None, [c_void_p, c_char_p, c_char_p, _TEXT]),
    "pav_program_adjoint": (None, [c_void_p, c_int64, _TEXT]),
    "pav_run_open": (None, [c_void_p, c_void_p, POINTER(RunOptions), POINTER(c_void_p)]),
    "pav_run_free": ("nothing", [c_void_p]),
    "pav_run_steps": (None, [c_void_p, c_int64]),
    "pav_run_finish": (None, [c_void_p]),
    "pav_run_step": (c_int64, [c_void_p]),
    "pav_run_until": (c_int, [c_void_p]),
    "pav_run_residuals": (c_int64, [c_void_p, c_void_p, c_int64]),
    "pav_run_checkpoint": (None, [c_void_p, c_char_p]),
    "pav_run_get": (None, [c_void_p, c_char_p, POINTER(c_double)]),
    "pav_run_set": (None, [c_void_p, c_char_p, c_double]),
    "pav_run_items": (c_int64, [c_void_p]),
    "pav_run_describe": (None, [c_void_p, c_int64, POINTER(Item)]),
    "pav_run_report": (None, [c_void_p, c_int, _TEXT]),
    "pav_field_borrow": (None, [c_void_p, c_char_p, c_int, POINTER(View)]),
    "pav_field_device": (None, [c_void_p, c_char_p, c_int, POINTER(DeviceView)]),
    "pav_field_write_device": (None, [c_void_p, c_char_p, c_int, c_void_p, c_int64]),
    "pav_field_read": (None, [c_void_p, c_char_p, c_int, c_int, c_void_p, c_int64]),
    "pav_field_write": (None, [c_void_p, c_char_p, c_int, c_int, c_void_p, c_int64]),
    "pav_output_open": (None, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p)]),
    "pav_output_write": (None, [c_void_p]),
    "pav_output_write_values": (None, [c_void_p, c_char_p, c_void_p, c_int64]),
    "pav_output_close": (None, [c_void_p]),
    "pav_sample_read": (None, [c_void_p, c_int64, POINTER(c_int64), c_void_p, c_int64]),
    "pav_sample_positions": (None, [c_void_p, c_int64, c_void_p, c_int64]),
    "pav_solve": (
        None,
        [c_void_p, c_void_p, POINTER(RunOptions), POINTER(SolveField), c_int64, c_void_p, c_int64, POINTER(SolveResult)],
    ),
    "pav_plan_open": (None, [c_void_p, c_void_p, POINTER(RunOptions), c_double, POINTER(c_void_p)]),
    "pav_plan_free": ("nothing", [c_void_p]),
    "pav_plan_verdict": (c_int, [c_void_p]),
    "pav_plan_report": (None, [c_void_p, c_int, _TEXT]),
    "pav_plan_candidates": (c_int64, [c_void_p]),
    "pav_plan_candidate": (None, [c_void_p, c_int64, POINTER(Candidate)]),
    "pav_mesh_run_open": (None, [c_void_p, c_void_p, POINTER(MeshRunOptions), POINTER(c_void_p)]),
    "pav_mesh_run_free": ("nothing", [c_void_p]),
    "pav_mesh_run_finish": (None, [c_void_p]),
    "pav_mesh_run_mesh": (c_void_p, [c_void_p]),
    "pav_mesh_picture": (None, [c_void_p, c_char_p, c_void_p, c_int, c_void_p, c_void_p]),
    "pav_mesh_sizes": (MeshSize, [c_void_p]),
    "pav_mesh_coordinates": (POINTER(c_double), [c_void_p, c_int]),
    "pav_mesh_run_values": (None, [c_void_p, c_char_p, POINTER(POINTER(c_double))]),
    "pav_mesh_explain": (None, [c_void_p, c_int, _TEXT]),
    "pav_mesh_run_plan": (None, [c_void_p, c_int, _TEXT]),
    "pav_mesh_run_report": (None, [c_void_p, c_int, _TEXT]),
    "pav_gradient": (None, [c_void_p, c_void_p, POINTER(AdjointOptions), POINTER(AdjointResult)]),
    "pav_migrate": (None, [c_void_p, c_void_p, POINTER(AdjointOptions), POINTER(AdjointResult)]),
    "pav_adjoint_test": (
        None,
        [c_void_p, c_void_p, POINTER(AdjointOptions), POINTER(c_double), POINTER(c_double), POINTER(c_double)],
    ),
}


def _candidates():
    """Paths of the library: $PAVIOR_LIBRARY alone, else those of the wheel, then the system's."""
    given = os.environ.get("PAVIOR_LIBRARY")
    if given:
        return [given]
    here = os.path.join(os.path.dirname(__file__), "native")
    found = sorted(glob.glob(os.path.join(glob.escape(here), "lib*", "**", "libpavior.so.*"), recursive=True))
    if found:
        return found
    return ["libpavior.so.1"]


def _load():
    why = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            why.append(str(error))
    raise PaviorError(
        "the shared library of Pavior is not found"
        + (": " + "; ".join(why) if why else "")
        + "; install both by `pip install .` in the sources of Pavior, or set PAVIOR_LIBRARY to the path of libpavior.so"
    )


def _check(status, function, arguments):
    if status:
        raise error_of(status, _message())
    return arguments


def _message():
    return (lib.pav_message() or b"").decode(errors="replace")


def _declare(library):
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise PaviorError(
                f"the library {library._name} has no {name}: it is older than this package; install both again, "
                "or set PAVIOR_LIBRARY to the path of a newer libpavior.so"
            ) from None
        function.argtypes = arguments
        function.restype = None if result == "nothing" else result or c_int
        if result is None:
            function.errcheck = _check
    return library


lib = _declare(_load())


def text_of(function, *arguments):
    """Calls a function with a text as its last argument, and returns the text."""
    text = c_void_p()
    function(*arguments, ctypes.byref(text))
    if not text.value:
        return None
    try:
        return ctypes.string_at(text.value).decode()
    finally:
        lib.pav_text_free(text)


def encoded(value):
    """A string or path as bytes for C; None stays None."""
    if value is None:
        return None
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{value!r} is neither a text nor a path: write str() of it, or the name in quotes")
    data = os.fsencode(value)
    if b"\0" in data:
        raise ValueError("a text for Pavior contains a NUL byte")
    return data


_KINDS_OF_OPTIONS = {
    c_char_p: "a text or a path",
    c_double: "a number",
    "subdomains": 'a text, as in subdomains="2x1"',
    "device_memory": "a whole number of bytes",
    "host_memory": "a whole number of bytes",
    "disk": "a whole number of bytes",
}


def fill(structure, values):
    """Sets members of a structure, or refuses an integer that C's type would cut."""
    kinds = dict(structure._fields_)
    for name, value in values.items():
        value = value.item() if isinstance(value, numpy.generic) else value
        try:
            if kinds[name] is c_char_p and not isinstance(value, (bytes, type(None))):
                raise TypeError  # an integer would be an address
            setattr(structure, name, value)
        except TypeError:
            shown = value.decode(errors="replace") if isinstance(value, bytes) else value
            kind = _KINDS_OF_OPTIONS.get(name, _KINDS_OF_OPTIONS.get(kinds[name], "a whole number"))
            raise TypeError(f"{name}={shown!r} is of the wrong type: it takes {kind}") from None
        except OverflowError:
            raise ArgumentError(f"{name}={value} is out of range") from None
        if isinstance(value, int) and getattr(structure, name) != value:
            raise ArgumentError(f"{name}={value} is out of range")
    return structure


def whole(name, value, bits=64):
    """An integer that C's type holds: ctypes would cut it."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r} is no whole number: write int({name})") from None
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise ArgumentError(f"{name}={value} is out of range")
    return value


def number(kind, name, value):
    """A param or scalar as a float; kind: the word for messages."""
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"the {kind} {name} takes a number, not {value!r}") from None
    except OverflowError:
        raise ArgumentError(f"the {kind} {name} takes a finite number, and {value!r} is too large") from None


def text_list(names):
    """A NULL-terminated array of strings; None for an empty list."""
    if not names:
        return None
    return (c_char_p * (len(names) + 1))(*[encoded(name) for name in names], None)
