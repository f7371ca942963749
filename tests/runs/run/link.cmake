# SPDX-License-Identifier: BSD-3-Clause
# far.c may stand in for memory and for the files of checkpoints, test_output_waits.c for those of outputs.
target_link_options(test_run PRIVATE -Wl,--wrap=levels_new,--wrap=mem_big,--wrap=mem_big_free
                    -Wl,--wrap=mem_available,--wrap=stream_put,--wrap=stream_get,--wrap=series_add)
