# What `cmake --install` installs, in two components: the program with its scenes, which is all that scripts/make-dist
# takes, and the libraries with their headers and the package file that find_package(pliant) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(PLIANT_DIST)
  install(TARGETS pliant DESTINATION libexec COMPONENT program)
  install(PROGRAMS $<TARGET_FILE:launcher> DESTINATION bin RENAME pliant COMPONENT program)
else()
  install(TARGETS pliant DESTINATION bin COMPONENT program)
endif()
install(DIRECTORY scenes/ DESTINATION share/pliant/scenes COMPONENT program FILES_MATCHING PATTERN "*.toml" PATTERN "*.obj")

install(TARGETS pliant_core pliant_simulation pliant_output EXPORT pliant
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY src/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.hpp" PATTERN serve EXCLUDE
        PATTERN io/json.hpp EXCLUDE) # only our sources use it: it needs nlohmann_json

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
configure_package_config_file(cmake/pliantConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/pliantConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/pliantConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pliantConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/pliantConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)
install(EXPORT pliant NAMESPACE pliant:: FILE pliantTargets.cmake DESTINATION ${package_folder} COMPONENT development)
