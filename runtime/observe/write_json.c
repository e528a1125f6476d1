/* write_json.c - a drawing as JSON, which `dagdump` reads back. Keys always come in this order, one task or edge a line, so that two
 * files can be compared line by line; reading and writing again gives the same bytes.
 *
 *     {
 *       "weir": 1,                                      the version of this format
 *       "name": "smoke",
 *       "plan": {                                       not in a graph's file
 *         "policy": "priority", "frames": 2,            frames in flight
 *         "makespan_ns": 52000, "interval_ns": 40000,   predicted: one frame alone, and from frame to frame
 *         "bound_ns": 38000, "binding": "lanes",        no plan on these lanes is faster, and why
 *         "lane_priorities": [0, 0]                     one a lane; lower is more urgent
 *       },
 *       "ring_copies": 2,                               of rings that have as many as needed
 *       "tasks": [                                      in the order of declaration; edges count from 0
 *         {"name": "advect", "kind": "kernel", "group": "flow", "priority": 0, "cost_ns": 1000, "share": 1, ...
 *          "rounds": 50, "bodies": [{"name": "jacobi", "tasks": 2}], ...      a loop's; a branch has no "rounds"; others have neither
 *          "lane": 0, "position": 0, "start_ns": 0, "end_ns": 1000},          a plan's; "group" only where there is one
 *       ],
 *       "edges": [[0, 1]],                              within a frame: [from, to]
 *       "carried": [[1, 0, 1]],                         to later frames: [from, to, distance]
 *       "waits": [[0, 1, 0]],                           a plan's: [waited for, who waits, distance]
 *       "critical_path": [0, 1],
 *       "cycle": [1], "cycle_frames": 1                 the dearest cycle from frame to frame, and of how many frames; where there is one
 *     }
 */
#include "observe/draw.h"
#include "observe/text.h"
#include <inttypes.h>
#include <stdlib.h>

/* The shortest form that reads back as the same number. */
static void put_number(FILE *to, double value)
{
    char text[32];
    if (value < 1e15 && value == (double)(int64_t)value) {
        fprintf(to, "%" PRId64, (int64_t)value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, to);
}

static void put_named_number(FILE *to, const char *name, double value)
{
    fprintf(to, ", \"%s\": ", name);
    put_number(to, value);
}

static void put_plan(FILE *to, const weir_drawing *drawing)
{
    fputs("  \"plan\": {\n    \"policy\": ", to);
    weir_text_put_json(to, drawing->policy);
    fprintf(to, ", \"frames\": %" PRIu32 ",\n    \"makespan_ns\": ", drawing->frames);
    put_number(to, drawing->makespan_ns);
    put_named_number(to, "interval_ns", drawing->interval_ns);
    fputs(",\n    \"bound_ns\": ", to);
    put_number(to, drawing->bound_ns);
    fputs(", \"binding\": ", to);
    weir_text_put_json(to, drawing->binding);
    fputs(",\n    \"lane_priorities\": [", to);
    for (uint32_t i = 0; i < drawing->lane_count; i++)
        fprintf(to, "%s%" PRId32, i ? ", " : "", drawing->lane_priority[i]);
    fputs("]\n  },\n", to);
}

static void put_bodies(FILE *to, const weir_drawn_task *task)
{
    if (task->rounds > 0)
        fprintf(to, ", \"rounds\": %" PRIu32, task->rounds);
    fputs(", \"bodies\": [", to);
    for (uint32_t i = 0; i < task->body_count; i++) {
        fputs(i ? ", {\"name\": " : "{\"name\": ", to);
        weir_text_put_json(to, task->body[i].name);
        fprintf(to, ", \"tasks\": %" PRIu32 "}", task->body[i].tasks);
    }
    putc(']', to);
}

static void put_task(FILE *to, const weir_drawing *drawing, const weir_drawn_task *task)
{
    fputs("    {\"name\": ", to);
    weir_text_put_json(to, task->name);
    fputs(", \"kind\": ", to);
    weir_text_put_json(to, task->kind);
    if (task->group) {
        fputs(", \"group\": ", to);
        weir_text_put_json(to, task->group);
    }
    fprintf(to, ", \"priority\": %" PRId32, task->priority);
    put_named_number(to, "cost_ns", task->cost_ns);
    put_named_number(to, "share", task->share);
    if (task->body_count > 0)
        put_bodies(to, task);
    if (drawing->policy) {
        fprintf(to, ", \"lane\": %" PRIu32 ", \"position\": %" PRIu32, task->lane, task->position);
        put_named_number(to, "start_ns", task->start_ns);
        put_named_number(to, "end_ns", task->end_ns);
    }
    putc('}', to);
}

static void put_edges(FILE *to, const char *name, const weir_drawn_edge *edge, uint32_t count, bool distances)
{
    fprintf(to, ",\n  \"%s\": [", name);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(to, "%s\n    [%" PRIu32 ", %" PRIu32, i ? "," : "", edge[i].from, edge[i].to);
        if (distances)
            fprintf(to, ", %" PRIu32, edge[i].distance);
        putc(']', to);
    }
    fputs(count ? "\n  ]" : "]", to);
}

static void put_tasks_of(FILE *to, const char *name, const uint32_t *task, uint32_t count)
{
    fprintf(to, ",\n  \"%s\": [", name);
    for (uint32_t i = 0; i < count; i++)
        fprintf(to, "%s%" PRIu32, i ? ", " : "", task[i]);
    putc(']', to);
}

weir_status weir_write_json(const weir_drawing *drawing, FILE *to)
{
    fputs("{\n  \"weir\": 1,\n  \"name\": ", to);
    weir_text_put_json(to, drawing->name);
    fputs(",\n", to);
    if (drawing->policy)
        put_plan(to, drawing);
    fprintf(to, "  \"ring_copies\": %" PRIu32 ",\n  \"tasks\": [", drawing->ring_copies);
    for (uint32_t i = 0; i < drawing->task_count; i++) {
        fputs(i ? ",\n" : "\n", to);
        put_task(to, drawing, &drawing->task[i]);
    }
    fputs(drawing->task_count ? "\n  ]" : "]", to);
    put_edges(to, "edges", drawing->edge, drawing->edge_count, false);
    put_edges(to, "carried", drawing->carried, drawing->carried_count, true);
    if (drawing->policy)
        put_edges(to, "waits", drawing->wait, drawing->wait_count, true);
    put_tasks_of(to, "critical_path", drawing->critical, drawing->critical_count);
    if (drawing->cycle_count > 0) {
        put_tasks_of(to, "cycle", drawing->cycle, drawing->cycle_count);
        fprintf(to, ",\n  \"cycle_frames\": %" PRIu32, drawing->cycle_frames);
    }
    fputs("\n}\n", to);
    return WEIR_OK;
}
