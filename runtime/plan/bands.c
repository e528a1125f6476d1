/* bands.c - priorities sorted, cut into bands, and lanes dealt out to those. */
#include "plan/bands.h"
#include "util/memory.h"
#include "util/status.h"

/* The priorities that occur, most urgent first. */
typedef struct {
    uint32_t count;
    int32_t *priority;
    double *load; /* of all tasks of that priority: costs, and a nanosecond a task, so that no task weighs nothing */
    uint16_t *band;
} classes;

static void finish_classes(classes *c)
{
    weir_free(c->priority);
    weir_free(c->load);
    weir_free(c->band);
}

/* Radix sort of 32-bit keys, lowest byte first; the sign bit is flipped so that order is that of numbers. */
static void sort_priorities(int32_t *key, int32_t *scratch, uint32_t count)
{
    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t first[257] = {0};
        for (uint32_t i = 0; i < count; i++)
            first[((((uint32_t)key[i] ^ 0x80000000u) >> shift) & 255u) + 1]++;
        for (unsigned d = 0; d < 256; d++)
            first[d + 1] += first[d];
        for (uint32_t i = 0; i < count; i++)
            scratch[first[(((uint32_t)key[i] ^ 0x80000000u) >> shift) & 255u]++] = key[i];
        int32_t *other = key; /* four passes: the sorted keys end where they began */
        key = scratch;
        scratch = other;
    }
}

static uint32_t class_of(const classes *c, int32_t priority)
{
    uint32_t low = 0, high = c->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->priority[middle] < priority)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool find_priorities(const weir_work *work, classes *c)
{
    if (!work->priority) {
        c->count = 1;
        c->priority = weir_alloc_copy(&work->most_urgent, sizeof work->most_urgent);
        return c->priority;
    }
    int32_t *scratch = weir_alloc(work->tasks, sizeof *scratch);
    c->priority = weir_alloc_copy(work->priority, work->tasks * sizeof *work->priority);
    if (scratch && c->priority) {
        sort_priorities(c->priority, scratch, work->tasks);
        for (uint32_t i = 0; i < work->tasks; i++)
            if (c->count == 0 || c->priority[c->count - 1] != c->priority[i])
                c->priority[c->count++] = c->priority[i];
    }
    weir_free(scratch);
    return c->count > 0;
}

static void add_up_load(const weir_work *work, classes *c)
{
    if (!work->priority)
        c->load[0] = work->total_ns + work->tasks;
    for (uint32_t t = 0; work->priority && t < work->tasks; t++)
        c->load[class_of(c, work->priority[t])] += (double)work->cost_ns[t] + 1;
}

/* Cuts the row of classes into at most `lanes` bands. A band is closed where that comes nearer to an equal share of what is
 * left than taking the next class would, and early enough that every band gets a class. Returns the number of bands. */
static uint32_t cut_into_bands(classes *c, uint32_t lanes)
{
    uint32_t bands = c->count < lanes ? c->count : lanes, band = 0;
    double left = 0, taken = 0;
    for (uint32_t i = 0; i < c->count; i++)
        left += c->load[i];
    for (uint32_t i = 0; i < c->count; i++) {
        bool empty = i == 0 || c->band[i - 1] != band;
        double share = left / (bands - band);
        bool full = share - taken <= taken + c->load[i] - share || c->count - i <= bands - band - 1;
        if (!empty && full && band + 1 < bands) {
            left -= taken;
            taken = 0;
            band++;
        }
        c->band[i] = (uint16_t)band;
        taken += c->load[i];
    }
    return bands;
}

/* One lane each, then each further lane to the band with the most load a lane, the most urgent of equals. */
static void deal_lanes(weir_bands *bands, const double *load)
{
    uint32_t *share = bands->lane_first + 1; /* counts first, sums later */
    for (uint32_t b = 0; b < bands->count; b++)
        share[b] = 1;
    for (uint32_t dealt = bands->count; dealt < bands->lanes; dealt++) {
        uint32_t neediest = 0;
        for (uint32_t b = 1; b < bands->count; b++)
            if (load[b] / share[b] > load[neediest] / share[neediest])
                neediest = b;
        share[neediest]++;
    }
    for (uint32_t b = 0; b < bands->count; b++)
        bands->lane_first[b + 1] += bands->lane_first[b];
}

static bool fill_bands(const weir_work *work, const classes *c, weir_bands *bands)
{
    bands->lane_first = weir_alloc((size_t)bands->count + 1, sizeof *bands->lane_first);
    bands->priority = weir_alloc(bands->count, sizeof *bands->priority);
    bands->work_ns = weir_alloc(bands->count, sizeof *bands->work_ns);
    double *load = weir_alloc(bands->count, sizeof *load);
    if (bands->count > 1)
        bands->of_task = weir_alloc(work->tasks, sizeof *bands->of_task);
    bool enough = bands->lane_first && bands->priority && bands->work_ns && load && (bands->count == 1 || bands->of_task);
    if (enough) {
        for (uint32_t i = c->count; i-- > 0;) {
            bands->priority[c->band[i]] = c->priority[i];
            load[c->band[i]] += c->load[i];
        }
        if (bands->count == 1)
            bands->work_ns[0] = work->total_ns;
        for (uint32_t t = 0; bands->of_task && t < work->tasks; t++) {
            bands->of_task[t] = c->band[class_of(c, work->priority[t])];
            bands->work_ns[bands->of_task[t]] += (double)work->cost_ns[t];
        }
        deal_lanes(bands, load);
    }
    weir_free(load);
    return enough;
}

static uint32_t lanes_by_itself(uint32_t level_width, uint32_t priorities)
{
    uint32_t wanted = level_width > priorities ? level_width : priorities;
    return wanted < WEIR_LANES_BY_ITSELF ? wanted : WEIR_LANES_BY_ITSELF;
}

weir_status weir_bands_create(const weir_work *work, uint32_t lanes, uint32_t level_width, weir_bands *out)
{
    weir_bands made = {0};
    classes c = {0};
    bool enough = find_priorities(work, &c);
    if (enough) {
        c.load = weir_alloc(c.count, sizeof *c.load);
        c.band = weir_alloc(c.count, sizeof *c.band);
        enough = c.load && c.band;
    }
    if (enough) {
        add_up_load(work, &c);
        made.lanes = lanes != 0 ? lanes : lanes_by_itself(level_width, c.count);
        made.count = cut_into_bands(&c, made.lanes);
        enough = fill_bands(work, &c, &made);
    }
    finish_classes(&c);
    if (!enough) {
        weir_bands_finish(&made);
        return weir_fail_no_memory();
    }
    *out = made;
    return WEIR_OK;
}

void weir_bands_finish(weir_bands *bands)
{
    weir_free(bands->of_task);
    weir_free(bands->lane_first);
    weir_free(bands->priority);
    weir_free(bands->work_ns);
    *bands = (weir_bands){0};
}
