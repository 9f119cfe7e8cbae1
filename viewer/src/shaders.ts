// How things look: one light, a sky, and a shadow map, in linear colours. The pictures of `pliant render` have the same
// colours of bodies and numbers.

const common = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
`;

// Light on a point: position and normal in the world.
const light = /* glsl */ `
uniform vec3 sun, up, eye;
uniform mat4 shadowMatrix;
uniform sampler2D shadowMap;
uniform float shadowTexel, shadowBias;
uniform bool hurry;

const vec2 outer[4] = vec2[4](vec2(0.92, 0.38), vec2(-0.38, 0.92), vec2(-0.92, -0.38), vec2(0.38, -0.92));

float shadowAt(vec3 x, vec3 n) {
  vec4 p = shadowMatrix * vec4(x + shadowBias * n, 1.0);
  vec3 q = p.xyz * 0.5 + 0.5;
  if (any(lessThan(q.xy, vec2(0.0))) || any(greaterThan(q.xy, vec2(1.0))) || q.z > 1.0) return 1.0;
  if (hurry) return step(q.z - 0.0006, texture(shadowMap, q.xy).r);
  // The outer four of twelve places first: where they agree, there is no edge of a shadow.
  float open = 0.0;
  for (int i = 0; i < 4; ++i)
    open += step(q.z - 0.0006, texture(shadowMap, q.xy + 2.6 * shadowTexel * outer[i]).r);
  if (open < 0.5 || open > 3.5) return 0.25 * open;
  for (int i = 0; i < 8; ++i) {
    float a = 2.39996 * float(i), r = 2.4 * sqrt((float(i) + 0.5) / 8.0);
    open += step(q.z - 0.0006, texture(shadowMap, q.xy + shadowTexel * r * vec2(cos(a), sin(a))).r);
  }
  return open / 12.0;
}

// access: the share of the sky's light that arrives.
vec3 lit(vec3 albedo, vec3 x, vec3 n, float gloss, float access) {
  float facing = max(dot(n, sun), 0.0);
  float open = facing > 0.0 ? shadowAt(x, n) : 0.0;
  float sky = 0.5 + 0.5 * dot(n, up);
  vec3 ambient = access * mix(vec3(0.30, 0.28, 0.26), vec3(0.50, 0.54, 0.60), sky);
  vec3 view = normalize(eye - x);
  vec3 mid = normalize(view + sun);
  float edge = pow(1.0 - max(dot(n, view), 0.0), 4.0);
  vec3 color = albedo * (ambient + vec3(0.80, 0.75, 0.68) * facing * open * mix(1.0, access, 0.4));
  return color + gloss * access * (0.26 * open * pow(max(dot(n, mid), 0.0), 40.0) + 0.05 * edge * sky);
}

