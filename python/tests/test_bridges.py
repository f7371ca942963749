# SPDX-License-Identifier: BSD-3-Clause
"""Fields as objects of xarray and PyVista, and gradients in PyTorch. Tests of an absent library are skipped."""

import importlib.util
import unittest
from unittest import mock

import numpy

import pavior
from pavior import _autograd

BOX = """
param dt = 0.25
grid x 9 from 0 to 1 at x^2, y 6 spacing 1/3, z 5 spacing 10
field u = x + y + z, k coarse = 2
u' = 2*u
k' = k
steps 8
"""
WAVE = """
grid x 24, y 20
field u; c = 0.4
u' = 2*u - prev(u) + c^2*laplace(u)
border u = 0
inject exp(-(t - 4)^2/4) into u at (8, 9)
sample u at (16, 9), (16, 12) every 1 into "d.npy"
sample u at (5, 5) every 2 into "e.npy"
steps 40
"""


def needs(*modules):
    absent = [module for module in modules if importlib.util.find_spec(module) is None]
    return unittest.skipIf(absent, f"there is no {' and no '.join(absent)}")


def opened(text=BOX, **options):
    return pavior.Program(text).run("interpreter", no_files=True, **options)


class Coordinates(unittest.TestCase):
    def test_each_axis_has_the_coordinates_of_its_points(self):
        points = pavior.Program(BOX).coordinates
        numpy.testing.assert_allclose(points["x"], numpy.linspace(0, 1, 9) ** 2, rtol=1e-15)
        numpy.testing.assert_array_equal(points["y"], numpy.arange(6) / 3)
        numpy.testing.assert_array_equal(points["z"], numpy.arange(5) * 10.0)

    def test_they_are_exact_in_a_narrow_program_of_two_axes(self):
        points = pavior.Program("grid x 5, z 4 spacing 1/10 down\nreal f32\nfield u = z\nu' = u\nsteps 1\n").coordinates
        self.assertEqual(list(points), ["x", "z"])
        numpy.testing.assert_array_equal(points["z"], numpy.arange(4) / 10)

    def test_an_absent_library_is_a_sentence(self):
        with opened() as r, mock.patch.dict("sys.modules", {"xarray": None, "pyvista": None, "torch": None}):
            for call, module in (
                (lambda: r.to_xarray("u"), "xarray"),
                (lambda: r.to_pyvista("u"), "pyvista"),
                (lambda: pavior.gradient_function(pavior.Program(WAVE), "c"), "torch"),
            ):
                with self.assertRaisesRegex(ImportError, f"needs {module}: pip install {module}"):
                    call()

    @needs("xarray")
    def test_a_field_is_an_array_of_xarray(self):
        with opened() as r:
            u = r.step(2).to_xarray("u")
            numpy.testing.assert_array_equal(u.values, r["u"])
            self.assertEqual((u.name, u.dims, float(u.time), u.attrs), ("u", ("z", "y", "x"), 0.5, {"step": 2}))
            self.assertEqual(float(u.sel(z=20, y=1, x=0.25)), 4 * 21.25)
            r.step()
            self.assertEqual(float(u.sel(z=20, y=1, x=0.25)), 4 * 21.25)  # a copy
            k = r.to_xarray("k")
            self.assertEqual(k.shape, (3, 3, 5))
            numpy.testing.assert_array_equal(k.x, u.x[::2])
        with opened("grid x 5\nscalar dt = 0.5\nfield u = x\nu' = u\ndt' = dt\nsteps 2\n") as r:
            self.assertNotIn("time", r.to_xarray("u").coords)
        with self.assertRaisesRegex(pavior.ArgumentError, "closed"):
            r.to_xarray("u")

    @needs("pyvista")
    def test_a_field_is_a_grid_of_pyvista(self):
        with opened() as r:
            g = r.step(2).to_pyvista("u")
            self.assertEqual((g.dimensions, g.field_data["TimeValue"][0], g.field_data["step"][0]), ((9, 6, 5), 0.5, 2))
            numpy.testing.assert_allclose(g["u"], 4 * g.points.sum(axis=1), rtol=1e-14)
        with opened("grid x 5, z 4 spacing 10\nreal f32 stored f16\nfield u = x + 2*z\nu' = u\nsteps 1\n") as r:
            g = r.to_pyvista("u")
            numpy.testing.assert_allclose(g["u"], g.points @ [1, 0, 2], rtol=1e-3)


