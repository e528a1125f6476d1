/* hazard.c - see hazard.h for the design. */
#include "graph/hazard.h"
#include <assert.h>
#include <string.h>

typedef struct {
    uint32_t who, mode;
} whole_touch;

typedef struct {
    weir_span span; /* clipped to its bin */
    uint32_t who;
} box_touch;

typedef WEIR_VECTOR(box_touch) touch_list;
typedef WEIR_VECTOR(weir_span) span_list;

enum { READS, REDUCES, WRITES, LISTS };

typedef struct {
    touch_list list[LISTS]; /* apart, so that a read does not walk over reads */
    bool occupied;          /* stands in the list of those that touches of boxes have left something in */
    uint32_t seen;          /* log entries below this are implied by what is in the lists, or stand in them */
    bool all_unwritten;
    span_list unwritten;    /* if not all are: which */
} bin;

struct weir_hazard {
    weir_span whole;
    WEIR_VECTOR(whole_touch) log; /* since the last write of the whole buffer, which it begins with */
    uint32_t group, group_before; /* where the last group and the one before it begin */
    bool written;                 /* the whole buffer, at once */
    bin *bins;                    /* NULL until a box is touched */
    WEIR_VECTOR(uint32_t) occupied; /* bins that a touch of the whole must look into */
    uint64_t in_lists[LISTS];     /* touches in all bins, at least: what a read or reduce of the whole need not look for */
    uint32_t bin_count, per_axis[3], extent[3];
    uint64_t box_touches;         /* bins are no more than a small multiple of these, since a touch of the whole walks over all */
};

enum { BINS_FIRST = 64, BINS_MOST = 1 << 16, CROWDED = 24 };

static unsigned list_of(unsigned mode)
{
    return mode == WEIR_ARG_READ ? READS : mode == WEIR_ARG_REDUCE ? REDUCES : WRITES;
}

weir_hazard *weir_hazard_create(const weir_span *whole)
{
    weir_hazard *hazard = weir_alloc(1, sizeof *hazard);
    if (hazard)
        hazard->whole = *whole;
    return hazard;
}

static void bins_destroy(bin *bins, uint32_t count)
{
    for (uint32_t i = 0; bins && i < count; i++) {
        for (int l = 0; l < LISTS; l++)
            weir_vector_finish(&bins[i].list[l]);
        weir_vector_finish(&bins[i].unwritten);
    }
    weir_free(bins);
}

void weir_hazard_destroy(weir_hazard *hazard)
{
    if (!hazard)
        return;
    bins_destroy(hazard->bins, hazard->bin_count);
    weir_vector_finish(&hazard->log);
    weir_vector_finish(&hazard->occupied);
    weir_free(hazard);
}

/* The part of the log that a touch of `mode` must follow, given that all below `seen` is implied. */
static bool follow_log(const weir_hazard *hazard, unsigned mode, uint32_t seen, weir_touchers *found)
{
    uint32_t end = hazard->log.count;
    if (seen >= end)
        return true;
    bool joins = !weir_modes_conflict(mode, hazard->log.at[hazard->group].mode);
    uint32_t first = joins ? hazard->group_before : hazard->group;
    if (joins)
        end = hazard->group;
    if (first < seen)
        first = seen;
    if (first >= end)
        return true;
    if (!weir_vector_reserve(found, end - first))
        return false;
    for (uint32_t i = first; i < end; i++)
        weir_vector_push(found, hazard->log.at[i].who);
    return true;
}

static bool add_to_log(weir_hazard *hazard, unsigned mode, uint32_t who)
{
    if (!weir_vector_reserve(&hazard->log, 1))
        return false;
    uint32_t end = hazard->log.count;
    if (end == 0 || weir_modes_conflict(mode, hazard->log.at[hazard->group].mode)) {
        hazard->group_before = hazard->group;
        hazard->group = end;
    }
    weir_vector_push(&hazard->log, ((whole_touch){who, mode}));
    return true;
}

static bool follow_list(const touch_list *list, const weir_span *span, weir_touchers *found)
{
    if (!weir_vector_reserve(found, list->count))
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (weir_span_overlaps(&list->at[i].span, span))
            weir_vector_push(found, list->at[i].who);
    return true;
}

