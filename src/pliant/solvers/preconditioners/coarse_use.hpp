// Which bodies get coarse levels in addition to the preconditioner's blocks: those stiff enough to gain from them, all
// that can have them, or none.
#pragma once

namespace pliant {

enum class CoarseUse { automatic, on, off };

}  // namespace pliant
