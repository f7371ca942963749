# SPDX-License-Identifier: BSD-3-Clause
# make install: header, libraries, command, find_package(pavior), pavior.pc, completions, manual page, documents
# and examples.
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pavior)

# The components are the packages of cmake/packages.cmake.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)
install(FILES include/pavior.h TYPE INCLUDE)
install(TARGETS pavior pavior_static EXPORT pavior_targets
        LIBRARY COMPONENT library NAMELINK_COMPONENT dev ARCHIVE COMPONENT dev)
if(TARGET pavior_cli)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tool)
    install(TARGETS pavior_cli)
    add_custom_command(
        OUTPUT pavior.1
        COMMAND ${PROJECT_SOURCE_DIR}/tools/manpage $<TARGET_FILE:pavior_cli> pavior.1
        DEPENDS pavior_cli tools/manpage
        COMMENT "Making the manual page"
        VERBATIM)
    add_custom_target(pavior_manual ALL DEPENDS ${PROJECT_BINARY_DIR}/pavior.1)
    install(FILES ${PROJECT_BINARY_DIR}/pavior.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

    # Where the shells look below a prefix; packages of Debian have another folder for zsh.
    set(PAV_ZSH_FOLDER ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh's completion is installed")
    set(folder_bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    set(folder_zsh ${PAV_ZSH_FOLDER})
    set(folder_fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    foreach(pair IN ITEMS bash:pavior zsh:_pavior fish:pavior.fish)
        string(REPLACE ":" ";" pair ${pair})
        list(GET pair 0 shell)
        list(GET pair 1 name)
        set(completion ${PROJECT_BINARY_DIR}/completions/${name})
        add_custom_command(
            OUTPUT ${completion}
            COMMAND ${CMAKE_COMMAND} -E make_directory completions
            COMMAND ${PROJECT_SOURCE_DIR}/tools/completions $<TARGET_FILE:pavior_cli> ${shell} ${completion}
            DEPENDS pavior_cli tools/completions
            COMMENT "Making the completion of ${shell}"
            VERBATIM)
        list(APPEND completions ${completion})
        install(FILES ${completion} DESTINATION ${folder_${shell}})
    endforeach()
    add_custom_target(pavior_completions ALL DEPENDS ${completions})
    # Colours for editors: Vim and Neovim look there; VS Code takes a copy of the folder.
    install(DIRECTORY tools/editors/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles)
    install(DIRECTORY tools/editors/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nvim/site)
    install(DIRECTORY tools/editors/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/pavior)
    # `pavior examples` finds them from the place of the command.
    install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/pavior)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

    # Common kernels, for a first run without a compiler: `make kernels` takes minutes, so they are installed only if they
    # are there. The folder is the same on all systems: the library and the command find it from their own places.
    # A machine that builds can compile: it needs kernels of its own level at most. Packages for others need all.
    set(PAV_KERNEL_LEVELS own CACHE STRING "Common kernels: own level of x86-64, all levels and GPUs, or none")
    set_property(CACHE PAV_KERNEL_LEVELS PROPERTY STRINGS own all none)
    if(NOT PAV_KERNEL_LEVELS MATCHES "^(own|all|none)$")
        message(FATAL_ERROR "PAV_KERNEL_LEVELS is '${PAV_KERNEL_LEVELS}': give own, all or none")
    endif()
    set(kernels ${PROJECT_BINARY_DIR}/made-kernels)
    add_custom_command(
        OUTPUT ${kernels}/made-${PAV_KERNEL_LEVELS}
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${kernels}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${kernels}
        COMMAND ${CMAKE_COMMAND} -E env PAV_CC=${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR}/tools/kernels
                $<TARGET_FILE:pavior_cli> ${kernels} ${PAV_KERNEL_LEVELS}
        COMMAND ${CMAKE_COMMAND} -E touch ${kernels}/made-${PAV_KERNEL_LEVELS}
        DEPENDS pavior_cli tools/kernels tests/devices/device/fake/fake_cuda.c
        COMMENT "Compiling common kernels (${PAV_KERNEL_LEVELS}): some minutes"
        VERBATIM)
    if(PAV_KERNEL_LEVELS STREQUAL none)
        add_custom_target(kernels)
    else()
        add_custom_target(kernels DEPENDS ${kernels}/made-${PAV_KERNEL_LEVELS})
    endif()
    install(DIRECTORY ${kernels}/ DESTINATION lib/pavior/kernels COMPONENT library OPTIONAL
            FILES_MATCHING PATTERN "*.kernels" PATTERN "*.cubin")
endif()
install(EXPORT pavior_targets NAMESPACE pavior:: DESTINATION ${config_dir} FILE pavior-targets.cmake)

file(WRITE ${PROJECT_BINARY_DIR}/pavior-config.cmake
     "include(\${CMAKE_CURRENT_LIST_DIR}/pavior-targets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pavior-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pavior-config.cmake
              ${PROJECT_BINARY_DIR}/pavior-config-version.cmake DESTINATION ${config_dir})

# The prefix is told relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
list(TRANSFORM pav_private_libraries PREPEND -l OUTPUT_VARIABLE pc_private)
list(JOIN pc_private " " pc_private)
configure_file(cmake/pavior.pc.in pavior.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pavior.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME doc)
install(FILES LICENSE README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
# What the documents show and name lies next to them, as in the tree.
install(DIRECTORY bench/figures DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
install(FILES include/pavior.h DESTINATION ${CMAKE_INSTALL_DOCDIR}/include)
