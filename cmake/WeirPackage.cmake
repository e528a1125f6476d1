# weir_package(NAME MODULE PACKAGE "who needs it" OPTION): finds what pkg-config calls MODULE as PkgConfig::NAME, or ends with the
# Debian package to install and the option to do without.
function(weir_package name module package who option)
    find_package(PkgConfig QUIET)
    if(NOT PKG_CONFIG_FOUND)
        message(FATAL_ERROR "${who} need pkg-config: apt-get install pkg-config, or -D${option}=OFF")
    endif()
    pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(NOT ${name}_FOUND)
        message(FATAL_ERROR "${who} need ${module}: apt-get install ${package}, or -D${option}=OFF")
    endif()
endfunction()
