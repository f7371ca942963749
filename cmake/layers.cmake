# SPDX-License-Identifier: BSD-3-Clause
# Reads layers.txt: pav_layers lists the folders of src/*/ from the ground up, pav_floor_<folder> its floor,
# pav_below_<folder> the folders that <folder> may use, pav_floors all floors. tools/layers checks the same table on the sources.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/layers.txt)
file(STRINGS layers.txt lines REGEX "^[a-z]+/[a-z]+:")
set(pav_layers "")
set(pav_floors "")
foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z]+)/([a-z]+): *(.*)$" line "${line}")
    set(layer ${CMAKE_MATCH_2})
    set(pav_floor_${layer} ${CMAKE_MATCH_1})
    list(APPEND pav_floors ${CMAKE_MATCH_1})
    list(APPEND pav_layers ${layer})
    string(REGEX MATCHALL "[a-z]+" pav_below_${layer} "${CMAKE_MATCH_3}")
endforeach()
list(REMOVE_DUPLICATES pav_floors)

# Links `folder` and the folders that it may use, and no other, into `target`.
function(pav_link_layer target folder)
    foreach(layer ${folder} ${pav_below_${folder}})
        if(TARGET pav_${layer})
            target_link_libraries(${target} PRIVATE pav_${layer})
        endif()
    endforeach()
endfunction()
