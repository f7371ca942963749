# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the Python package: `PYTHONPATH=python PAVIOR_LIBRARY=build/release/libpavior.so python3 -m unittest discover python/tests`."""

import copy
import ctypes
import gc
import inspect
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy

import pavior
from pavior import _device, _library

HEAT = """
grid x 32, y 24
param a = 0.2; scalar s = 1
field u = exp(-((x - 16)^2 + (y - 12)^2)/9)
u' = u + s*a*laplace(u)
border u = 0
measure total = sum(u) every 10
sample u at (3, 4), (5, 6) every 5 into "s.npy"
steps 100
"""
WAVE = """
grid x 40, y 40
field u; c = 0.4
u' = 2*u - prev(u) + c^2*laplace(u)
border u = 0
inject exp(-(t - 4)^2/4) into u at (12, 20)
sample u at (28, 20), (28, 24) every 1 into "d.npy"
steps 60
"""
COMPLEX = """
grid x 32, y 16
field psi complex = (1 + y/8)*exp(i*x/5)
psi' = psi + 0.01*i*laplace(psi)
border periodic
steps 6
"""
POISSON = """
grid x 33, y 33 spacing 1/32
field u; field f = 1
solve -laplace(u) = f for u by multigrid to 1e-8
border u = 0
"""


def open_run(text=HEAT, device="interpreter", **options):
    return pavior.Program(text).run(device, no_files=True, **options)


def heat_reference(steps):
    x, y = numpy.meshgrid(numpy.arange(32.0), numpy.arange(24.0))
    u = numpy.exp(-((x - 16) ** 2 + (y - 12) ** 2) / 9)
    wall = numpy.ones((24, 32), bool)
    wall[1:-1, 1:-1] = False
    u[wall] = 0
    for _ in range(steps):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] += 0.2 * (around - 4 * u[1:-1, 1:-1])
    return u


class Programs(unittest.TestCase):
    def test_a_text_a_path_and_an_entry_of_the_catalogue_are_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "heat.pav"
            path.write_text(HEAT)
            self.assertEqual(str(pavior.Program(path)), str(pavior.Program(HEAT)))
            self.assertEqual(str(pavior.load(str(path))), str(pavior.Program(HEAT)))
        self.assertEqual(pavior.Program("heat3d@8x8x8").dimensions, 3)
        self.assertIn("heat3d", str(pavior.catalogue()))

    def test_params_replace_those_of_the_description(self):
        p = pavior.Program(HEAT, {"a": 0.1})
        with p.run("interpreter", no_files=True) as r:
            self.assertEqual(r.params, {"a": 0.1})
        with p.with_params(a=0.05).run("interpreter", no_files=True) as r:
            self.assertEqual(r.params, {"a": 0.05})

    def test_mistakes_have_lines_columns_and_carets(self):
        with self.assertRaises(pavior.DescriptionError) as caught:
            pavior.Program("grid x 8\nfield u = sine(x)\nu' = u + laplac(u)\n")
        first, second = caught.exception.mistakes
        self.assertEqual((first.line, first.column, second.line), (2, 11, 3))
        self.assertIn("did you mean 'sin'", first.text)
        self.assertIn("^~~~", first.source)

    def test_a_missing_file_is_named(self):
        with self.assertRaisesRegex(pavior.ArgumentError, "no-such-file.pav"):
            pavior.Program("no-such-file.pav")

    def test_fields_explanation_and_kernels(self):
        p = pavior.Program("grid x 9, y 9\nfield u; v; c = 1\nu' = v; v' = u*c\nsteps 1\n")
        self.assertEqual(p.fields, ["u", "v", "c"])
        self.assertIn("code", p.explain())
        self.assertEqual(p.explain().to_dict()["program"], p.explain().program)
        self.assertIn("void", p.kernels("cpu"))
        self.assertIn("__global__", p.kernels("cuda"))


class Plans(unittest.TestCase):
    def test_a_plan_has_needs_and_candidates(self):
        plan = pavior.Program("heat3d@64x64x64/f32").plan("cpu", copy_gbytes=50, no_files=True)
        self.assertTrue(plan.fits)
        self.assertEqual(plan.grid, [64, 64, 64])
        self.assertGreater(plan.candidates[0].seconds, 0)
        self.assertLessEqual(plan.candidates[0].seconds, plan.candidates[-1].seconds)
        self.assertIn("heat3d", repr(plan))
        self.assertIn("<pre>", plan._repr_html_())
        with self.assertRaises(AttributeError):
            plan.no_such_value

    def test_a_plan_that_does_not_fit_says_why(self):
        plan = pavior.Program("heat3d@9000x9000x9000").plan("cpu", copy_gbytes=-1, no_files=True)
        self.assertFalse(plan.fits)
        self.assertIn("needs", plan.why)


class OnDevice:
    """Values on a GPU as a library describes them."""

    def __init__(self, values, device=0, **changed):
        self.values, self.device = values, device
        self.__cuda_array_interface__ = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (values.ctypes.data, False),
            "strides": None,
            "version": 3,
            **changed,
        }

    def __dlpack_device__(self):
        return 2, self.device