static bool follow_bin(const bin *b, const weir_span *span, unsigned mode, weir_touchers *found)
{
    for (unsigned l = 0; l < LISTS; l++)
        if ((l != list_of(mode) || l == WRITES) && !follow_list(&b->list[l], span, found))
            return false;
    return true;
}

static bool add_to_bin(weir_hazard *hazard, bin *b, const weir_span *span, unsigned mode, uint32_t who)
{
    touch_list *list = &b->list[list_of(mode)];
    if (!weir_vector_reserve(list, 1) || !weir_vector_reserve(&hazard->occupied, 1))
        return false;
    if (!b->occupied)
        weir_vector_push(&hazard->occupied, (uint32_t)(b - hazard->bins));
    b->occupied = true;
    hazard->in_lists[list_of(mode)]++;
    weir_vector_push(list, ((box_touch){*span, who}));
    return true;
}

/* Moves what the log still means for this bin into its lists, so that a write of a part can be cut out of it. */
static bool log_into_bin(weir_hazard *hazard, bin *b, const weir_span *bin_span)
{
    uint32_t first = b->seen > hazard->group_before ? b->seen : hazard->group_before;
    for (uint32_t i = first; i < hazard->log.count; i++)
        if (!add_to_bin(hazard, b, bin_span, hazard->log.at[i].mode, hazard->log.at[i].who))
            return false;
    b->seen = hazard->log.count;
    return true;
}

static bool cut_out_of_touches(touch_list *list, const weir_span *cut)
{
    for (uint32_t i = 0; i < list->count;) {
        box_touch whole = list->at[i];
        if (!weir_span_overlaps(&whole.span, cut)) {
            i++;
            continue;
        }
        list->at[i] = list->at[--list->count];
        if (weir_span_covers(cut, &whole.span))
            continue;
        weir_span left[6];
        int pieces = weir_span_subtract(whole.span, cut, left);
        if (!weir_vector_reserve(list, (size_t)pieces))
            return false;
        for (int p = 0; p < pieces; p++)
            weir_vector_push(list, ((box_touch){left[p], whole.who}));
    }
    return true;
}

static bool cut_out_of_spans(span_list *list, const weir_span *cut)
{
    for (uint32_t i = 0; i < list->count;) {
        weir_span whole = list->at[i];
        if (!weir_span_overlaps(&whole, cut)) {
            i++;
            continue;
        }
        list->at[i] = list->at[--list->count];
        weir_span left[6];
        int pieces = weir_span_subtract(whole, cut, left);
        if (!weir_vector_reserve(list, (size_t)pieces))
            return false;
        for (int p = 0; p < pieces; p++)
            weir_vector_push(list, left[p]);
    }
    return true;
}

static bool mark_written(const weir_hazard *hazard, bin *b, const weir_span *bin_span, const weir_span *span)
{
    if (hazard->written)
        return true;
    if (b->all_unwritten) {
        if (!weir_vector_reserve(&b->unwritten, 1))
            return false;
        b->all_unwritten = false;
        weir_vector_push(&b->unwritten, *bin_span);
    }
    return cut_out_of_spans(&b->unwritten, span);
}

static bool write_in_bin(weir_hazard *hazard, bin *b, const weir_span *bin_span, const weir_span *span)
{
    if (weir_span_covers(span, bin_span)) {
        for (int l = 0; l < LISTS; l++)
            b->list[l].count = 0;
        b->seen = hazard->log.count;
    } else {
        if (!log_into_bin(hazard, b, bin_span))
            return false;
        for (int l = 0; l < LISTS; l++)
            if (!cut_out_of_touches(&b->list[l], span))
                return false;
    }
    return mark_written(hazard, b, bin_span, span);
}

static weir_span span_of_bin(const weir_hazard *hazard, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t at[3] = {x, y, z};
    weir_span span;
    for (int i = 0; i < 3; i++) {
        uint64_t lo = (uint64_t)at[i] * hazard->extent[i], hi = lo + hazard->extent[i];
        span.lo[i] = (uint32_t)lo;
        span.hi[i] = hi < hazard->whole.hi[i] ? (uint32_t)hi : hazard->whole.hi[i];
    }
    return span;
}

