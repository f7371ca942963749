# SPDX-License-Identifier: BSD-3-Clause
# How everything is compiled: the target pav_flags. IEEE semantics must hold, so no compiler may
# contract, reassociate or assume that there is no NaN.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
if(CMAKE_SIZEOF_VOID_P LESS 8)
    message(FATAL_ERROR "Pavior needs a 64-bit compiler: pointers have ${CMAKE_SIZEOF_VOID_P} bytes here")
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
if("${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}" MATCHES "-ffast-math|-Ofast|-funsafe-math|-fassociative-math|-ffinite-math")
    message(FATAL_ERROR "${CMAKE_MATCH_0} in CMAKE_C_FLAGS changes results: leave it out")
endif()

# Assertions stay on in every build: they guard the seams between parts, outside of inner loops.
foreach(kind RELEASE RELWITHDEBINFO MINSIZEREL)
    string(REGEX REPLACE " *-DNDEBUG" "" CMAKE_C_FLAGS_${kind} "${CMAKE_C_FLAGS_${kind}}")
endforeach()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(pav_flags INTERFACE)
target_compile_options(pav_flags INTERFACE
    -ffp-contract=off -fno-math-errno
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
    -Wvla -Wpointer-arith -Wwrite-strings -Wundef $<$<BOOL:${PAV_WERROR}>:-Werror>)
target_link_libraries(pav_flags INTERFACE m)
if(PAV_SANITIZE)
    set(pav_sanitize -fsanitize=${PAV_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(pav_flags INTERFACE ${pav_sanitize})
    target_link_options(pav_flags INTERFACE -fsanitize=${PAV_SANITIZE})
endif()
if(PAV_FUZZ)
    target_compile_options(pav_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
