# SPDX-License-Identifier: BSD-3-Clause
# A driver and a compiler for GPUs that are not there: tests load them before the real ones are looked for.
foreach(fake cuda nvrtc)
    add_library(fake_${fake} MODULE devices/device/fake/fake_${fake}.c)
    target_link_libraries(fake_${fake} PRIVATE pav_flags)
    set_target_properties(fake_${fake} PROPERTIES PREFIX "" OUTPUT_NAME lib${fake}.so SUFFIX .1
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fake)
    target_link_options(fake_${fake} PRIVATE -Wl,-soname,lib${fake}.so.1)
    add_dependencies(test_device fake_${fake})
endforeach()
target_compile_definitions(test_device PRIVATE TEST_FAKE="${PROJECT_BINARY_DIR}/tests/fake")
