/* SPDX-License-Identifier: BSD-3-Clause */
/* With few kept states, the plan recomputes the smallest possible number of steps. */
#include "imaging/imaging.h"
#include "test.h"

enum { MOST = 40, ROOM = 5 };

/* The least cost, found by trying every place of the next state. */
static int64_t least[ROOM + 1][MOST + 1];

static void find_least(void)
{
    for (int room = 0; room <= ROOM; room++)
        for (int64_t l = 2; l <= MOST; l++) {
            int64_t best = l * (l - 1) / 2;
            for (int64_t k = 1; room > 0 && k < l; k++) {
                const int64_t cost = k + least[room - 1][l - k] + least[room][k];
                best = cost < best ? cost : best;
            }
            least[room][l] = best;
        }
}

/* The number of steps recomputed by the plan. */
static int64_t cost_of(int64_t steps, int64_t room)
{
    if (steps < 2)
        return 0;
    if (room == 0)
        return steps * (steps - 1) / 2;
    const int64_t k = revolve_advance(steps, room);
    return k + cost_of(steps - k, room - 1) + cost_of(k, room);
}

TEST(the_plan_takes_the_fewest_steps)
{
    find_least();
    for (int room = 0; room <= ROOM; room++)
        for (int64_t l = 1; l <= MOST; l++) {
            CHECK_EQ(revolve_cost(l, room), least[room][l]);
            CHECK_EQ(cost_of(l, room), least[room][l]);
        }
}

TEST(a_thousand_steps_with_eight_states)
{
    CHECK_EQ(cost_of(1000, 7), revolve_cost(1000, 7));
    CHECK_EQ(revolve_cost(1000, 7), 4285);
    CHECK_EQ(revolve_cost(1000, 999), 999);
}
