// The look of all pictures: light, backdrop and ground in one place. Colours are linear light.
#pragma once

#include <pliant/math/vec3.hpp>

namespace pliant::render {

struct Look {
    // Light. A white surface that faces the sun under an open sky shows sun + sky.
    Vec3f sun{0.98f, 0.92f, 0.84f};
    float sun_radius = 3.5f;                   // of its disk [degrees]; the real sun has 0.27 and hard shadows
    float sun_azimuth = -62, sun_height = 47;  // to the left of the camera, above the horizon [degrees]
    Vec3f sky_high{0.315f, 0.345f, 0.385f}, sky_low{0.32f, 0.33f, 0.345f};
    float sky_below = 0.6f;  // share of the sky's light that comes from below where there is no ground
    float bounce = 0.6f;     // share of the ground's light that reaches bodies; all of it would wash out their shape

    // Backdrop, from the horizon upwards and downwards.
    Vec3f backdrop_horizon{0.80f, 0.82f, 0.84f}, backdrop_high{0.50f, 0.57f, 0.65f}, backdrop_low{0.62f, 0.65f, 0.69f};

    // Ground: tiles of two shades; beyond walls they are darker by a factor.
    Vec3f tile{0.712f, 0.722f, 0.735f}, other_tile{0.678f, 0.688f, 0.70f}, beyond_walls{0.87f, 0.87f, 0.88f};
    float tiles_in_view = 4;              // at least about this many over the height of the picture, at most twice
    float haze_from = 0.7f, haze_to = 4;  // in distances of the camera from its target

    Vec3f collider{0.40f, 0.41f, 0.43f};
    float gloss = 1;          // of bodies: 1 is the reflection of plastics, 0 chalk
    float roughness = 0.42f;  // of the highlight

    // Clear matter (clear.hpp).
    Vec3f deep_water{0.02f, 0.15f, 0.21f};      // what it scatters
    Vec3f water_absorbs{2.6f, 0.62f, 0.36f};    // per half height of the picture
    float glint = 0.004f, glint_strength = 20;  // of the sun: 1 - cosine over which it fades
};

}  // namespace pliant::render
