# SPDX-License-Identifier: BSD-3-Clause
# For Spack 1.0 and newer, in a repository of packages:
#     spack repo create here ours && spack repo add here/spack_repo/ours
#     mkdir here/spack_repo/ours/packages/pavior && cp packaging/spack/package.py here/spack_repo/ours/packages/pavior/
# Before a release is tagged, build a tree:  spack dev-build --source-path . pavior@1.0.0
from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Pavior(CMakePackage):
    """Nearest-neighbour computations on grids, with the same bits on every device."""

    homepage = "https://pavior.invalid"
    url = "https://pavior.invalid/pavior-1.0.0.tar.gz"
    license("BSD-3-Clause")

    # the release's sum comes with its archive (CONTRIBUTING.md)
    version("1.0.0")

    variant("cuda", default=False, description="NVRTC for GPUs of NVIDIA")
    variant("hdf5", default=False, description="Files of HDF5")
    variant("mpi", default=False, description="Plugin for MPI")
    variant("zstd", default=True, description="Packed files")

    depends_on("c", type=("build", "run"))  # a run compiles its kernels
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi", when="+mpi")
    with default_args(type="run"):
        depends_on("cuda@12:", when="+cuda")
        depends_on("hdf5", when="+hdf5")
        depends_on("zstd libs=shared", when="+zstd")
        depends_on("zlib-api")  # reads pictures

    def cmake_args(self):
        return [self.define("PAV_TESTS", False)]

    def setup_run_environment(self, env):
        for name in ("cuda", "hdf5", "zstd", "zlib-api"):  # they are opened at run time
            if name == "zlib-api" or self.spec.satisfies("+" + name):
                env.prepend_path("LD_LIBRARY_PATH", self.spec[name].prefix.lib)
                env.prepend_path("LD_LIBRARY_PATH", self.spec[name].prefix.lib64)

    def test_run(self):
        """take two steps and compare them with the interpreter"""
        pavior = which(self.prefix.bin.pavior)
        pavior("run", "heat3d@16x16x16/f32", "--steps", "2", "--no-files", "--verify")
