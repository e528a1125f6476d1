# undocumented.awk - names every public file, function and type that has no text in Doxygen's XML, and fails if there is one: Doxygen
# itself would also complain about each field whose name says enough.
function kind_of(line)
{
    sub(/.* kind="/, "", line)
    sub(/".*/, "", line)
    return line
}

function require(text, kind, name)
{
    if (text || kind !~ /^(file|function|struct|typedef)$/)
        return
    print "no comment in the headers says what this " kind " is: " name
    missing = 1
}

/<compounddef / { whole = kind_of($0); whole_text = 0 }
/<memberdef / { member = kind_of($0); member_text = 0 }
/<compoundname>/ { gsub(/<[^>]*>|^ */, ""); whole_name = $0 }
/<name>/ && member { gsub(/<[^>]*>|^ */, ""); member_name = $0 }
/<para>/ { if (member) member_text = 1; else whole_text = 1 }
/<\/memberdef>/ { require(member_text, member, member_name); member = "" }
/<\/compounddef>/ { require(whole_text, whole, whole_name) }
END { exit missing }
