# What every target of this project is compiled with.
set(WEIR_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
option(WEIR_WERROR "Warnings are errors" OFF)
set(WEIR_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")

get_property(many_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT many_configurations AND NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if(WEIR_SANITIZE)
    set(WEIR_SANITIZE_FLAGS -fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:${WEIR_SANITIZE_FLAGS}>")
    add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()

# C11, warnings, and what POSIX gives: threads, monotonic clock. The same for the host side of CUDA files, where nvcc's own
# warnings are errors too if any are.
function(weir_compile target)
    target_compile_features(${target} PRIVATE c_std_11)
    set_target_properties(${target} PROPERTIES C_EXTENSIONS OFF)
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:C>:${WEIR_WARNINGS}>"
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
    if(WEIR_WERROR)
        target_compile_options(${target} PRIVATE
            $<$<COMPILE_LANGUAGE:C>:-Werror>
            $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
    endif()
endfunction()
