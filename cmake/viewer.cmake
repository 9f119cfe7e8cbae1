# The page of `pliant view`: TypeScript from viewer/, built into one HTML text inside a C++ source. Node's packages are
# put into the build folder, as viewer/package-lock.json pins them. Where node, npm or the packages are missing, the
# program is built without the page and says so; configuring again tries again.
set(viewer_folder ${CMAKE_BINARY_DIR}/viewer)
set(viewer_cpp ${viewer_folder}/page.cpp)
find_program(PLIANT_NODE NAMES node nodejs)
find_program(PLIANT_NPM NAMES npm)
file(MAKE_DIRECTORY ${viewer_folder})
if(EXISTS ${viewer_cpp})
  file(STRINGS ${viewer_cpp} without_page REGEX "return {};")
  if(without_page)
    file(REMOVE ${viewer_cpp})
  endif()
endif()

file(GLOB viewer_sources CONFIGURE_DEPENDS viewer/src/*)
set(viewer_packages viewer/package.json viewer/package-lock.json viewer/tsconfig.json)
add_custom_command(
  OUTPUT ${viewer_cpp}
  COMMAND ${CMAKE_COMMAND} -D "NODE=${PLIANT_NODE}" -D "NPM=${PLIANT_NPM}" -D SOURCE=${CMAKE_SOURCE_DIR}/viewer
          -D FOLDER=${viewer_folder} -P ${CMAKE_SOURCE_DIR}/cmake/build_viewer.cmake
  DEPENDS ${viewer_sources} ${viewer_packages} viewer/build.mjs cmake/build_viewer.cmake
  COMMENT "Building the page of pliant view"
  VERBATIM)