class DeviceFields(unittest.TestCase):
    """The memory of an emulated GPU is the host's, so these tests can use it."""

    def lent(self, r, name="u"):
        """A field in place, as another library gets it by DLPack; NumPy takes it for reading."""
        taken = numpy.from_dlpack(r[name])
        return taken, (ctypes.c_double * 99).from_address(taken.ctypes.data)

    def test_a_field_of_a_gpu_behaves_like_an_array(self):
        with open_run() as expected, open_run(device="emulated") as r:
            r.step(3), expected.step(3)
            u, v = r["u"], expected["u"]
            self.assertTrue((u == v).all() and (numpy.asarray(u) == v).all() and (u + 1 == v + 1).all())
            self.assertEqual((u.shape, u.ndim, u.dtype, len(u), u[3, 4]), (v.shape, 2, v.dtype, 24, v[3, 4]))
            self.assertEqual((u.max(), numpy.abs(u).sum(), repr(u)), (v.max(), numpy.abs(v).sum(), repr(v)))

    def test_dlpack_leads_to_the_memory_of_the_run(self):
        with open_run(HEAT.replace("x 32", "x 33"), "emulated") as r:
            taken, first = self.lent(r)
            self.assertTrue((taken == r.read("u")).all())
            self.assertGreater(taken.strides[0], taken.shape[1] * 8)  # rows are padded: no copy
            self.assertEqual(r["u"].__dlpack_device__(), (1, 0))
            first[taken.strides[0] // 8 + 2] = 7.0
            self.assertEqual(r["u"][1, 2], 7.0)
            first[3] = 7.0  # a border prescribes this point
            self.assertEqual(r["u"][0, 3], 0.0)

    def test_a_change_in_place_reaches_the_next_steps(self):
        results = []
        for device in "interpreter", "emulated":
            with open_run("grid x 9\nfield u = x\nu' = u + u[-1]\nborder periodic\nsteps 4\n", device) as r:
                if device == "emulated":
                    self.lent(r)[1][0] = 5.0
                else:
                    r["u"] = numpy.array([5.0, *range(1, 9)])
                results.append(r.step(4)["u"].tolist())
        self.assertEqual(*results)

    def test_an_array_of_an_earlier_step_is_refused(self):
        with open_run(device="emulated") as r:
            u = r["u"]
            r.step()
            for use in u.__array__, u.__dlpack_device__, lambda: u.fill(0):
                with self.assertRaisesRegex(pavior.ArgumentError, "taken at step 0, and the run is at step 1"):
                    use()

    def test_a_tensor_holds_its_run_and_is_deleted(self):
        r = open_run(device="emulated")
        taken = self.lent(r)[0]
        r.close()
        self.assertEqual(len(_device._alive), 1)
        self.assertGreater(taken.max(), 0.5)
        del taken
        unused = open_run(device="emulated")["u"].__dlpack__()
        del unused
        gc.collect()
        self.assertEqual(len(_device._alive), 0)

    def test_a_copy_or_another_device_is_refused_by_dlpack(self):
        with open_run(device="emulated") as r:
            for options in {"copy": True}, {"dl_device": (2, 0)}:
                with self.assertRaisesRegex(BufferError, "in place"):
                    r["u"].__dlpack__(**options)

    def test_the_cuda_array_interface_gives_bytes_and_an_address(self):
        class OnCuda(_device.DeviceField):
            def _lent(self):
                view, strides = super()._lent()
                view.device_type = _device.CUDA
                return view, strides

        with open_run(device="emulated") as r:
            self.assertFalse(hasattr(r["u"], "__cuda_array_interface__"))
            about = OnCuda(r, "u", 0, (24, 32), numpy.dtype(float)).__cuda_array_interface__
            self.assertEqual((about["shape"], about["typestr"], about["version"]), ((24, 32), "<f8", 3))
            self.assertEqual(about["strides"][1], 8)
            self.assertEqual(about["data"], (numpy.from_dlpack(r["u"]).ctypes.data, False))

    def test_dense_values_of_the_same_type_and_gpu_are_copied_on_it(self):
        values = numpy.zeros((3, 4), numpy.float32)
        dense = lambda v, shape=(3, 4): _device.dense_on_device(v, shape, values.dtype, 0)
        self.assertEqual(dense(OnDevice(values)), values.ctypes.data)
        self.assertEqual(dense(OnDevice(values, strides=(16, 4))), values.ctypes.data)
        for other in values, OnDevice(values, strides=(32, 4)), OnDevice(values, 1), OnDevice(values, typestr="<f8"):
            self.assertIsNone(dense(other))
        self.assertIsNone(dense(OnDevice(values), (4, 3)))

    def test_several_subdomains_lend_no_field(self):
        with open_run(device="emulated", subdomains="2") as r:
            self.assertGreater(r["u"].max(), 0.5)
            with self.assertRaisesRegex(pavior.ArgumentError, "several places"):
                numpy.from_dlpack(r["u"])


def cuda_library():
    """CuPy or PyTorch: a function of (run, field) that gives an array in place, and one that makes values."""
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
        return lambda r, name: cupy.asarray(r[name]), lambda values: cupy.asarray(values)
    except Exception:
        pass
    try:
        import torch

        assert torch.cuda.is_available()
        return lambda r, name: torch.from_dlpack(r[name]), lambda values: torch.from_numpy(values).cuda()
    except Exception:
        return None


class OnRealGpus(unittest.TestCase):
    def setUp(self):
        self.library = cuda_library()
        if not self.library:
            self.skipTest("there is no CuPy or PyTorch with a GPU")

    def test_changes_and_values_on_the_gpu_give_the_same_bits(self):
        taken, made = self.library
        for real in "f64", "f32":
            results = []
            for device in "interpreter", "cuda":
                with open_run(f"real {real}\n{HEAT}", device) as r:
                    for k in range(4):
                        if device == "cuda":
                            u = taken(r, "u")
                            u[3:20, 5:9] += k
                            u *= 0.5
                        else:
                            u = r["u"].copy()
                            u[3:20, 5:9] += k
                            u *= 0.5
                            r["u"] = u
                        r.step(k)
                        given = numpy.ascontiguousarray(r["u"][::-1])
                        r["u"] = made(given) if device == "cuda" else given
                        r.step(2)
                    results.append((r["u"].copy(), r.measures))
            self.assertTrue((results[0][0] == results[1][0]).all())
            self.assertEqual(results[0][1], results[1][1])


class OnAnotherGpu:
    """An array that no run on the host can read."""

    __cuda_array_interface__ = {"shape": (24, 32), "typestr": "<f8", "data": (4096, False), "version": 3}


class Fields(unittest.TestCase):
    def test_a_program_is_copied_and_goes_to_other_processes_and_a_run_does_not(self):
        p = pavior.Program(HEAT, {"a": 0.1})
        for same in copy.deepcopy(p), pickle.loads(pickle.dumps(p)):
            self.assertEqual(str(same), str(p))
        with p.run("interpreter", no_files=True) as r, self.assertRaisesRegex(TypeError, "stays in its process"):
            pickle.dumps(r)

    def test_a_field_is_a_view_without_a_copy(self):
        with open_run() as r:
            u = r["u"]
            self.assertEqual((u.shape, u.dtype, u.flags.writeable), ((24, 32), numpy.float64, False))
            view = _library.View()
            _library.lib.pav_field_borrow(r._run.pointer, b"u", 0, ctypes.byref(view))
            self.assertEqual(u.ctypes.data, view.data)
            self.assertEqual(u[12, 16], 1.0)
            self.assertEqual(u.strides[1], 8)
            numpy.testing.assert_array_equal(numpy.from_dlpack(r["u"].copy()), u)

    def test_steps_equal_numpy(self):
        with open_run() as r:
            r.step(7)
            numpy.testing.assert_allclose(r["u"], heat_reference(7), rtol=0, atol=1e-15)
            numpy.testing.assert_allclose(r.level("u", 1), heat_reference(6), rtol=0, atol=1e-15)

    def test_an_array_outlives_its_run(self):
        r = open_run()
        u = r["u"]
        before = u.copy()
        r.close()
        del r
        gc.collect()
        numpy.testing.assert_array_equal(u, before)

    def test_a_written_field_is_used_by_the_next_step(self):
        with open_run() as r, open_run() as other:
            r["u"] = other["u"] * 2
            r.step(3)
            other.step(3)
            numpy.testing.assert_array_equal(r["u"], other["u"] * 2)
            r["u"] = numpy.zeros((24, 32), numpy.float32)
            self.assertEqual(r["u"].max(), 0)
            r["u"] = 3
            self.assertEqual(set(r["u"][1:-1, 1:-1].flat), {3})  # and 0 on the border
            r["u"] = numpy.asfortranarray(numpy.arange(24 * 32.0).reshape(24, 32))
            self.assertEqual(r["u"][1, 1], 33)
            odd = numpy.ones(24 * 32 * 8 + 1, "u1")[1:].view("f8").reshape(24, 32)  # not aligned
            odd[...] = 5
            r["u"] = odd
            self.assertEqual(r["u"][1, 1], 5)

    def test_assignments_and_operators_change_the_field_in_place(self):
        """On a host, on a GPU, and where the array is a copy of several places."""
        ends = []
        for device, options in ("interpreter", {}), ("cpu", {}), ("emulated", {}), ("interpreter", {"subdomains": "2"}):
            with open_run(device=device, **options) as r:
                u = r["u"]
                u[3, 4] = 7
                u[5:9][:2] = r["u"][6:8] + 1
                u *= 2
                u[10, 2:5] += [1, 2, 3]
                numpy.add.at(u, (12, [3, 3]), 1)
                numpy.multiply(u, 2, out=u, where=u[...] > 1)
                u[0, 5] = 9  # a border prescribes this point
                self.assertEqual((r["u"][3, 4], r["u"][0, 5]), (28, 0))
                ends.append(r.step(3)["u"].copy())
        for end in ends[1:]:
            numpy.testing.assert_array_equal(end, ends[0])
        with open_run() as r, open_run() as other:
            values = r["u"].copy()
            values[3:9, 4] = 7
            r["u"][3:9, 4] = 7
            other["u"] = values
            numpy.testing.assert_array_equal(r.step(3)["u"], other.step(3)["u"])

    def test_a_change_in_place_copies_nothing(self):
        with open_run() as r:
            u = r["u"]
            u[2:4] = 5
            self.assertEqual((u.ctypes.data, u[2, 3]), (r["u"].ctypes.data, 5))
            taken = numpy.from_dlpack(r["u"])  # another library changes it
            self.assertEqual(taken.ctypes.data, u.ctypes.data)
            (ctypes.c_double * (24 * 32)).from_address(taken.ctypes.data)[32 * 4 + 5] = 8
            self.assertEqual(r["u"][4, 5], 8)

    def test_results_of_calculations_are_arrays_of_their_own(self):
        with open_run() as r:
            u = r["u"]
            for values in u + 1, u.copy(), u[[1, 2]], numpy.where(u > 0, u, 0), pickle.loads(pickle.dumps(u)):
                values[...] = 9
            self.assertLess(r["u"].max(), 1.5)
            self.assertIs(type(u + 1), numpy.ndarray)

    def test_a_late_change_is_refused(self):
        with open_run() as r:
            u = r["u"]
            part = u[3:5]
            r.step()
            for late in (lambda: u.fill(0), lambda: part.__setitem__(0, 1), lambda: part.__imul__(2)):
                with self.assertRaisesRegex(pavior.ArgumentError, "taken at step 0, and the run is at step 1"):
                    late()
        with self.assertRaisesRegex(pavior.ArgumentError, "closed"):
            u[3] = 1

    def test_copies_of_narrow_and_complex_fields_are_written_back(self):
        with open_run("real f32 stored bf16\n" + HEAT) as r:
            r["u"][3, 4] = 7
            self.assertEqual(r["u"][3, 4], 7)
        with open_run(COMPLEX) as r:
            r["psi"][2, 3] = 1 + 2j
            r["psi"] *= 2
            self.assertEqual((r["psi.re"][2, 3], r["psi.im"][2, 3]), (2, 4))

    def test_wrong_arrays_are_refused_with_a_sentence(self):
        with open_run() as r:
            with self.assertRaisesRegex(ValueError, r"shape \(24, 32\)"):
                r["u"] = numpy.zeros((32, 24))
            for kind, words, values in (
                (ValueError, "give its transpose, array.T", numpy.zeros((32, 24))),
                (ValueError, r"array.reshape\(24, 32\)", numpy.zeros(768)),
                (TypeError, "give it .real", numpy.zeros((24, 32), complex)),
                (TypeError, "astype", "one"),
                (TypeError, "astype", None),
                (TypeError, "copy them to the host", OnAnotherGpu()),
                (ValueError, "filled", numpy.ma.masked_less(numpy.zeros((24, 32)), 1)),
            ):
                with self.assertRaisesRegex(kind, words):
                    r["u"] = values
            with self.assertRaisesRegex(KeyError, "no field 'v'"):
                r["v"]
            with self.assertRaises(TypeError):
                r.read("u", numpy.int32)
            with self.assertRaisesRegex(ValueError, "read-only"):
                numpy.copyto(r["u"], 1)
            with self.assertRaisesRegex(ValueError, "broadcast"):
                r["u"][3:5] = numpy.zeros(7)

    def test_options_of_a_wrong_type_are_named(self):
        with self.assertRaisesRegex(TypeError, "threads='two'"):
            open_run(threads="two")
        with self.assertRaisesRegex(pavior.PaviorError, "or 0 for all, not -1"):
            open_run(threads=-1)
        with self.assertRaisesRegex(ValueError, "param a takes a number, not 'x'"):
            pavior.Program("param a = 1\ngrid x 9\nfield u = a", params={"a": "x"})

    def test_wrong_arguments_say_what_to_write(self):
        p = pavior.Program(HEAT)
        for kind, words, call in (
            (pavior.ArgumentError, "a path, an entry of the catalogue, or a text", lambda: pavior.Program(None)),
            (pavior.ArgumentError, "a path, an entry of the catalogue, or a text", lambda: pavior.Program("")),
            (TypeError, "params={", lambda: pavior.Program(HEAT, ["a"])),
            (pavior.ArgumentError, "a finite number, not nan", lambda: p.with_params(a=numpy.nan)),
            (TypeError, 'write "auto"', lambda: p.run(3)),
            (TypeError, "schedule=3 is of the wrong type: it takes a text", lambda: open_run(schedule=3)),
            (TypeError, 'subdomains="2x1"', lambda: open_run(subdomains=(2, 1))),
            (TypeError, "a whole number of bytes", lambda: open_run(device_memory=1e9)),
            (TypeError, "a function of", lambda: open_run(progress=3)),
            (TypeError, r"come in a list: a=\[3\]", lambda: pavior.sweep(p, a=3)),
            (TypeError, r"a list of names, \['c'\]", lambda: pavior.gradient(pavior.Program(WAVE), "c")),
            (TypeError, "its names and arrays", lambda: pavior.Program(POISSON).solve(given=[1])),
            (TypeError, "takes real numbers", lambda: pavior.Program(POISSON).solve(given={"f": 1j})),
            (TypeError, "progress=1 is neither True", lambda: open_run(progress=1)),
            (pavior.ArgumentError, "time_limit=1.* is out of range", lambda: open_run(time_limit=10**400)),
            (pavior.ArgumentError, "a takes a finite number, and 1.* is too large", lambda: p.with_params(a=10**400)),
            (TypeError, "give a pavior.Program", lambda: pavior.sweep("heat.pav", a=[1])),
            (TypeError, "give a pavior.Program", lambda: pavior.gradient("wave.pav", ["c"])),
            (TypeError, "path=None: an output needs", lambda: open_run().output("u", None)),
        ):
            with self.assertRaisesRegex(kind, words):
                call()
        self.assertEqual(str(pavior.Program(HEAT.encode())), str(p))

    def test_a_complex_field_is_a_complex_array(self):
        with open_run(COMPLEX) as r:
            psi = r["psi"]
            self.assertEqual((psi.dtype, psi.flags.writeable, r.fields), (complex, False, ["psi.re", "psi.im"]))
            numpy.testing.assert_array_equal(psi.imag, r["psi.im"])
            r["psi"] = numpy.asfortranarray(2j * psi)
            numpy.testing.assert_array_equal(r["psi"], 2j * psi)
            r["psi"] = 1
            self.assertEqual((r["psi"][0, 0], r.read("psi", "float32").dtype), (1, numpy.complex64))
            with self.assertRaisesRegex(ValueError, "give its transpose"):
                r["psi"] = psi.T
            with self.assertRaisesRegex(TypeError, r"takes numbers, not .*astype\(complex\)"):
                r["psi"] = "one"
            for dtype in str, int:
                with self.assertRaisesRegex(TypeError, "fields are read as"):
                    r.read("psi", dtype)

    def test_narrow_types(self):
        types = {"f32": "float32", "f64": "float64", "f32 stored f16": "float16", "f32 stored bf16": "float32"}
        for real, dtype in types.items():
            with open_run(f"grid x 9\nreal {real}\nfield u = x\nu' = u\nsteps 1\n") as r:
                self.assertEqual(r["u"].dtype, dtype)
                numpy.testing.assert_array_equal(r["u"], numpy.arange(9))

    def test_devices_and_cuts_have_the_same_bits(self):
        results = []
        for device, options in (("interpreter", {}), ("cpu", {}), ("emulated", {}), ("cpu", {"subdomains": "2x1"})):
            try:
                with open_run(device=device, **options) as r:
                    results.append(r.step(20)["u"].copy())
            except (pavior.DeviceError, pavior.Unsupported) as error:
                print(f"skipped: {device}: {error}", file=sys.stderr)
        for other in results[1:]:
            numpy.testing.assert_array_equal(results[0], other)


class Steps(unittest.TestCase):
    def test_measures_samples_and_scalars(self):
        with open_run() as r:
            r.step(10)
            self.assertAlmostEqual(r.measures["total"], r["u"].sum(), places=12)
            self.assertEqual(r.scalars, {"s": 1.0})
            r.set(s=0)
            before = r["u"].copy()
            r.step(5)
            numpy.testing.assert_array_equal(r["u"], before)
            (sample,) = r.samples
            self.assertEqual((sample.name, sample.step, sample.positions.tolist()), ("u", 15, [[3, 4], [5, 6]]))
            numpy.testing.assert_array_equal(sample.values, [r["u"][4, 3], r["u"][6, 5]])

    def test_every_yields_until_the_last_step(self):
        with open_run() as r:
            self.assertEqual(list(r.every(40)), [40, 80, 100])
            self.assertEqual(r.report().state, "done")

    def test_until_ends_the_loop(self):
        text = "grid x 8\nfield u = 1\nu' = u/2\nuntil max(u) < 0.1\nsteps 100\n"
        with open_run(text) as r:
            self.assertEqual(list(r.every(3))[-1], 4)
            self.assertTrue(r.until)

    def test_a_checkpoint_goes_on_with_the_same_bits(self):
        with tempfile.TemporaryDirectory() as folder, open_run() as whole:
            path = pathlib.Path(folder) / "half"
            with open_run() as r:
                r.step(30).checkpoint(path)
            with open_run(restart=path) as r:
                self.assertEqual(r.now, 30)
                numpy.testing.assert_array_equal(r.step(30)["u"], whole.step(60)["u"])

    def test_progress_is_told_and_an_exception_in_it_stops_the_run(self):
        seen = []

        def listen(step, steps, left):
            seen.append(step)
            if step > 10:
                raise KeyboardInterrupt

        with open_run("grid x 64, y 64\nfield u = x\nu' = u\nsteps 100000000\n", progress=listen, report_seconds=0.01) as r:
            with self.assertRaises(KeyboardInterrupt):
                r.finish()
            self.assertGreater(r.now, 10)
            self.assertGreater(len(seen), 0)
            r.close()

    def test_ctrl_c_stops_a_run(self):
        code = (
            "import pavior, os, signal, threading\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job ignores Ctrl-C
            "r = pavior.Program('grid x 64, y 64\\nfield u = x\\nu\\' = u\\nsteps 100000000\\n').run('interpreter', no_files=True)\n"
            "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "try:\n    r.finish()\nexcept KeyboardInterrupt:\n    print('stopped', r.now > 0)\n"
        )
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        self.assertEqual((out.stdout, out.stderr), ("stopped True\n", ""))

    def test_threads_have_runs_of_their_own(self):
        results = [None] * 4

        def work(number):
            with open_run() as r:
                results[number] = r.step(50)["u"].copy()

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            numpy.testing.assert_array_equal(result, results[0])

    def test_a_run_serves_one_thread_at_a_time_and_lives_until_its_end(self):
        text = "grid x 500, y 500\nfield u = x\nu' = u + 0.1*laplace(u)\nborder u = 0\nsteps 400\n"
        for close in (False, True):
            begun, failures = threading.Event(), []
            r = open_run(text, report_seconds=1e-6, progress=lambda step, *rest: step and begun.set())

            def work():
                try:
                    r.step(60)
                except BaseException as error:
                    failures.append(error)

            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            self.assertTrue(begun.wait(60))
            if close:
                r.close()
            for thread in threads:
                thread.join()
            self.assertTrue(all(close and isinstance(error, pavior.ArgumentError) for error in failures), failures)
            if not close:
                self.assertEqual(r.now, 120)

    def test_numbers_beyond_those_of_c_are_refused(self):
        with open_run() as r:
            for call in (lambda: r.step(2**64), lambda: r.level("u", 2**32), lambda: r.read("u", age=2**32), lambda: open_run(threads=2**32)):
                with self.assertRaisesRegex(pavior.ArgumentError, "is out of range"):
                    call()
            self.assertEqual(r.now, 0)
            with self.assertRaises(TypeError):
                r.step(1.5)

    def test_python_goes_on_while_steps_run(self):
        count, ended = [0], threading.Event()

        def work():
            try:
                with open_run("grid x 400, y 400\nfield u = x\nu' = u + 0.1*laplace(u)\nborder u = 0\nsteps 300\n") as r:
                    r.step(300)
            finally:
                ended.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not ended.wait(0.001):
            count[0] += 1
        thread.join()
        self.assertGreater(count[0], 5)

    def test_a_failed_expectation_and_a_nan_are_exceptions(self):
        with open_run("grid x 8\nfield u = 1\nu' = u\nsteps 1\nexpect max(u) < 0.5\n") as r:
            with self.assertRaises(pavior.ExpectationFailed):
                r.finish()
        with open_run("grid x 8\nfield u = 1\nu' = u*1e200\nsteps 9\n", nan_check_every=1) as r:
            with self.assertRaises(pavior.NotFinite):
                r.finish()

    def test_a_closed_run_says_so(self):
        r = open_run()
        r.close()
        for call in (r.step, r.finish, r.report, r.checkpoint, r.__enter__, lambda: r["u"], lambda: r.measures):
            with self.assertRaisesRegex(pavior.ArgumentError, "closed"):
                call()
        self.assertIn("closed", repr(r))

    def test_unknown_options_are_named(self):
        with self.assertRaisesRegex(TypeError, "no option 'tread'"):
            open_run(tread=2)

    def test_files_are_written_where_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            with pavior.Program(HEAT).run("interpreter", directory=folder) as r:
                r.finish()
                self.assertTrue(any("s.npy" in note for note in r.notes))
            self.assertEqual(numpy.load(pathlib.Path(folder) / "s.npy").shape[1], 2)


MESH = """
mesh disc 4 layers 1
field u on nodes
form a(u, v) = dot(grad(u), grad(v))
form L(v) = 2*v
border u = 0 at "rim"
solve a = L by cg to 1e-10
measure torque = 2*integral(u)
"""


class Meshes(unittest.TestCase):
    def test_a_program_on_a_mesh_is_solved(self):
        p = pavior.Program(MESH)
        self.assertEqual((p.fields, p.is_on_mesh), (["u"], True))
        self.assertGreater(p.plan("cpu").all_bytes, 0)
        self.assertIn("kernels", p.explain())
        with p.run("interpreter", no_files=True) as r:
            self.assertEqual(r.measures, {})
            u, (x, y, z) = r.finish()["u"], r.coordinates
            self.assertAlmostEqual(r.measures["torque"], 1.512431124140007, places=12)
        numpy.testing.assert_allclose(u, (1 - x**2 - y**2) / 2, atol=1 / 16)
        self.assertEqual((u.shape, u.flags.writeable, z.max()), ((61, 2), False, 1.0))

    def test_wrong_calls_on_a_mesh_say_what_to_do(self):
        r = pavior.Program(MESH).run("interpreter", no_files=True)
        for call, sentence in (
            (lambda: r["u"], "call finish"),
            (r.step, "has no steps: call finish"),
            (lambda: r["v"], "there are u"),
        ):
            with self.assertRaisesRegex((pavior.ArgumentError, KeyError), sentence):
                call()
        with self.assertRaisesRegex(TypeError, "no option 'schedule'; it has directory"):
            pavior.Program(MESH).run("interpreter", schedule="rows")
        r.close()
        with self.assertRaisesRegex(pavior.ArgumentError, "closed"):
            r.finish()

    def test_a_failed_expectation_on_a_mesh_is_an_exception(self):
        r = pavior.Program(MESH + "expect max(u) > 9\n").run("interpreter", no_files=True)
        with self.assertRaises(pavior.ExpectationFailed):
            r.finish()


class Solvers(unittest.TestCase):
    def test_an_equation_is_solved(self):
        s = pavior.Program(POISSON).solve("interpreter")
        self.assertLess(s.residual, 1e-8)
        self.assertAlmostEqual(s.u.max(), 0.0737, places=3)  # of -laplace(u) = 1 on the unit square

    def test_a_right_side_is_given(self):
        p = pavior.Program(POISSON)
        twice = p.solve("interpreter", {"f": numpy.full((33, 33), 2.0)})
        numpy.testing.assert_allclose(twice.u, 2 * p.solve("interpreter").u, atol=1e-8)
        with self.assertRaisesRegex(pavior.ArgumentError, "shape"):
            p.solve("interpreter", {"f": numpy.ones(9)})

    def test_without_convergence_the_last_iterate_is_kept(self):
        with self.assertRaises(pavior.NotConverged) as caught:
            pavior.Program(POISSON.replace("1e-8", "1e-8") + "steps 1\n").solve("interpreter")
        self.assertEqual(caught.exception.solution.u.shape, (33, 33))


class Surveys(unittest.TestCase):
    def test_a_gradient_is_that_of_differences(self):
        g = pavior.gradient(pavior.Program(WAVE), ["c"], device="interpreter")
        at, misfit = (20, 20), []
        for change in (-1e-5, 1e-5):
            with open_run(WAVE) as r:
                c = r["c"].copy()
                c[at] += change
                r["c"] = c
                values = []
                for _ in range(60):
                    values.append(r.step()["u"][[20, 24], 28].copy())
                misfit.append(0.5 * numpy.sum(numpy.square(values)))
        self.assertAlmostEqual(g["c"][at] / ((misfit[1] - misfit[0]) / 2e-5), 1, places=5)

    def test_a_sweep_has_a_row_for_each_combination(self):
        rows = pavior.sweep(pavior.Program(HEAT), "interpreter", a=[0.1, 0.2], fields=["u"], each=lambda r: r.now)
        self.assertEqual([(row["a"], row["result"]) for row in rows], [(0.1, 100), (0.2, 100)])
        self.assertGreater(rows[0]["total"], rows[1]["total"])
        self.assertEqual(rows[0]["u"].shape, (24, 32))

    def test_a_sweep_compiles_its_kernels_once(self):
        def kernels(values):
            with tempfile.TemporaryDirectory() as cache:
                program = f"import pavior; pavior.sweep(pavior.Program({HEAT!r}), 'cpu', a={values}, early=-1)"
                subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PAV_CACHE": cache})
                return len(list(pathlib.Path(cache).rglob("*.so")))

        self.assertEqual(kernels([0.05, 0.06, 0.07]), kernels([0.05]))
        self.assertGreater(kernels([0.05]), 0)


class Interface(unittest.TestCase):
    def test_doctor_tells_about_this_machine(self):
        self.assertIn("version", pavior.doctor())
        self.assertEqual(pavior.__version__, pavior._lib.pav_version().decode())

    def test_examples_are_found_and_run(self):
        found = pavior.examples()
        here = pathlib.Path(__file__).resolve().parents[2] / "examples"
        self.assertEqual(sorted(found), sorted(path.stem for path in here.glob("*/*.pav")))
        self.assertEqual(pavior.Program(found["shaft"]).dimensions, 2)  # reads an array beside it
        pavior.Program(found["heat1d"]).run("interpreter", no_files=True).finish()

    def test_structures_are_those_of_the_header(self):
        header = pathlib.Path(__file__).resolve().parents[2] / "include"
        compiler = os.environ.get("CC", "cc")
        lines = ["#include <pavior.h>", "#include <stdio.h>", "int main(void) {"]
        for name, kind in _library.STRUCTURES.items():
            lines.append(f'printf("%zu\\n", sizeof({name}));')
            lines += [f'printf("%zu\\n", offsetof({name}, {field}));' for field, *_ in kind._fields_]
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "layout.c", pathlib.Path(folder) / "layout"
            source.write_text("\n".join([*lines, "return 0; }"]))
            try:
                subprocess.run([compiler, f"-I{header}", source, "-o", program], check=True, capture_output=True)
            except FileNotFoundError:
                self.skipTest(f"there is no compiler '{compiler}'")
            got = [int(word) for word in subprocess.run([program], capture_output=True, text=True).stdout.split()]
        want = []
        for kind in _library.STRUCTURES.values():
            want.append(ctypes.sizeof(kind))
            want += [getattr(kind, field).offset for field, *_ in kind._fields_]
        self.assertEqual(got, want)

    def test_public_functions_have_types_and_docstrings(self):
        def look(thing, name):
            if inspect.isclass(thing):
                for key, inner in vars(thing).items():
                    function = inner.fget if isinstance(inner, property) else inner
                    if inspect.isfunction(function) and (not key.startswith("_") or key in ("__getitem__", "__setitem__")):
                        look(function, f"{name}.{key}")
            elif inspect.isfunction(thing):
                signature = inspect.signature(thing)
                types = [p.annotation for p in signature.parameters.values() if p.name not in ("self", "cls")]
                if inspect.Signature.empty in [*types, signature.return_annotation]:
                    missing.append(name)
            if not inspect.getdoc(thing):
                missing.append(f"{name}, docstring")

        missing = []
        for name in pavior.__all__:
            look(getattr(pavior, name), name)
        self.assertEqual(missing, [])

    def test_the_import_loads_few_modules(self):
        program = "import sys, numpy; before = set(sys.modules); import pavior; print(*(set(sys.modules) - before))"
        out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        slow = {"asyncio", "json", "pathlib", "shutil", "subprocess", "tempfile", "urllib.parse"}
        self.assertEqual(slow & set(out.stdout.split()), set())

    def test_a_missing_library_is_a_sentence(self):
        environment = {**os.environ, "PAVIOR_LIBRARY": "/no/such/libpavior.so"}
        out = subprocess.run([sys.executable, "-c", "import pavior"], capture_output=True, text=True, env=environment)
        self.assertIn("PAVIOR_LIBRARY", out.stderr)
        with self.assertRaisesRegex(pavior.PaviorError, "it is older than this package"):
            _library._declare(ctypes.CDLL("libc.so.6"))

    def test_a_notebook_cell_is_a_program(self):
        class Shell:
            user_ns = {}

            def register_magic_function(self, function, magic_kind):
                self.magic = function

        shell = Shell()
        pavior.load_ipython_extension(shell)
        p = shell.magic("p a=0.1", HEAT)
        self.assertIs(shell.user_ns["p"], p)
        self.assertEqual(p.params, {"a": 0.1})


class Pictures(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def same(self, name, data):
        self.assertEqual((self.folder / name).read_bytes(), data)

    def test_a_picture_is_the_one_of_an_output_line(self):
        lines = """
            output u into "u.png"
            output u into "o.png" range -1/2 to 1e-3 colours magma label "T (K)" size 2 contours at 0.25, 0.5
        """
        with pavior.Program(HEAT + lines).run("interpreter", directory=self.folder, no_stamp=True) as r:
            r.finish()
            notes = r.notes
            picture = r.show("u")
            self.same("u.png", picture._repr_png_())
            options = dict(range=(-0.5, 1e-3), colours="magma", label="T (K)", size=2, contours=(0.25, 0.5))
            self.same("o.png", r.show("u", **options).data)
            self.assertEqual(r.notes, notes)
        picture.save(self.folder / "again.png")
        self.same("again.png", picture.data)
        self.assertIn("1 frame" if picture.frames != 1 else f"{picture.size[0]} x {picture.size[1]} pixels", repr(picture))
        with self.assertRaisesRegex(pavior.ArgumentError, r"\.png or \.apng"):
            picture.save(self.folder / "u.jpg")

    def test_a_field_in_3d_is_shown_by_a_slice(self):
        lines = 'output u slice z 2 into "z.png"\noutput u slice x 5 into "x.png"\n'
        text = "grid x 7, y 6, z 5\nfield u = x + 10*y + 100*z, v coarse = z\nu' = u\nsteps 1\n" + lines
        with pavior.Program(text).run("emulated", directory=self.folder, no_stamp=True) as r:
            r.finish()
            self.same("z.png", r.show("u").data)
            for picture in r.show("u", 5, 2), r.show("u", -2, axis="x"):
                self.same("x.png", picture.data)
            self.assertEqual(r.show("v", 2, "z").frames, 1)
            for wrong in dict(axis="t"), dict(axis="zy"), dict(axis=1.0), dict(axis=3), dict(index=5), dict(index=-6):
                with self.assertRaises(ValueError):
                    r.show("u", **wrong)

    def test_wrong_options_of_a_picture_are_sentences(self):
        with open_run() as r:
            cases = [
                (TypeError, "it has range, colours", dict(cmap="magma")),
                (pavior.DescriptionError, "did you mean 'magma'", dict(colours="magmaa")),
                (pavior.ArgumentError, "wrong form", dict(range=1)),
                (pavior.ArgumentError, "without quotes", dict(label='a"')),
                (pavior.ArgumentError, "leave it out for none", dict(label="")),
                (pavior.ArgumentError, r'write label="T', dict(label=3)),
                (pavior.ArgumentError, r"write range=\(0, 1\)", dict(range="01")),
                (pavior.ArgumentError, "range: nan is no place", dict(range=(0, numpy.nan))),
                (pavior.ArgumentError, "a whole number", dict(contours=2.5)),
                (pavior.ArgumentError, "a whole number", dict(size=2.0)),
                (pavior.ArgumentError, r'write arrows=\("ux", "uy"\)', dict(arrows="u")),
                (TypeError, "write colours", dict(cmap="magma")),
                (pavior.ArgumentError, "'u' is not complex", dict(part="abs")),
                (pavior.ArgumentError, "a slice is of three", dict(index=1)),
                (KeyError, "there are u", dict(name="w")),
            ]
            for kind, words, options in cases:
                with self.assertRaisesRegex(kind, words):
                    r.show(**{"name": "u", **options})
            for wrong in lambda: r.animation("u", 0), lambda: r.animation("u", -2), lambda: list(r.every(-1)), lambda: r.every(0):
                with self.assertRaisesRegex(pavior.ArgumentError, "at least one step"):
                    wrong()
            for wrong in lambda: r.step(-1), lambda: r.animation("u", steps=-1):
                with self.assertRaisesRegex(pavior.ArgumentError, "takes no steps back"):
                    wrong()
            for wrong in lambda: r.step(2.0), lambda: r.step("2"), lambda: list(r.every(1.5)), lambda: r.level("u", 1.0):
                with self.assertRaisesRegex(TypeError, "is no whole number: write int"):
                    wrong()
            self.assertEqual(r.now, 0)

    def test_numbers_of_numpy_are_options(self):
        with open_run(no_stamp=True, threads=numpy.int64(1), report_seconds=numpy.float32(1)) as r:
            same = r.show("u", contours=8, size=2, range=(0, 1)).data
            self.assertEqual(r.show("u", contours=numpy.int64(8), size=numpy.int8(2), range=numpy.array([0, 1])).data, same)
            levels = r.show("u", contours=numpy.array([0.25, 0.5])).data
            self.assertEqual(r.show("u", contours=[0.25, 0.5]).data, levels)
            self.assertEqual(r.animation("u", numpy.int32(2), numpy.uint8(4)).frames, 3)
            self.assertEqual(r.step(numpy.int64(2)).now, 6)
            r.set(s=numpy.float32(0.5))
            self.assertEqual(r.scalars["s"], 0.5)

    def test_a_complex_field_is_shown_by_magnitude_phase_or_part(self):
        text = COMPLEX + 'output abs(psi) as size into "abs.png" label "abs(psi)"\noutput psi.im into "im.png"\n'
        with pavior.Program(text).run("interpreter", directory=self.folder, no_stamp=True) as r:
            r.finish()
            self.same("abs.png", r.show("psi").data)
            self.same("abs.png", r.show("psi", part="abs").data)
            self.same("im.png", r.show("psi", part="im").data)
            self.assertNotEqual(r.show("psi", part="arg").data, r.show("psi", part="re").data)
            with self.assertRaisesRegex(pavior.ArgumentError, "none of 'abs', 'arg', 're' and 'im'"):
                r.show("psi", part="real")
            with self.assertRaisesRegex(pavior.ArgumentError, '"psi.re, psi.im"'):
                r.output("psi", self.folder / "psi.npy")
        with open_run(COMPLEX) as r:
            film = r.animation("psi", 2, part="arg", range=(-3.2, 3.2))
            self.assertEqual((film.frames, r.now), (4, 6))

    def test_an_output_writes_values_of_the_caller(self):
        with open_run() as r:
            with r.output("u", self.folder / "power.npy") as output:
                output.write(r["u"] ** 2, "power")
                with self.assertRaisesRegex(pavior.ArgumentError, "its frames have one name"):
                    output.write(r["u"], "u")
                for kind, words, values in (
                    (ValueError, r"field has \(24, 32\)", r["u"].T),
                    (TypeError, r"give numpy.abs\(\)", r["u"] * 1j),
                    (ValueError, "filled", numpy.ma.masked_less(r["u"], 1)),
                ):
                    with self.assertRaisesRegex(kind, words):
                        output.write(values, "power")
            numpy.testing.assert_array_equal(numpy.load(self.folder / "power.npy"), r["u"] ** 2)

    def test_an_animation_is_the_one_of_an_output_line(self):
        with pavior.Program(HEAT + 'output u into "u.apng" every 20').run(
            "interpreter", directory=self.folder, no_stamp=True
        ) as r:
            r.finish()
        with open_run(no_stamp=True) as r:
            film = r.animation("u", every=20)
            self.assertEqual((r.now, film.frames), (100, 6))
            self.assertEqual([note for note in r.notes if "wrote" in note], [])
            self.assertTrue(any("total" in note for note in r.notes))
        self.same("u.apng", film.data)
        with open_run() as r:
            film = r.animation("u", 4, steps=10, colours="grey", range=(0, 1))
            self.assertEqual((r.now, film.frames), (10, 4))
            self.assertIn("4 frames", repr(film))

    def test_an_animation_ends_where_until_holds(self):
        with pavior.Program("grid x 4, y 4\nfield u = 1\nu' = 2*u\nsteps 9\nuntil max(u) > 7").run("interpreter") as r:
            self.assertEqual((r.animation("u").frames, r.now), (4, 3))
        with pavior.Program("grid x 4, y 4\nfield u = 1\nu' = 2*u\nuntil max(u) > 7").run("interpreter") as r:
            self.assertEqual((list(r.every(2)), r.now), ([2, 3], 3))

    def test_a_run_writes_files_that_its_description_does_not_have(self):
        r = open_run()
        with r.output("u", self.folder / "u.npy") as output:
            output.write()
        numpy.testing.assert_array_equal(numpy.load(self.folder / "u.npy"), r["u"])
        film = r.output("u range 0 to 1", self.folder / "u.apng")
        for _ in r.every(40):
            film.write()
        film.close()
        film.close()
        self.assertEqual((self.folder / "u.apng").read_bytes()[:4], b"\x89PNG")
        with self.assertRaisesRegex(pavior.ArgumentError, "is closed"):
            film.write()
        with self.assertRaises(pavior.FileError):
            r.output("u", self.folder / "no" / "u.npy")
        left = r.output("u", self.folder / "left.vti")
        left.write()
        r.close()
        with self.assertRaisesRegex(pavior.ArgumentError, "closed"):
            r.show("u")
        left.close()
        self.assertIn(b"VTKFile", (self.folder / "left.vti").read_bytes())

    def test_a_field_on_a_mesh_is_shown_by_a_layer_or_a_cut(self):
        text = (
            "mesh disc 5 layers 2\nfield u on nodes = x*z\noutput u into \"top.png\" layer 2\n"
            'output u into "cut.png" cut (-1, 0.1) to (1, 0.1)\n'
        )
        with pavior.Program(text).run("interpreter", directory=self.folder, no_stamp=True) as r:
            r.finish()
            self.same("top.png", r.show("u").data)
            self.same("cut.png", r.show("u", cut=((-1, 0.1), (1, 0.1))).data)
            self.assertNotEqual(r.show("u", 0).data, r.show("u", layer=2).data)
            for wrong in dict(layer=3), dict(layer=-1), dict(layer=1, cut=((0, 0), (1, 1))), dict(cut=(0, 1)):
                with self.assertRaises(pavior.ArgumentError):
                    r.show("u", **wrong)
            with self.assertRaisesRegex(pavior.ArgumentError, r"lies outside of the mesh, .* x from -1 to 1"):
                r.show("u", cut=((5, 5), (6, 6)))
            for cut in "ab", (("a", "b"), (1, 2)), ((0, 0), (0, 0)), ((0, 0), (numpy.nan, 1)):
                with self.assertRaisesRegex(pavior.ArgumentError, r"write cut=\(\(-1, 0\), \(1, 0\)\)"):
                    r.show("u", cut=cut)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main()