/* Extents of bins for boxes of extents `wanted`, and how many there are along each axis. */
static uint32_t choose_bins(const weir_hazard *hazard, const uint32_t wanted[3], uint32_t extent[3], uint32_t per_axis[3])
{
    uint64_t most = BINS_FIRST + 2 * hazard->box_touches;
    if (most > BINS_MOST)
        most = BINS_MOST;
    for (int i = 0; i < 3; i++)
        extent[i] = wanted[i];
    for (;;) {
        uint64_t count = 1;
        int longest = 0;
        for (int i = 0; i < 3; i++) {
            per_axis[i] = (uint32_t)(((uint64_t)hazard->whole.hi[i] + extent[i] - 1) / extent[i]);
            count *= per_axis[i];
            if (per_axis[i] > per_axis[longest])
                longest = i;
        }
        if (count <= most)
            return (uint32_t)count;
        extent[longest] = extent[longest] > UINT32_MAX / 2 ? UINT32_MAX : extent[longest] * 2;
    }
}

static bool make_bins(weir_hazard *hazard, const uint32_t extent[3])
{
    uint32_t count = choose_bins(hazard, extent, hazard->extent, hazard->per_axis);
    hazard->bins = weir_alloc(count, sizeof *hazard->bins);
    hazard->bin_count = hazard->bins ? count : 0;
    for (uint32_t i = 0; hazard->bins && i < hazard->bin_count; i++)
        hazard->bins[i].all_unwritten = !hazard->written;
    return hazard->bins != NULL;
}

/* Calls the body with `b` and `bin_span` for each bin that `span` meets. */
#define FOR_EACH_BIN(hazard, span)                                                                                                         \
    for (uint32_t bz = (span)->lo[2] / (hazard)->extent[2]; bz <= ((span)->hi[2] - 1) / (hazard)->extent[2]; bz++)                          \
        for (uint32_t by = (span)->lo[1] / (hazard)->extent[1]; by <= ((span)->hi[1] - 1) / (hazard)->extent[1]; by++)                      \
            for (uint32_t bx = (span)->lo[0] / (hazard)->extent[0]; bx <= ((span)->hi[0] - 1) / (hazard)->extent[0]; bx++)

static bin *bin_at(const weir_hazard *hazard, uint32_t x, uint32_t y, uint32_t z)
{
    return &hazard->bins[((size_t)z * hazard->per_axis[1] + y) * hazard->per_axis[0] + x];
}

/* Spreads everything one old bin holds over the new, smaller bins. */
static bool pour(weir_hazard *hazard, const bin *old)
{
    static const unsigned mode_of[LISTS] = {[READS] = WEIR_ARG_READ, [REDUCES] = WEIR_ARG_REDUCE, [WRITES] = WEIR_ARG_WRITE};
    for (int l = 0; l < LISTS; l++)
        for (uint32_t i = 0; i < old->list[l].count; i++) {
            const box_touch *touch = &old->list[l].at[i];
            FOR_EACH_BIN (hazard, &touch->span) {
                weir_span bin_span = span_of_bin(hazard, bx, by, bz);
                weir_span part = weir_span_intersect(touch->span, &bin_span);
                if (!add_to_bin(hazard, bin_at(hazard, bx, by, bz), &part, mode_of[l], touch->who))
                    return false;
            }
        }
    for (uint32_t i = 0; i < old->unwritten.count; i++)
        FOR_EACH_BIN (hazard, &old->unwritten.at[i]) {
            weir_span bin_span = span_of_bin(hazard, bx, by, bz);
            bin *b = bin_at(hazard, bx, by, bz);
            if (!weir_vector_reserve(&b->unwritten, 1))
                return false;
            weir_vector_push(&b->unwritten, weir_span_intersect(old->unwritten.at[i], &bin_span));
        }
    return true;
}

