# The examples of weir, built against an installed weir:
#     cmake -S . -B build -DCMAKE_PREFIX_PATH=where/weir/is && cmake --build build
cmake_minimum_required(VERSION 3.25)
project(weir_examples LANGUAGES C)
set(WEIR_CUDA AUTO CACHE STRING "Build the kernels for CUDA too: AUTO (if it is there), ON, OFF")
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake)
include(WeirCompile)
include(WeirCuda)
include(WeirPackage)
find_package(weir REQUIRED)
add_subdirectory(kernels)
add_subdirectory(examples)
