// Four numbers in half precision: the storage of bonds in products. Bonds are most of what a product reads, and it
// computes corrections to forces that are evaluated in full precision: 11 bits per weight are enough.
#pragma once

#include <pliant/math/vec4.hpp>

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif
#ifdef __F16C__
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

namespace pliant {
inline namespace PLIANT_LANES {

struct alignas(8) Half4 {
    std::uint16_t v[4];
};

#ifndef __F16C__
namespace half_bits {

// Numbers of magnitude below 65504, rounded to nearest; those below 6e-8 become zero.
PLIANT_HD inline std::uint16_t from_float(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    std::uint32_t const sign = bits >> 16 & 0x8000u;
    int const exponent = int(bits >> 23 & 0xff) - 112;
    std::uint32_t const mantissa = (bits & 0x7fffffu) | 0x800000u;
    if (exponent < -10) return std::uint16_t(sign);
    int const shift = exponent > 0 ? 13 : 14 - exponent;
    std::uint32_t const rounded = (mantissa + (1u << (shift - 1)) - 1 + (mantissa >> shift & 1)) >> shift;
    return std::uint16_t(sign | (exponent > 0 ? (std::uint32_t(exponent - 1) << 10) + rounded : rounded));
}

PLIANT_HD inline float to_float(std::uint16_t half) {
    std::uint32_t const exponent = half >> 10 & 0x1fu, mantissa = half & 0x3ffu;
    float const size =
        exponent == 0 ? float(mantissa) * 0x1p-24f : float(mantissa | 0x400u) * 0x1p-25f * float(1u << exponent);
    return half & 0x8000u ? -size : size;
}

}  // namespace half_bits
#endif

PLIANT_HD inline Half4 to_half(Vec4 a) {
    Half4 result;
#if defined(__CUDA_ARCH__)
    for (int k = 0; k < 4; ++k) result.v[k] = __half_as_ushort(__float2half_rn(a[k]));
#elif defined(__F16C__)
    alignas(16) float values[4] = {a[0], a[1], a[2], a[3]};
    _mm_storel_epi64(reinterpret_cast<__m128i*>(result.v),
                     _mm_cvtps_ph(_mm_load_ps(values), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
    for (int k = 0; k < 4; ++k) result.v[k] = half_bits::from_float(a[k]);
#endif
    return result;
}

PLIANT_HD inline Vec4 to_float(Half4 const& a) {
#if defined(__CUDA_ARCH__)
    uint2 const bits = *reinterpret_cast<uint2 const*>(a.v);
    float2 const low = __half22float2(*reinterpret_cast<__half2 const*>(&bits.x));
    float2 const high = __half22float2(*reinterpret_cast<__half2 const*>(&bits.y));
    return Vec4::of(low.x, low.y, high.x, high.y);
#elif defined(__F16C__)
    Vec4 result;
    _mm_store_ps(reinterpret_cast<float*>(&result),
                 _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<__m128i const*>(a.v))));
    return result;
#else
    return Vec4::of(half_bits::to_float(a.v[0]), half_bits::to_float(a.v[1]), half_bits::to_float(a.v[2]),
                    half_bits::to_float(a.v[3]));
#endif
}

}  // namespace PLIANT_LANES
}  // namespace pliant