class Torch(unittest.TestCase):
    def setUp(self):
        y, x = numpy.mgrid[:20, :24]
        self.program, self.c = pavior.Program(WAVE), 0.4 + 0.02 * numpy.sin(x + 0.5 * y)

    def test_the_transposed_derivative_is_that_of_differences(self):
        files = ["d.npy", "e.npy"]
        random = numpy.random.default_rng(1)
        change, d = random.standard_normal(self.c.shape), _autograd.record(self.program, {"c": self.c}, files, "interpreter", {})
        outer = [1e-9 * random.standard_normal(values.shape) for values in d]
        g = _autograd.pull_back(self.program, {"c": self.c}, files, d, outer, "interpreter", {})["c"]
        ends = [_autograd.record(self.program, {"c": self.c + h * change}, files, "interpreter", {}) for h in (-1e-6, 1e-6)]
        want = sum(numpy.sum(v * (b - a)) for v, a, b in zip(outer, *ends)) / 2e-6
        self.assertAlmostEqual(numpy.sum(g * change) / want, 1, places=6)

    @needs("torch")
    def test_pytorch_differentiates_a_loss_of_recordings(self):
        import torch

        record = pavior.gradient_function(self.program, of="c", device="interpreter")

        def loss(c):
            d, e = record(0.5 * c)
            return (d**3).sum() + torch.log(1 + e**2).sum()

        c = torch.tensor(2 * self.c, requires_grad=True)
        loss(c).backward()
        change = torch.tensor(numpy.random.default_rng(2).standard_normal(self.c.shape))
        want = (loss(c.detach() + 1e-6 * change) - loss(c.detach() - 1e-6 * change)) / 2e-6
        self.assertAlmostEqual(float((c.grad * change).sum() / want), 1, places=6)
        narrow = torch.tensor(self.c, dtype=torch.float32, requires_grad=True)
        record(narrow)[0].sum().backward()
        self.assertEqual((narrow.grad.dtype, narrow.grad.shape), (torch.float32, (20, 24)))

    @needs("torch")
    def test_what_has_no_gradient_is_refused_with_a_sentence(self):
        import torch

        with self.assertRaisesRegex(pavior.Unsupported, "into \"name.npy\""):
            pavior.gradient_function(pavior.Program(BOX), "k")
        record = pavior.gradient_function(self.program, of="q", device="interpreter")
        with self.assertRaisesRegex(pavior.ArgumentError, "no coefficient 'q'; the fields are u, c"):
            record(torch.zeros(20, 24))
        with self.assertRaisesRegex(TypeError, "for each of q is needed, not 0"):
            record()
        with self.assertRaises(pavior.PaviorError):
            pavior.gradient_function(self.program, of="c", device="interpreter")(torch.zeros(3, 3))


HEAT = "grid x 32, y 24\nfield u = exp(-((x - 16)^2 + (y - 12)^2)/9); k = 1\nu' = u + 0.1*k*laplace(u)\nborder u = 0\nsteps 9\n"


class SharedFields(unittest.TestCase):
    """Tensors of PyTorch and arrays of JAX in the memory of a run, and as values of its fields."""

    def check_values(self, *arrays):
        for device in "interpreter", "emulated":
            with pavior.Program(HEAT).run(device, no_files=True) as r:
                for values in arrays:
                    r["k"] = values
                    numpy.testing.assert_array_equal(r["k"], numpy.arange(24 * 32).reshape(24, 32))

    @needs("torch")
    def test_a_tensor_changes_the_field_in_place_and_the_next_step_takes_it(self):
        import torch

        for device in "interpreter", "emulated":
            with pavior.Program(HEAT).run(device, no_files=True) as r, opened(HEAT) as other:
                u = torch.from_dlpack(r.step(2)["u"])
                u[3:5] = 0
                u *= 2
                values = other.step(2)["u"].copy()
                values[3:5] = 0
                other["u"] = 2 * values
                numpy.testing.assert_array_equal(r.step(3)["u"], other.step(3)["u"])

    @needs("torch")
    def test_a_field_takes_tensors_in_any_order(self):
        import torch

        values = torch.arange(24 * 32.0).reshape(24, 32)
        self.check_values(values, values.T.contiguous().T, values.to(torch.int64))
        with opened(HEAT) as r:
            for wrong in values.clone().requires_grad_(), torch.empty(24, 32, device="meta"):
                with self.assertRaisesRegex((TypeError, RuntimeError), "Tensor|tensor"):
                    r["k"] = wrong

    @needs("jax")
    def test_jax_reads_a_field_and_a_field_takes_its_arrays(self):
        import jax.numpy as jnp

        with opened("real f32\n" + HEAT) as r:
            u = jnp.from_dlpack(r.step(2)["u"])
            self.assertEqual(float(u.max()), r["u"].max())
        values = jnp.arange(24 * 32.0).reshape(24, 32)
        self.check_values(values, values.T.copy().T)
        with opened(HEAT) as r, self.assertRaisesRegex(TypeError, "not bfloat16: convert the array"):
            r["k"] = values.astype(jnp.bfloat16)


if __name__ == "__main__":
    unittest.main()
