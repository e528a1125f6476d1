/* cache.c - a hash table by shape, and a list by age. Several graphs may have one shape: a program leaves one a slot. What goes is destroyed
 * when the lock is no longer held, since that takes a while. */
#include "backend/cuda/cache.h"
#include "util/memory.h"

typedef struct cached cached;
struct cached {
    cached *below;          /* in its row */
    cached *newer, *older;
    shape_key key;
    made_graph made;
    uint64_t nodes;
};

/* ---- shapes ---- */

static uint64_t stirred(uint64_t value, uint64_t with)
{
    value = (value ^ value >> 32) * with;
    value = (value ^ value >> 29) * with;
    return value ^ value >> 32;
}

void weir_shape_add(shape_key *key, uint64_t value)
{
    key->word[0] = stirred(key->word[0] + value + 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
    key->word[1] = stirred(key->word[1] ^ (value + 0xa0761d6478bd642fu), 0xe7037ed1a0b428dbu);
}

static bool is_same(const shape_key *a, const shape_key *b)
{
    return a->word[0] == b->word[0] && a->word[1] == b->word[1];
}

/* ---- one graph ---- */

void weir_made_graph_destroy(made_graph *made)
{
    if (made->exec)
        (void)cudaGraphExecDestroy(made->exec);
    if (made->graph)
        (void)cudaGraphDestroy(made->graph);
    weir_free(made->nodes);
    *made = (made_graph){0};
}

static void destroy_all(cached *oldest)
{
    while (oldest) {
        cached *newer = oldest->newer;
        weir_made_graph_destroy(&oldest->made);
        weir_free(oldest);
        oldest = newer;
    }
}

/* ---- under the lock ---- */

static cached **row_of(graph_cache *cache, const shape_key *key)
{
    return &cache->rows[key->word[0] % WEIR_CACHE_ROWS];
}

static void put(graph_cache *cache, cached *c)
{
    cached **row = row_of(cache, &c->key);
    c->below = *row;
    *row = c;
    c->older = cache->newest;
    c->newer = NULL;
    if (cache->newest)
        cache->newest->newer = c;
    else
        cache->oldest = c;
    cache->newest = c;
    cache->nodes += c->nodes;
}

static void take_out(graph_cache *cache, cached *c)
{
    cached **link = row_of(cache, &c->key);
    while (*link != c)
        link = &(*link)->below;
    *link = c->below;
    if (c->newer)
        c->newer->older = c->older;
    else
        cache->newest = c->older;
    if (c->older)
        c->older->newer = c->newer;
    else
        cache->oldest = c->newer;
    cache->nodes -= c->nodes;
}

/* As a list, the oldest first. */
static cached *take_out_surplus(graph_cache *cache)
{
    cached *first = NULL, **end = &first;
    while (cache->oldest && cache->nodes > cache->nodes_most) {
        cached *c = cache->oldest;
        take_out(cache, c);
        c->newer = NULL;
        *end = c;
        end = &c->newer;
    }
    return first;
}

/* ---- the cache ---- */

void weir_cache_init(graph_cache *cache, uint64_t nodes_most)
{
    *cache = (graph_cache){.nodes_most = nodes_most};
    pthread_mutex_init(&cache->lock, NULL);
}

void weir_cache_finish(graph_cache *cache)
{
    destroy_all(cache->oldest);
    pthread_mutex_destroy(&cache->lock);
}

bool weir_cache_take(graph_cache *cache, const shape_key *key, uint32_t pieces, made_graph *out)
{
    pthread_mutex_lock(&cache->lock);
    cached *c = *row_of(cache, key);
    while (c && !(is_same(&c->key, key) && c->made.pieces == pieces))
        c = c->below;
    if (c)
        take_out(cache, c);
    pthread_mutex_unlock(&cache->lock);
    if (!c)
        return false;
    *out = c->made;
    weir_free(c);
    return true;
}

void weir_cache_give(graph_cache *cache, const shape_key *key, made_graph *made)
{
    size_t nodes = 0;
    bool kept = cudaGraphGetNodes(made->graph, NULL, &nodes) == cudaSuccess && nodes <= cache->nodes_most;
    cached *c = kept ? weir_alloc(1, sizeof *c) : NULL;
    if (!c) {
        weir_made_graph_destroy(made);
        return;
    }
    *c = (cached){.key = *key, .made = *made, .nodes = nodes};
    *made = (made_graph){0};
    pthread_mutex_lock(&cache->lock);
    put(cache, c);
    cached *surplus = take_out_surplus(cache);
    pthread_mutex_unlock(&cache->lock);
    destroy_all(surplus);
}
