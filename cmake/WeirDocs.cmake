# The target `docs`: a reference of the public headers by Doxygen, docs/index.html in the build folder. A warning is an error, and so is
# a call or type without text.
find_program(WEIR_DOXYGEN doxygen)
find_program(WEIR_AWK NAMES awk mawk gawk)
mark_as_advanced(WEIR_DOXYGEN WEIR_AWK)

if(WEIR_DOXYGEN AND WEIR_AWK)
    set(docs ${PROJECT_BINARY_DIR}/docs)
    configure_file(cmake/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
    add_custom_target(docs
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${docs}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${docs}
        COMMAND ${WEIR_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
        COMMAND sh -c "\"$1\" -f \"$2\" \"$3\"/*.xml" sh ${WEIR_AWK} ${PROJECT_SOURCE_DIR}/cmake/undocumented.awk ${docs}/xml
        COMMENT "Reference: ${docs}/index.html"
        VERBATIM)
else()
    add_custom_target(docs
        COMMAND ${CMAKE_COMMAND} -E echo "docs needs doxygen and awk: apt-get install doxygen mawk, then configure again"
        COMMAND ${CMAKE_COMMAND} -E false
        VERBATIM)
endif()
