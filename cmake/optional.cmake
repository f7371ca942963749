# SPDX-License-Identifier: BSD-3-Clause
# Optional parts: pav_have_png (0 or 1), pav_cxx and pav_pkg_config (programs for the tests).
set(pav_have_png 0)
if(PAV_PNG STREQUAL "AUTO")
    find_package(PNG QUIET)
elseif(PAV_PNG)
    find_package(PNG)
    if(NOT PNG_FOUND)
        message(FATAL_ERROR "PAV_PNG is ${PAV_PNG}, but there is no libpng: "
                            "install libpng-dev, or configure with -DPAV_PNG=OFF")
    endif()
endif()
if(PNG_FOUND AND PAV_PNG)
    set(pav_have_png 1)
endif()

find_program(pav_cxx NAMES $ENV{CXX} c++ g++ clang++ NO_CACHE)
find_program(pav_pkg_config NAMES pkg-config pkgconf NO_CACHE)
foreach(program pav_cxx pav_pkg_config)
    if(NOT ${program})
        set(${program} "")
    endif()
endforeach()
