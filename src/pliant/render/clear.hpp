// Clear matter, such as water: what a ray sees of it is light that it mirrors, light that comes through it, weakened on
// the way by Beer's law and bent where it enters and leaves by Snell's, and light that it scatters. The share that it
// mirrors is Schlick's approximation of Fresnel's (1994). Inside, a ray is followed to the first thing that it meets,
// and once more if the surface mirrors all of it; where it leaves, to the next thing, of which further water is
// drawn as a thin pane.
//
// Lengths of absorption are a share of the picture's height, so that a cup and a lake look alike.
#pragma once

#include <pliant/render/trace_light.hpp>

namespace pliant::render {

// Writes material.own of the given pixels, which `rays` have hit.
void look_through(Shot const& shot, RayPacket const& rays, HitPacket const& hits, PacketMask clear,
                  std::array<Sighting, packet_size>& sighting);

}  // namespace pliant::render
