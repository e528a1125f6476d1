# What `cmake --install` installs: headers, the library static and shared, the examples as a project of their own, and how CMake (find_package(weir)) and pkg-config find them.
# dagdump and dagbench install themselves, see tools/.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

install(TARGETS weir_static weir_shared EXPORT weir-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)

install(EXPORT weir-targets NAMESPACE weir:: DESTINATION ${package_dir})
# What it was built with, for the package to prefer.
if(WEIR_HAVE_CUDA)
    cmake_path(GET CUDAToolkit_BIN_DIR PARENT_PATH cuda_root)
endif()
configure_package_config_file(cmake/weir-config.cmake.in weir-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(weir-config-version.cmake COMPATIBILITY SameMinorVersion) # 0.x: minor versions may break
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weir-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/weir-config-version.cmake
    DESTINATION ${package_dir})

# Paths relative to the file, so that the installed tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
    OUTPUT_VARIABLE include_from_pc)
if(WEIR_HAVE_CUDA)
    set(private_libs "-L${CUDAToolkit_LIBRARY_DIR} -Wl,-rpath,${CUDAToolkit_LIBRARY_DIR} -lcudart -ldl")
endif()
configure_file(cmake/weir.pc.in weir.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The examples, to be built against what is installed: cmake -S share/weir/examples.
set(examples_dir ${CMAKE_INSTALL_DATADIR}/weir/examples)
install(DIRECTORY examples kernels DESTINATION ${examples_dir} PATTERN guide EXCLUDE PATTERN readme EXCLUDE)
install(FILES cmake/WeirCompile.cmake cmake/WeirCuda.cmake cmake/WeirPackage.cmake DESTINATION ${examples_dir}/cmake)
install(FILES cmake/installed_examples.cmake DESTINATION ${examples_dir} RENAME CMakeLists.txt)