vec3 srgb(vec3 c) {
  c = clamp(c, 0.0, 1.0);
  vec3 a = sqrt(c), b = sqrt(a);  // three roots for a power: off by less than one of 255 steps from 0.01 on
  return 0.585122381 * a + 0.783140355 * b - 0.368262736 * sqrt(b);
}
`;

// Colour by body, or by a number of 8 bits and its range.
const paint = /* glsl */ `
uniform sampler2D bodies, colors;
uniform vec2 valueRange, colorRange;
uniform bool byValue;
vec3 painted(float body, float value) {
  if (!byValue) return texelFetch(bodies, ivec2(int(body + 0.5), 0), 0).rgb;
  float v = mix(valueRange.x, valueRange.y, value);
  float t = clamp((v - colorRange.x) / max(colorRange.y - colorRange.x, 1e-30), 0.0, 1.0);
  return texture(colors, vec2((t * 32.0 + 0.5) / 33.0, 0.5)).rgb;
}
`;

// In a hurry, particles of a body's far side, and those deep inside it, are left out: its near side hides them.
const hidden = /* glsl */ `
uniform bool hurry;
bool hiddenFrom(vec3 toward, vec4 crust) {
  return hurry && (dot(crust.xyz, toward) < -0.4 || (crust.w < 0.3 && length(crust.xyz) < 0.3));
}
`;
const nowhere = 'vec4(2.0, 2.0, 2.0, 1.0)'; // outside of every picture

// A particle is a square that just covers its sphere; the ray through each of its pixels meets the sphere exactly.
export const sphereVertex = /* glsl */ `
${common}
${hidden}
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec3 eye;
uniform sampler2D bodies;
uniform float radiusScale;
in vec3 position, center;
in vec4 crust;
in float value, body;
out vec4 skin;
out vec3 at, middle;
out float radius, paintValue, paintBody;
void main() {
  radius = texelFetch(bodies, ivec2(int(body + 0.5), 0), 0).a * radiusScale;
  middle = (modelViewMatrix * vec4(center, 1.0)).xyz;
  paintValue = value;
  paintBody = body;
  skin = crust;
  float d = length(middle);
  vec3 away = middle / d;
  vec3 right = normalize(cross(away, abs(away.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
  vec3 upward = cross(right, away);
  float inside = min(radius / d, 0.9);
  float half_ = 1.06 * radius * sqrt(1.0 - inside * inside);
  at = middle - away * radius * inside + half_ * (position.x * right + position.y * upward);
  bool seen = !hiddenFrom(normalize(eye - center), crust);
  gl_Position = seen ? projectionMatrix * vec4(at, 1.0) : ${nowhere};
}
`;

export const sphereFragment = /* glsl */ `
${common}
${light}
${paint}
uniform mat4 projectionMatrix, viewInverse;
in vec4 skin;
in vec3 at, middle;
in float radius, paintValue, paintBody;
out vec4 color;
void main() {
  vec3 ray = normalize(at);
  float along = dot(ray, middle);
  float miss = sqrt(max(dot(middle, middle) - along * along, 0.0)) / radius;
  float coverage = clamp((1.0 - miss) / max(fwidth(miss), 1e-5) + 0.5, 0.0, 1.0);
  if (coverage <= 0.0) discard;
  float depth = radius * sqrt(max(1.0 - miss * miss, 0.0));
  vec3 hit = ray * (along - depth);
  vec3 x = (viewInverse * vec4(hit, 1.0)).xyz;
  vec3 n = normalize(mat3(viewInverse) * (hit - middle));
  vec4 clip = projectionMatrix * vec4(hit, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
  // Mostly lit like the surface of its body, a little like a ball; what faces inwards is dark.
  float sure = length(skin.xyz);
  float outwards = dot(n, skin.xyz / max(sure, 1e-3));
  float crease = mix(1.0, smoothstep(-0.5, 0.45, outwards), 0.75 * sure);
  n = normalize(n + 1.1 * skin.xyz);
  color = vec4(srgb(lit(painted(paintBody, paintValue), x, n, 0.45, skin.w * crease)), coverage);
}
`;

// The same seen from the sun, whose rays are parallel.
export const sphereShadowVertex = /* glsl */ `
${common}
${hidden}
uniform vec3 sun;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform sampler2D bodies;
uniform float radiusScale;
in vec3 position, center;
in vec4 crust;
in float body;
out vec2 place;
void main() {
  float radius = texelFetch(bodies, ivec2(int(body + 0.5), 0), 0).a * radiusScale;
  place = position.xy;
  vec4 middle = modelViewMatrix * vec4(center, 1.0);
  gl_Position = hiddenFrom(sun, crust) ? ${nowhere} : projectionMatrix * (middle + vec4(radius * position.xy, 0.0, 0.0));
}
`;
export const sphereShadowFragment = /* glsl */ `
${common}
in vec2 place;
out vec4 color;
void main() {
  if (dot(place, place) > 1.0) discard;
  color = vec4(1.0);
}
`;

export const meshVertex = /* glsl */ `
${common}
uniform mat4 modelMatrix, modelViewMatrix, projectionMatrix;
in vec3 position, normal;
in vec4 crust;
in float value, body;
out vec3 world, toward;
out float paintValue, paintBody, access;
void main() {
  access = crust.w;
  paintValue = value;
  paintBody = body;
  world = (modelMatrix * vec4(position, 1.0)).xyz;
  toward = mat3(modelMatrix) * normal;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`;
export const meshFragment = /* glsl */ `
${common}
${light}
${paint}
uniform bool smoothNormals, plain;
uniform vec3 plainColor;
uniform float opacity;
in vec3 world, toward;
in float paintValue, paintBody, access;
out vec4 color;
void main() {
  vec3 facet = normalize(cross(dFdx(world), dFdy(world)));
  if (dot(facet, eye - world) < 0.0) facet = -facet;
  vec3 n = smoothNormals && dot(toward, toward) > 1e-12 ? normalize(toward) : facet;
  if (dot(n, facet) < 0.0) n = -n;
  vec3 albedo = plain ? plainColor : painted(paintBody, paintValue);
  color = vec4(srgb(lit(albedo, world, n, plain ? 0.3 : 0.7, plain ? 1.0 : access)), opacity);
}
`;

// The ground: tiles that fade into the backdrop with distance, in which the shadow can be read.
export const groundVertex = /* glsl */ `
${common}
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
in vec3 position;
out vec3 world;
out vec2 place;
void main() {
  place = position.xz;
  world = (modelMatrix * vec4(position, 1.0)).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}
`;
export const groundFragment = /* glsl */ `
${common}
${light}
uniform vec3 normal, focus;
uniform vec2 shadeMiddle;
uniform float tile, reach, shadeHalf;
uniform sampler2D shade;
in vec3 world;
in vec2 place;
out vec4 color;
void main() {
  vec2 p = place / tile, w = max(fwidth(p), 1e-4);
  vec2 i = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5) - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
  float checks = 0.5 - 0.5 * i.x * i.y;
  float open = shadowAt(world, normal);
  vec3 albedo = mix(vec3(0.695, 0.695, 0.69), vec3(0.735, 0.735, 0.73), checks);
  vec2 s = 0.5 + 0.5 * (place - shadeMiddle) / shadeHalf;
  float access = 1.0 - 0.8 * texture(shade, s).r;
  vec3 lightOn = vec3(0.50, 0.54, 0.60) * access + vec3(0.76, 0.72, 0.66) * max(dot(normal, sun), 0.0) * open;
  float far = smoothstep(0.25 * reach, reach, length(world - focus));
  color = vec4(srgb(albedo * lightOn * 0.92), 1.0 - far);
}
`;

export const backdropVertex = /* glsl */ `
${common}
in vec3 position;
out vec2 place;
void main() {
  place = position.xy;
  gl_Position = vec4(position.xy, 1.0, 1.0);
}
`;
export const backdropFragment = /* glsl */ `
${common}
in vec2 place;
out vec4 color;
void main() {
  color = vec4(mix(vec3(0.875, 0.875, 0.868), vec3(0.945, 0.95, 0.955), smoothstep(-0.3, 1.0, place.y)), 1.0);
}
`;
