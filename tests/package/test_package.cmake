# Installs the libraries into an empty folder, moves them elsewhere, and builds and runs a program against them, as a
# user would.
# cmake -D BUILD=FOLDER -D WORK=FOLDER -D SOURCE=FOLDER -D GENERATOR=NAME -D CXX=COMPILER -P test_package.cmake
function(call)
  execute_process(COMMAND ${ARGN} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
call(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --component development)
file(RENAME ${WORK}/first ${WORK}/prefix)

# The package files contain neither paths of this machine nor our warning flags.
file(GLOB_RECURSE package_files ${WORK}/prefix/*.cmake)
foreach(file IN LISTS package_files)
  file(READ ${file} text)
  foreach(unwanted IN ITEMS ${SOURCE} ${BUILD} ${WORK} -Werror -Wall)
    string(FIND "${text}" "${unwanted}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} holds ${unwanted}")
    endif()
  endforeach()
endforeach()

call(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_BUILD_TYPE=Release
     -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${WORK}/prefix)
call(${CMAKE_COMMAND} --build ${WORK}/build)
execute_process(COMMAND ${WORK}/build/falling_ball ${CMAKE_CURRENT_LIST_DIR}/ball.toml ${WORK}/frames
                OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
message("${printed}")

# The ball starts at 0.2 m; with implicit Euler it falls by g t (t + dt) / 2 = 9.81 * 0.1 * 0.102 / 2 = 0.050031 m in
# 0.1 s. Positions are floats, printed with six digits: tolerance 2e-6 m.
if(NOT printed MATCHES "0\\.10 s: centre of mass at ([0-9.]+) m\n$")
  message(FATAL_ERROR "the last frame is missing")
endif()
if(CMAKE_MATCH_1 LESS 0.149967 OR CMAKE_MATCH_1 GREATER 0.149971)
  message(FATAL_ERROR "at ${CMAKE_MATCH_1} m, not at 0.149969 m")
endif()
file(SIZE ${WORK}/frames/5.vtp bytes)
if(bytes LESS 20000) # about 500 particles of 44 bytes
  message(FATAL_ERROR "a frame of ${bytes} bytes")
endif()
