/* SPDX-License-Identifier: BSD-3-Clause */
/* A failing MPI, loaded before the real one. FAILING_MPI=error: MPI_Isend returns an
 * error. FAILING_MPI=zeros: it sends zeros instead of the last 8 bytes of longer
 * messages. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int MPI_Isend(const void *values, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    const char *how = getenv("FAILING_MPI");
    if (how && strcmp(how, "error") == 0)
        return MPI_ERR_TRUNCATE;
    if (!how || count < 64)
        return PMPI_Isend(values, count, type, to, tag, comm, request);
    char *other = malloc((size_t)count); /* until the process ends */
    if (!other)
        return MPI_ERR_NO_MEM;
    memcpy(other, values, (size_t)count - 8);
    memset(other + count - 8, 0, 8);
    return PMPI_Isend(other, count, type, to, tag, comm, request);
}
