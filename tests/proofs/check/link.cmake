# SPDX-License-Identifier: BSD-3-Clause
# Random programs over places: a few are tests in test_check, check_places takes any number.
file(GLOB places CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/proofs/check/places/*.c)
add_executable(check_places ${places})
target_link_libraries(check_places PRIVATE pav_flags)
pav_link_layer(check_places check)
# beside the plugin for MPI
set_target_properties(check_places PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
