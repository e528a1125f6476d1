# What every target of this project is compiled with.
set(WEIR_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
option(WEIR_WERROR "Warnings are errors" OFF)

# C11, warnings, and what POSIX gives: threads, monotonic clock.
function(weir_compile target)
    target_compile_features(${target} PRIVATE c_std_11)
    set_target_properties(${target} PROPERTIES C_EXTENSIONS OFF)
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:${WEIR_WARNINGS}>)
    if(WEIR_WERROR)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-Werror>)
    endif()
endfunction()
