// Which bodies get more than the blocks of the preconditioner: those that are stiff enough to gain by it, all that can
// have it, or none.
#pragma once

namespace pliant {

enum class CoarseUse { automatic, on, off };

}  // namespace pliant
