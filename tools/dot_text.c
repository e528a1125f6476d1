/* dot_text.c - a scanner for DOT, by the language's published grammar. */
#include "dot_text.h"
#include <ctype.h>
#include <string.h>

enum { TOKEN_BYTES_MOST = 1 << 16, TOKENS_MOST = 1 << 22, DEPTH_MOST = 1000 };

dot_scan dot_scan_of(const read_input *in)
{
    return (dot_scan){.at = in->text, .start = in->text, .end = in->text + in->bytes, .line = 1};
}

static bool begins(const dot_scan *s, const char *with)
{
    size_t length = strlen(with);
    return (size_t)(s->end - s->at) >= length && memcmp(s->at, with, length) == 0;
}

static void skip(dot_scan *s, size_t bytes)
{
    for (; bytes > 0 && s->at < s->end; bytes--, s->at++)
        s->line += *s->at == '\n';
}

/* To behind `last`; false at the end of the text. */
static bool skip_past(dot_scan *s, const char *last)
{
    while (s->at < s->end && !begins(s, last))
        skip(s, 1);
    bool found = s->at < s->end;
    skip(s, strlen(last));
    return found;
}

/* Over one blank or comment. False if there is none here; a comment that never ends is left for dot_next to find. */
static bool skip_blank(dot_scan *s)
{
    dot_scan before = *s;
    if (s->at == s->end)
        return false;
    if (isspace((unsigned char)*s->at)) {
        skip(s, 1);
        return true;
    }
    if (begins(s, "//") || (*s->at == '#' && (s->at == s->start || s->at[-1] == '\n'))) {
        while (s->at < s->end && *s->at != '\n')
            s->at++;
        return true;
    }
    if (begins(s, "/*") && skip_past(s, "*/"))
        return true;
    *s = before;
    return false;
}

static void skip_blanks(dot_scan *s)
{
    const char *from = s->at;
    unsigned line = s->line;
    while (skip_blank(s)) {
        if (s->line != line) {
            line = s->line;
            from = s->at;
        } else if ((size_t)(s->at - from) > s->longest_blank) {
            s->longest_blank = (size_t)(s->at - from);
        }
    }
}

static bool skip_quoted(dot_scan *s)
{
    skip(s, 1);
    while (s->at < s->end && *s->at != '"')
        skip(s, *s->at == '\\' ? 2 : 1);
    bool closed = s->at < s->end;
    skip(s, 1);
    return closed;
}

/* <...> with tags and comments inside. */
static bool skip_html(dot_scan *s)
{
    size_t depth = 0;
    while (s->at < s->end) {
        if (begins(s, "<!--")) {
            if (!skip_past(s, "-->"))
                return false;
            continue;
        }
        depth += *s->at == '<';
        depth -= *s->at == '>';
        skip(s, 1);
        if (depth == 0)
            return true;
    }
    return false;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

dot_token dot_next(dot_scan *s)
{
    skip_blanks(s);
    dot_token token = {.kind = DOT_WORD, .text = s->at, .line = s->line};
    if (s->at == s->end) {
        token.kind = DOT_END;
    } else if (*s->at == '"') {
        token.kind = skip_quoted(s) ? DOT_WORD : DOT_OPEN;
    } else if (*s->at == '<') {
        token.kind = skip_html(s) ? DOT_WORD : DOT_OPEN;
    } else if (begins(s, "/*")) {
        s->at = s->end;
        token.kind = DOT_OPEN;
    } else if (begins(s, "->") || begins(s, "--")) {
        skip(s, 2);
        token.kind = DOT_MARK;
    } else if (in_word(*s->at) || *s->at == '.' || (*s->at == '-' && s->end - s->at > 1 && (in_word(s->at[1]) || s->at[1] == '.'))) {
        do
            skip(s, 1);
        while (s->at < s->end && (in_word(*s->at) || *s->at == '.'));
    } else {
        skip(s, 1);
        token.kind = DOT_MARK;
    }
    token.length = (size_t)(s->at - token.text);
    return token;
}

static bool is_mark(const dot_token *token, char mark)
{
    return token->kind == DOT_MARK && token->length == 1 && *token->text == mark;
}

bool dot_check(const read_input *in)
{
    dot_scan s = dot_scan_of(in);
    size_t tokens = 0, depth = 0;
    const char *zero = memchr(in->text, 0, in->bytes);
    bool over = false;
    for (dot_token t = dot_next(&s); t.kind != DOT_END; t = dot_next(&s)) {
        if (t.length > TOKEN_BYTES_MOST || s.longest_blank > TOKEN_BYTES_MOST)
            return read_fail(in, t.line, "a name, text, comment or run of blanks is longer than %d bytes, the most that is read",
                             TOKEN_BYTES_MOST);
        if (zero && t.text + t.length > zero)
            return read_fail(in, t.line, "this is no DOT: there is a zero byte in it");
        if (t.kind == DOT_OPEN)
            return read_fail(in, t.line, "the file is cut off: what begins with '%s' does not end", read_shown(t.text, t.length).text);
        if (over)
            return read_fail(in, t.line, "after the end of the graph comes '%s'; give one graph a file", read_shown(t.text, t.length).text);
        if (++tokens > TOKENS_MOST)
            return read_fail(in, t.line, "there are more than %d words and marks, the most that is read", TOKENS_MOST);
        depth += is_mark(&t, '{');
        if (is_mark(&t, '}') && depth > 0)
            over = --depth == 0;
        if (depth > DEPTH_MOST)
            return read_fail(in, t.line, "sub-graphs are more than %d deep", DEPTH_MOST);
    }
    if (s.longest_blank > TOKEN_BYTES_MOST)
        return read_fail(in, s.line, "a comment or run of blanks is longer than %d bytes, the most that is read", TOKEN_BYTES_MOST);
    if (zero)
        return read_fail(in, s.line, "this is no DOT: there is a zero byte in it");
    if (depth > 0)
        return read_fail(in, s.line, "the file is cut off: %zu { have no }", depth);
    return true;
}

/* A quoted word is what is in its quotes, with \" for ". */
static bool is_word(const dot_token *token, const char *name)
{
    const char *at = token->text, *end = at + token->length;
    if (*at == '"' || *at == '<') {
        bool quoted = *at == '"';
        at++;
        end--;
        for (; at < end && *name; at++, name++) {
            if (quoted && *at == '\\' && at + 1 < end && at[1] == '"')
                at++;
            if (*at != *name)
                return false;
        }
        return at == end && !*name;
    }
    return token->length == strlen(name) && memcmp(at, name, token->length) == 0;
}

unsigned dot_line(const read_input *in, const char *first, const char *mark, const char *second)
{
    dot_scan s = dot_scan_of(in);
    unsigned fallback = 0;
    dot_token before[2] = {{.kind = DOT_END}, {.kind = DOT_END}};
    for (dot_token t = dot_next(&s); t.kind == DOT_WORD || t.kind == DOT_MARK; t = dot_next(&s)) {
        if (t.kind == DOT_WORD && is_word(&t, first)) {
            fallback = fallback ? fallback : t.line;
            if (!mark)
                return t.line;
        }
        if (mark && before[0].kind == DOT_WORD && before[1].kind == DOT_MARK && is_word(&before[0], first) && is_word(&before[1], mark) &&
            t.kind == DOT_WORD && (!second || is_word(&t, second)))
            return t.line;
        before[0] = before[1];
        before[1] = t;
    }
    return fallback ? fallback : 1;
}
