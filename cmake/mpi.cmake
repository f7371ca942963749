# SPDX-License-Identifier: BSD-3-Clause
# The plugin for each MPI that is here, compiled by that MPI's own wrapper: libpavior_openmpi.so,
# libpavior_mpich.so, beside the program. Pavior itself knows no MPI.
set(pav_mpi "")
set(pav_mpi_OMPI openmpi)
set(pav_mpi_MPICH mpich)
set(pav_mpi_strict "")
if(PAV_WERROR)
    set(pav_mpi_strict -Werror)
endif()

function(pav_mpi_plugin wrapper family)
    set(plugin ${PROJECT_BINARY_DIR}/libpavior_${pav_mpi_${family}}.so)
    add_custom_command(
        OUTPUT ${plugin}
        COMMAND ${CMAKE_COMMAND} -E env "${family}_CC=${CMAKE_C_COMPILER}${CMAKE_C_COMPILER_ARG1}" ${wrapper} -std=c11 -D_POSIX_C_SOURCE=200809L
                -O2 -Wall -Wextra ${pav_mpi_strict} -fPIC -shared -I${PROJECT_SOURCE_DIR}/src/devices
                -o ${plugin} ${PROJECT_SOURCE_DIR}/plugins/mpi.c
        DEPENDS plugins/mpi.c src/devices/ranks/ranks_private.h
        COMMENT "Making the plugin for ${pav_mpi_${family}}"
        VERBATIM)
    add_custom_target(pavior_${pav_mpi_${family}} ALL DEPENDS ${plugin})
    if(TARGET pavior_cli)
        add_dependencies(pavior_cli pavior_${pav_mpi_${family}})
    endif()
    install(FILES ${plugin} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi)
    set(pav_mpi ${pav_mpi} ${pav_mpi_${family}} PARENT_SCOPE)
endfunction()

find_program(pav_mpicc_any NAMES mpicc NO_CACHE)
find_program(pav_mpicc_OMPI NAMES mpicc.openmpi NO_CACHE)
find_program(pav_mpicc_MPICH NAMES mpicc.mpich NO_CACHE)
if(pav_mpicc_any AND NOT pav_mpicc_OMPI AND NOT pav_mpicc_MPICH)
    execute_process(COMMAND ${pav_mpicc_any} --showme:version RESULT_VARIABLE other OUTPUT_QUIET ERROR_QUIET)
    if(other EQUAL 0)
        set(pav_mpicc_OMPI ${pav_mpicc_any})
    else()
        set(pav_mpicc_MPICH ${pav_mpicc_any})
    endif()
endif()
foreach(family OMPI MPICH)
    if(PAV_MPI_PLUGIN AND pav_mpicc_${family})
        pav_mpi_plugin(${pav_mpicc_${family}} ${family})
    endif()
endforeach()
