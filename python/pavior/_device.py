# SPDX-License-Identifier: BSD-3-Clause
"""Fields in the memory of a GPU, for CuPy, PyTorch, JAX and Numba: the CUDA array interface and DLPack, without copies."""

from __future__ import annotations

import ctypes
from typing import Any, Iterator

import numpy

from ._host import Origin, host_field
from ._library import DeviceView, encoded, lib

HOST, CUDA = 1, 2  # as DLPack numbers them
# By pav_type: DLPack's code and bits. NumPy has no bf16, so its fields have no CUDA array interface.
_DLPACK = {0: (2, 32), 1: (2, 64), 2: (4, 16), 3: (2, 16), 4: (1, 8)}


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int),
        ("device_number", ctypes.c_int),
        ("dimensions", ctypes.c_int),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("delete", _DELETER)]


_alive: dict[int, Any] = {}  # by address of a _Managed: it and all that its memory needs


@_DELETER
def _delete(address):
    _alive.pop(address, None)


def _of_python(name, result, *arguments):
    """A function of Python itself; capsules come as addresses, since a destructor may not hold its capsule again."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_capsule_new = _of_python("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _DELETER)
_capsule_holds = _of_python("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_capsule_get = _of_python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
_TENSOR = b"dltensor"  # a consumer renames the capsule, and deletes the tensor itself


@_DELETER
def _destroy(capsule):
    if _capsule_holds(capsule, _TENSOR):
        _delete(_capsule_get(capsule, _TENSOR))


for _function in (_delete, _destroy):  # tensors may outlive this module
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_function))


class DeviceField(numpy.lib.mixins.NDArrayOperatorsMixin):
    """A field of a run on a GPU.

        u = cupy.asarray(r["u"])            # or torch.from_dlpack(r["u"]): no copy
        u[:] = cupy.exp(-u)                 # changes the run's field in place

    NumPy's functions and all methods of an array work on a copy on the host, made when they need it. `u[3:5] = 0` and
    `u *= 2` write that copy back. Like an array it is valid until the next step of the run: take `r["u"]` again after it.
    """

    def __init__(self, run: Any, name: str, age: int, shape: tuple[int, ...], dtype: numpy.dtype | None):
        self._run, self._name, self._age, self._origin = run, name, age, Origin(run, name, age)
        self.shape, self.ndim, self._dtype = shape, len(shape), dtype

    # ---- on the host ----

    def _host(self):
        self._origin.check()
        return host_field(self._run, self._name, self._age, self._run._borrow(self._name, self._age), self._origin)

    @property
    def dtype(self) -> numpy.dtype:
        """Type of its points; float32 for bf16, which NumPy lacks."""
        return self._dtype or numpy.dtype(numpy.float32)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        return numpy.array(self._host(), dtype) if copy else numpy.asarray(self._host(), dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **options: Any) -> Any:
        if out:
            options["out"] = tuple(_on_host(x) for x in out)
        result = getattr(ufunc, method)(*[_on_host(x) for x in inputs], **{key: _on_host(x) for key, x in options.items()})
        return out[0] if len(out) == 1 else result

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._host(), name)

    def __getitem__(self, index: Any) -> Any:
        """Points of the copy on the host."""
        return self._host()[index]

    def __setitem__(self, index: Any, values: Any) -> None:
        """Changes points of the run's field, through a copy on the host."""
        self._host()[index] = _on_host(values)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._host())

    def __repr__(self) -> str:
        return repr(self._host())

    # ---- on the device ----

    def _lent(self):
        """Its memory; (device, shape, strides in points)."""
        self._origin.check()
        view = DeviceView()
        self._run._call(lib.pav_field_device, encoded(self._name), self._age, ctypes.byref(view))
        strides = tuple(view.view.stride[axis] for axis in range(self.ndim)[::-1])
        return view, strides

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        view, strides = self._lent()
        if view.device_type != CUDA or self._dtype is None:
            raise AttributeError(f"{self._name} has no CUDA array interface: {'NumPy lacks bf16' if self._dtype is None else 'it is not on a CUDA device'}")
        return {
            "shape": self.shape,
            "typestr": self._dtype.str,
            "data": (view.view.data, False),
            "strides": tuple(stride * self._dtype.itemsize for stride in strides),
            "version": 3,
            "stream": None,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        view, _ = self._lent()
        return view.device_type, view.device_number

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        """The device has finished its work on the field, so no stream has to wait."""
        view, strides = self._lent()
        if copy or dl_device not in (None, (view.device_type, view.device_number)):
            raise BufferError(f"{self._name} is lent in place: copy it by the library that asked for it")
        lengths = ctypes.c_int64 * self.ndim
        shape, steps, (code, bits) = lengths(*self.shape), lengths(*strides), _DLPACK[view.view.type]
        tensor = _Tensor(view.view.data, view.device_type, view.device_number, self.ndim, code, bits, 1, shape, steps, 0)
        managed = _Managed(tensor, None, _delete)
        address = ctypes.addressof(managed)
        _alive[address] = managed, shape, steps, self._run._run
        return _capsule_new(address, _TENSOR, _destroy)


def _on_host(value):
    return value._host() if isinstance(value, DeviceField) else value


def dense_on_device(values: Any, shape: tuple[int, ...], dtype: numpy.dtype | None, number: int) -> int | None:
    """Address of values in the memory of a GPU, if they are dense and of this type and shape; else None."""
    about = getattr(values, "__cuda_array_interface__", None)
    if about is None or dtype is None or numpy.dtype(about["typestr"]) != dtype or about["shape"] != shape:
        return None
    if hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[1] != number:
        return None
    strides, size = about.get("strides"), dtype.itemsize
    dense = numpy.cumprod((size,) + shape[:0:-1])[::-1]
    return about["data"][0] if strides is None or tuple(strides) == tuple(dense) else None
