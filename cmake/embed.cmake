# SPDX-License-Identifier: BSD-3-Clause
# pav_embed(TARGET FOLDER [PREFIX]): the files of FOLDER, not those of folders in it, or one file, as texts of TARGET.
# src/code/kernels/host/kernel_loops.c becomes `const char kernel_loops[]`, led by the prefix, without its licence
# line, which ends it.
function(pav_embed target folder)
    file(GLOB texts CONFIGURE_DEPENDS LIST_DIRECTORIES false ${folder} ${folder}/*)
    get_filename_component(last ${folder} NAME)
    set(made ${CMAKE_CURRENT_BINARY_DIR}/${target}_${last}.c)
    set(code "/* Made by cmake/embed.cmake from ${folder}. */\n")
    foreach(text IN LISTS texts)
        get_filename_component(name ${text} NAME_WE)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${text})
        file(READ ${text} bytes HEX)
        string(FIND "${bytes}" "2a2f0a" end) # the close of the licence comment
        math(EXPR end "${end} + 6")
        string(SUBSTRING "${bytes}" ${end} -1 bytes)
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
        string(APPEND code "extern const char ${ARGN}${name}[];\nconst char ${ARGN}${name}[] = {${bytes}0};\n")
    endforeach()
    file(CONFIGURE OUTPUT ${made} CONTENT "${code}" @ONLY)
    target_sources(${target} PRIVATE ${made})
endfunction()
