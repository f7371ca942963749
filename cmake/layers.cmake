# SPDX-License-Identifier: BSD-3-Clause
# Reads layers.txt: pav_layers lists the folders of src/ from the ground up, pav_below_<folder>
# those that <folder> may use. tools/layers checks the same table on the sources.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/layers.txt)
file(STRINGS layers.txt lines REGEX "^[a-z]+:")
set(pav_layers "")
foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z]+): *(.*)$" line "${line}")
    set(layer ${CMAKE_MATCH_1})
    list(APPEND pav_layers ${layer})
    string(REGEX MATCHALL "[a-z]+" pav_below_${layer} "${CMAKE_MATCH_2}")
endforeach()

# Links `folder` and the folders that it may use, and no other, into `target`.
function(pav_link_layer target folder)
    foreach(layer ${folder} ${pav_below_${folder}})
        if(TARGET pav_${layer})
            target_link_libraries(${target} PRIVATE pav_${layer})
        endif()
    endforeach()
endfunction()
