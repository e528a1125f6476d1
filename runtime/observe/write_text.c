/* write_text.c - a drawing as tables for people: what the plan is, its lanes, its critical path, its tasks in order; and what
 * loops and branches among them decide about. */
#include "observe/draw.h"
#include "observe/text.h"
#include "util/memory.h"
#include "util/status.h"
#include <inttypes.h>

enum { NAME_COLUMN = 48 }; /* longer names push their line to the right */

typedef struct {
    FILE *to;
    const weir_drawing *drawing;
    uint32_t *order; /* line -> task */
    uint32_t *first; /* task -> its waits, or edges in a graph: into before */
    const weir_drawn_edge **before;
    unsigned name_width, kind_width, group_width;
} table;

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void put_column(FILE *to, const char *text, unsigned width)
{
    for (unsigned length = weir_text_put_visible(to, text); length < width + 2; length++)
        putc(' ', to);
}

static unsigned wider(unsigned width, const char *text)
{
    unsigned length = text ? weir_text_length(text) : 0;
    return length > width && length <= NAME_COLUMN ? length : width;
}

static void put_summary(const table *t)
{
    const weir_drawing *d = t->drawing;
    uint32_t earlier = 0;
    weir_text_put_visible(t->to, d->name);
    fprintf(t->to, ": %" PRIu32 " task%s, %" PRIu32 " edge%s, %" PRIu32 " to later frames\n", d->task_count, plural(d->task_count),
            d->edge_count, plural(d->edge_count), d->carried_count);
    if (!d->policy)
        return;
    for (uint32_t i = 0; i < d->wait_count; i++)
        earlier += d->wait[i].distance > 0;
    fputs("plan: policy ", t->to);
    weir_text_put_visible(t->to, d->policy);
    fprintf(t->to,
            ", %" PRIu32 " lane%s, %" PRIu32 " frame%s in flight, %" PRIu32 " wait%s a frame, %" PRIu32 " of them for earlier frames\n",
            d->lane_count, plural(d->lane_count), d->frames, plural(d->frames), d->wait_count, plural(d->wait_count), earlier);
    char why[1024];
    weir_drawing_why(d, why, sizeof why);
    fprintf(t->to, "predicted: %s for one frame alone, then one every %s; %s\n", weir_text_time(d->makespan_ns).text,
            weir_text_time(d->interval_ns).text, why);
}

static void put_critical(const table *t)
{
    double ns = 0;
    for (uint32_t i = 0; i < t->drawing->critical_count; i++)
        ns += t->drawing->task[t->drawing->critical[i]].cost_ns;
    fprintf(t->to, "critical path: %" PRIu32 " task%s, %s (marked *)\n", t->drawing->critical_count, plural(t->drawing->critical_count),
            weir_text_time(ns).text);
}

static weir_status put_lanes(const table *t)
{
    const weir_drawing *d = t->drawing;
    struct lane {
        uint32_t tasks;
        double busy_ns;
    } *lane = weir_alloc(d->lane_count, sizeof *lane);
    if (!lane)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < d->task_count; i++) {
        lane[d->task[i].lane].tasks++;
        lane[d->task[i].lane].busy_ns += d->task[i].cost_ns;
    }
    fputs("\nlane  priority  tasks  busy\n", t->to);
    for (uint32_t i = 0; i < d->lane_count; i++) {
        fprintf(t->to, "%4" PRIu32 "  %8" PRId32 "  %5" PRIu32 "  %s", i, d->lane_priority[i], lane[i].tasks,
                weir_text_time(lane[i].busy_ns).text);
        if (d->makespan_ns > 0)
            fprintf(t->to, " (%.0f%%)", 100 * lane[i].busy_ns / d->makespan_ns);
        putc('\n', t->to);
    }
    weir_free(lane);
    return WEIR_OK;
}

static void put_task(const table *t, uint32_t task, bool critical)
{
    const weir_drawing *d = t->drawing;
    const weir_drawn_task *drawn = &d->task[task];
    fprintf(t->to, "%c %4" PRIu32 "  ", critical ? '*' : ' ', d->policy ? drawn->position : task);
    put_column(t->to, drawn->name, t->name_width);
    put_column(t->to, drawn->kind, t->kind_width);
    if (t->group_width)
        put_column(t->to, drawn->group ? drawn->group : "", t->group_width);
    if (d->policy)
        fprintf(t->to, "%4" PRIu32 "  %8s  %8s", drawn->lane, weir_text_time(drawn->start_ns).text, weir_text_time(drawn->end_ns).text);
    else
        fprintf(t->to, "%8s", weir_text_time(drawn->cost_ns).text);
    for (uint32_t i = t->first[task]; i < t->first[task + 1]; i++) {
        fputs(i > t->first[task] ? ", " : "  ", t->to);
        weir_text_put_visible(t->to, d->task[t->before[i]->from].name);
        if (t->before[i]->distance)
            fprintf(t->to, " (%" PRIu32 " frame%s before)", t->before[i]->distance, plural(t->before[i]->distance));
    }
    putc('\n', t->to);
}

