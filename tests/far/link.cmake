# SPDX-License-Identifier: BSD-3-Clause
# Runs whose fields get memory from far.c.
pav_link_layer(test_far run)
target_link_options(test_far PRIVATE -Wl,--wrap=levels_new,--wrap=mem_big,--wrap=mem_big_free
                    -Wl,--wrap=mem_available,--wrap=stream_put,--wrap=stream_get)
