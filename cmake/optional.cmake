# SPDX-License-Identifier: BSD-3-Clause
# Optional parts: pav_cxx and pav_pkg_config (programs for the tests).
find_program(pav_cxx NAMES $ENV{CXX} c++ g++ clang++ NO_CACHE)
find_program(pav_pkg_config NAMES pkg-config pkgconf NO_CACHE)
foreach(program pav_cxx pav_pkg_config)
    if(NOT ${program})
        set(${program} "")
    endif()
endforeach()