static weir_status put_tasks(const table *t)
{
    const weir_drawing *d = t->drawing;
    unsigned char *critical = weir_alloc(d->task_count, 1);
    if (!critical)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < d->critical_count; i++)
        critical[d->critical[i]] = 1;
    fprintf(t->to, "\n%6s  ", d->policy ? "place" : "number");
    put_column(t->to, "task", t->name_width);
    put_column(t->to, "kind", t->kind_width);
    if (t->group_width)
        put_column(t->to, "group", t->group_width);
    fputs(d->policy ? "lane     start       end  waits for\n" : "    cost  follows\n", t->to);
    for (uint32_t i = 0; i < d->task_count; i++)
        put_task(t, t->order[i], critical[t->order[i]]);
    weir_free(critical);
    return WEIR_OK;
}

static void put_body(FILE *to, const weir_drawn_body *body)
{
    weir_text_put_visible(to, body->name);
    fprintf(to, " (%" PRIu32 " task%s)", body->tasks, plural(body->tasks));
}

/* "at most 50 rounds of jacobi (2 tasks)", "one of a (1 task), b (2 tasks)", "a (1 task), or none". */
static void put_decision(FILE *to, const weir_drawn_task *task)
{
    if (task->rounds > 0)
        fprintf(to, "at most %" PRIu32 " round%s of ", task->rounds, plural(task->rounds));
    else if (task->body_count > 1)
        fputs("one of ", to);
    for (uint32_t i = 0; i < task->body_count; i++) {
        fputs(i ? ", " : "", to);
        put_body(to, &task->body[i]);
    }
    fputs(task->rounds == 0 && task->body_count == 1 ? ", or none\n" : "\n", to);
}

static void put_decisions(const table *t)
{
    const weir_drawing *d = t->drawing;
    bool any = false;
    for (uint32_t i = 0; i < d->task_count; i++) {
        const weir_drawn_task *task = &d->task[t->order[i]];
        if (task->body_count == 0)
            continue;
        if (!any) {
            fputs("\nloops and branches\n        ", t->to);
            put_column(t->to, "task", t->name_width);
            put_column(t->to, "kind", t->kind_width);
            fputs("runs\n", t->to);
        }
        any = true;
        fprintf(t->to, "  %4" PRIu32 "  ", d->policy ? task->position : t->order[i]);
        put_column(t->to, task->name, t->name_width);
        put_column(t->to, task->kind, t->kind_width);
        put_decision(t->to, task);
    }
}

/* A plan's lines go by position; and each task's waits (edges, in a graph) are looked up for its line. */
static void arrange(table *t)
{
    const weir_drawing *d = t->drawing;
    const weir_drawn_edge *edge = d->policy ? d->wait : d->edge;
    uint32_t count = d->policy ? d->wait_count : d->edge_count;
    t->name_width = t->kind_width = 4;
    for (uint32_t i = 0; i < d->task_count; i++) {
        t->order[d->policy ? d->task[i].position : i] = i;
        t->name_width = wider(t->name_width, d->task[i].name);
        t->kind_width = wider(t->kind_width, d->task[i].kind);
        t->group_width = wider(t->group_width, d->task[i].group);
    }
    if (t->group_width && t->group_width < 5)
        t->group_width = 5;
    for (uint32_t i = 0; i < count; i++)
        t->first[edge[i].to + 2]++;
    for (uint32_t i = 0; i < d->task_count; i++)
        t->first[i + 2] += t->first[i + 1];
    for (uint32_t i = 0; i < count; i++)
        t->before[t->first[edge[i].to + 1]++] = &edge[i];
}

weir_status weir_write_text(const weir_drawing *drawing, FILE *to)
{
    table t = {.to = to, .drawing = drawing};
    t.order = weir_alloc(drawing->task_count, sizeof *t.order);
    t.first = weir_alloc((size_t)drawing->task_count + 2, sizeof *t.first);
    t.before = weir_alloc(drawing->policy ? drawing->wait_count : drawing->edge_count, sizeof *t.before);
    weir_status status = t.order && t.first && t.before ? WEIR_OK : weir_fail_no_memory();
    if (status == WEIR_OK) {
        arrange(&t);
        put_summary(&t);
        put_critical(&t);
        if (drawing->policy)
            status = put_lanes(&t);
    }
    if (status == WEIR_OK)
        status = put_tasks(&t);
    if (status == WEIR_OK)
        put_decisions(&t);
    weir_free(t.before);
    weir_free(t.first);
    weir_free(t.order);
    return status;
}
