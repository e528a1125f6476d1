# doc_comments.awk - hands the public headers to Doxygen, whose marks they do without:
#   the comment that opens a file becomes the file's (that of weir.h also the main page);
#   a comment above a declaration becomes its documentation, and that of the declarations right below which have none behind them;
#   a comment behind something becomes that thing's.
# Signs that mean something to Doxygen are escaped, `words` in backquotes and indented lines become code.

function plain(text)
{
    gsub(/[\\@<>&#%]/, "\\\\&", text)
    while (sub(/`/, "<code>", text) && sub(/`/, "</code>", text))
        ;
    return text
}

# One more line of a comment: " * words", or " *     code".
function next_line(text,    end)
{
    if (text ~ /^ \*     /) {
        if (!in_code)
            text = " * @code\n" text
        in_code = 1
    } else if (text ~ /[^ *]/) {
        end = in_code ? " * @endcode\n" : ""
        in_code = 0
        text = end plain(text)
    }
    return text
}

# All of the comment that begins with `text`, but for its first two characters.
function whole(text,    all)
{
    in_code = 0
    all = plain(substr(text, 3))
    while (text !~ /\*\/$/ && (getline text) > 0)
        all = all "\n" next_line(text)
    return all
}

# Prints what is declared with the comment behind it; each of several fields with its own.
function print_with(declared, comment,    names, count, i)
{
    if (declared !~ /^    [a-z0-9_]+ [a-z0-9_]+(, [a-z0-9_]+)+; *$/) {
        print declared comment
        return
    }
    sub(/; *$/, "", declared)
    count = split(declared, names, /, /)
    print names[1] "; " comment
    sub(/ [a-z0-9_]+$/, "", names[1])
    for (i = 2; i <= count; i++)
        print names[1] " " names[i] "; " comment
}

/^\/\*/ {
    above = whole($0)
    used = 0
    if (!opened++) {
        if (FILENAME ~ /weir\.h$/)
            print "/** @mainpage weir\n *" above
        print "/** @file\n *" above
        above = ""
    }
    next
}
/^$/ { above = "" }
{
    behind = match($0, /[^ ] *\/\* .*\*\/$/)
    if (above != "" && /^(WEIR_[A-Z_]* |typedef|static inline|enum|#define)/ && !(used && behind)) {
        print "/**" above
        used = 1
    }
    if (behind) {
        at = index($0, "/* ")
        print_with(substr($0, 1, at - 1), "/**<" plain(substr($0, at + 2)))
    } else {
        print
    }
}
