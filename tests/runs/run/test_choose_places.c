/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes with large exchanges are placed on fast links, by imaginary tables of links. */
#include "planned.h"
#include "run/run_private.h"

enum { MOST = 8 };

typedef struct layout {
    int places;
    double bytes[MOST * MOST];
    halo_cost between[MOST * MOST];
    int order[MOST];
} layout;

/* A row of slabs with equal exchanges between neighbours. All links are slow. */
static void open_row(layout *l, int places)
{
    *l = (layout){.places = places};
    for (int n = 0; n + 1 < places; n++)
        l->bytes[n * places + n + 1] = 1 << 20;
    for (int n = 0; n < places * places; n++)
        l->between[n] = (halo_cost){25e-6, 1e10};
}

/* Makes the link between two places fast. */
static void link_fast(layout *l, int a, int b)
{
    l->between[a * l->places + b] = l->between[b * l->places + a] = (halo_cost){5e-6,
                                                                                1e11};
}

static void find(layout *l)
{
    run_order_places(l->places, l->bytes, l->between, l->order);
}

static bool are_neighbours(const layout *l, int a, int b)
{
    for (int n = 0; n + 1 < l->places; n++)
        if ((l->order[n] == a && l->order[n + 1] == b) ||
            (l->order[n] == b && l->order[n + 1] == a))
            return true;
    return false;
}

static bool is_as_listed(const layout *l)
{
    for (int n = 0; n < l->places; n++)
        if (l->order[n] != n)
            return false;
    return true;
}

TEST(places_with_equal_links_stay_as_listed)
{
    layout l;
    open_row(&l, 6);
    find(&l);
    CHECK(is_as_listed(&l));
}

TEST(neighbours_get_places_with_fast_links)
{
    layout l;
    open_row(&l, 4);
    link_fast(&l, 0, 2);
    link_fast(&l, 1, 3);
    find(&l);
    CHECK(are_neighbours(&l, 0, 2) && are_neighbours(&l, 1, 3));
}

TEST(a_chain_of_fast_links_is_followed)
{
    static const int chain[] = {3, 0, 4, 1, 2};
    layout l;
    open_row(&l, 5);
    for (int n = 0; n < 4; n++)
        link_fast(&l, chain[n], chain[n + 1]);
    find(&l);
    for (int n = 0; n < 4; n++)
        CHECK(are_neighbours(&l, chain[n], chain[n + 1]));
}

/* The order of ranks on two machines by mpirun --map-by node. */
TEST(ranks_of_one_machine_are_neighbours)
{
    rank_where where[MOST];
    layout l;
    int between = 0;
    open_row(&l, MOST);
    for (int n = 0; n < MOST; n++)
        where[n] = (rank_where){.machine = (uint64_t)n % 2};
    for (int n = 0; n < MOST * MOST; n++)
        l.between[n] = halo_cost_of(ranks_link(&where[n / MOST], &where[n % MOST]));
    find(&l);
    for (int n = 0; n + 1 < MOST; n++)
        between += l.order[n] % 2 != l.order[n + 1] % 2;
    CHECK_EQ(between, 1);
}

/* Two rows of boxes; the long faces lie along y. */
TEST(the_larger_face_gets_the_faster_link)
{
    layout l;
    open_row(&l, 4);
    memset(l.bytes, 0, sizeof l.bytes);
    l.bytes[0 * 4 + 1] = l.bytes[2 * 4 + 3] = 1 << 12;
    l.bytes[0 * 4 + 2] = l.bytes[1 * 4 + 3] = 1 << 24;
    link_fast(&l, 0, 1);
    link_fast(&l, 2, 3);
    find(&l);
    for (int n = 0; n < 2; n++)
        CHECK_EQ(l.order[n] / 2, l.order[n + 2] / 2);
}

TEST(links_of_ranks_are_of_what_they_share)
{
    const rank_where here = {1, 0}, there = {1, 1}, far = {2, 0};
    CHECK(ranks_link(&here, &here) == HALO_BY_MESSAGE);
    CHECK(ranks_link(&here, &there) == HALO_BETWEEN_NODES);
    CHECK(ranks_link(&here, &far) == HALO_BY_NETWORK);
    CHECK(halo_cost_of(HALO_BY_NETWORK).begin > halo_cost_of(HALO_BY_MESSAGE).begin);
}
