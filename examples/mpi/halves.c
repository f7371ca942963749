/* SPDX-License-Identifier: BSD-3-Clause */
/* halves.c: the processes of mpirun in two halves, each of which runs a description of
 * its own over a communicator of its own.
 *
 *     mpicc halves.c -o halves $(pkg-config --cflags --libs pavior)
 *     mpirun -n 4 ./halves one.pav other.pav */
#include <mpi.h>
#include <pavior.h>
#include <stdio.h>
#include <stdlib.h>

static pav_status take_steps(pav_ranks *ranks, const char *path)
{
    const pav_run_options options = {.ranks = ranks};
    pav_device *device = NULL;
    pav_program *program = NULL;
    pav_run *run = NULL;
    pav_status status = pav_ranks_device(ranks, getenv("PAV_DEVICE"), &device);
    if (status == PAV_OK)
        status = pav_program_load(path, NULL, &program);
    if (status == PAV_OK)
        status = pav_run_open(program, device, &options, &run);
    if (status == PAV_OK)
        status = pav_run_finish(run);
    if (status != PAV_OK)
        fprintf(stderr, "rank %d: %s\n", pav_ranks_number(ranks), pav_message());
    pav_run_free(run);
    pav_program_free(program);
    pav_device_free(device);
    return status;
}

int main(int argc, char **argv)
{
    int number, failed;
    MPI_Comm half;
    pav_ranks *ranks = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_split(MPI_COMM_WORLD, number % 2, number, &half);
    pav_status status = argc == 3 ? pav_ranks_open(&half, &ranks) : PAV_EINVAL;
    if (status == PAV_OK)
        status = take_steps(ranks, argv[1 + number % 2]);
    if (pav_ranks_meet(ranks, status, &failed) != PAV_OK)
        pav_ranks_abort(ranks, 1);
    pav_ranks_free(ranks);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return failed < 0 && status == PAV_OK ? 0 : 1;
}