/* Makes bins smaller, towards the extents of `box`, if that makes at least twice as many. What they hold stays the same. */
static bool refine_bins(weir_hazard *hazard, const uint32_t box[3])
{
    uint32_t wanted[3], extent[3], per_axis[3];
    for (int i = 0; i < 3; i++)
        wanted[i] = box[i] < hazard->extent[i] ? box[i] : hazard->extent[i];
    if (choose_bins(hazard, wanted, extent, per_axis) / 2 < hazard->bin_count)
        return true;
    for (uint32_t z = 0; z < hazard->per_axis[2]; z++)
        for (uint32_t y = 0; y < hazard->per_axis[1]; y++)
            for (uint32_t x = 0; x < hazard->per_axis[0]; x++) {
                bin *b = bin_at(hazard, x, y, z);
                weir_span bin_span = span_of_bin(hazard, x, y, z);
                if (!log_into_bin(hazard, b, &bin_span))
                    return false;
                if (b->all_unwritten) {
                    if (!weir_vector_reserve(&b->unwritten, 1))
                        return false;
                    weir_vector_push(&b->unwritten, bin_span);
                }
            }
    bin *old = hazard->bins;
    uint32_t old_count = hazard->bin_count;
    hazard->bins = NULL;
    bool done = make_bins(hazard, wanted);
    hazard->occupied.count = 0;
    memset(hazard->in_lists, 0, sizeof hazard->in_lists);
    done = done && weir_vector_reserve(&hazard->occupied, hazard->bin_count);
    for (uint32_t i = 0; done && i < hazard->bin_count; i++) {
        hazard->bins[i].all_unwritten = false;
        hazard->bins[i].seen = hazard->log.count;
        hazard->bins[i].occupied = true; /* all have seen the log, which a write of the whole must undo */
        weir_vector_push(&hazard->occupied, i);
    }
    for (uint32_t i = 0; done && i < old_count; i++)
        done = pour(hazard, &old[i]);
    bins_destroy(old, old_count);
    return done;
}

static bool touch_whole(weir_hazard *hazard, unsigned mode, uint32_t who, weir_touchers *found)
{
    if (!follow_log(hazard, mode, 0, found))
        return false;
    bool writes = list_of(mode) == WRITES, looks = writes;
    for (unsigned l = 0; l < LISTS; l++)
        looks = looks || (l != list_of(mode) && hazard->in_lists[l] > 0);
    for (uint32_t i = 0; looks && i < hazard->occupied.count; i++) {
        bin *b = &hazard->bins[hazard->occupied.at[i]];
        if (!follow_bin(b, &hazard->whole, mode, found))
            return false;
        if (writes) {
            for (int l = 0; l < LISTS; l++)
                b->list[l].count = 0;
            b->seen = 0;
            b->occupied = false;
        }
    }
    if (writes) { /* it stands for all that came before */
        hazard->log.count = hazard->group = hazard->group_before = 0;
        hazard->occupied.count = 0;
        memset(hazard->in_lists, 0, sizeof hazard->in_lists);
        hazard->written = true;
    }
    return add_to_log(hazard, mode, who);
}

static bool touch_box(weir_hazard *hazard, const weir_span *span, unsigned mode, uint32_t who, weir_touchers *found)
{
    uint32_t box[3];
    for (int i = 0; i < 3; i++)
        box[i] = span->hi[i] - span->lo[i];
    hazard->box_touches++;
    if (!hazard->bins && !make_bins(hazard, box))
        return false;
    bool crowded = false;
    FOR_EACH_BIN (hazard, span) {
        bin *b = bin_at(hazard, bx, by, bz);
        weir_span bin_span = span_of_bin(hazard, bx, by, bz), part = weir_span_intersect(*span, &bin_span);
        if (!follow_log(hazard, mode, b->seen, found) || !follow_bin(b, &part, mode, found))
            return false;
        if (list_of(mode) == WRITES && !write_in_bin(hazard, b, &bin_span, &part))
            return false;
        if (!add_to_bin(hazard, b, &part, mode, who))
            return false;
        crowded = crowded || b->list[READS].count + b->list[REDUCES].count + b->list[WRITES].count > CROWDED;
    }
    return !crowded || refine_bins(hazard, box);
}

bool weir_hazard_touch(weir_hazard *hazard, const weir_span *span, unsigned mode, uint32_t who, weir_touchers *found)
{
    assert(weir_span_covers(&hazard->whole, span));
    if (weir_span_covers(span, &hazard->whole))
        return touch_whole(hazard, mode, who, found);
    return touch_box(hazard, span, mode, who, found);
}

bool weir_hazard_unwritten(const weir_hazard *hazard, const weir_span *span)
{
    if (hazard->written)
        return false;
    if (!hazard->bins)
        return true;
    FOR_EACH_BIN (hazard, span) {
        const bin *b = bin_at(hazard, bx, by, bz);
        if (b->all_unwritten)
            return true;
        for (uint32_t i = 0; i < b->unwritten.count; i++)
            if (weir_span_overlaps(&b->unwritten.at[i], span))
                return true;
    }
    return false;
}
