// The page of `view` and `live`, and the browser that shows it.
#pragma once

#include <pliant/serve/server.hpp>

#include <cstddef>
#include <string>

namespace pliant::app {

void expect_page();  // throws InputError when the program was built without the page

// The page, told what it shows: "view" or "live", and how many runs.
Reply page_reply(std::string const& mode, std::size_t runs);

// Prints the address on a line of its own and opens the browser, unless told not to or no screen is there.
void show_address(std::string const& address, bool no_open, bool quiet = false);

}  // namespace pliant::app
