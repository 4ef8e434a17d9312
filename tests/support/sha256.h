// SHA-256 of bytes (FIPS 180-4), to hold long texts against without having them here.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace tapehead::testing {

/// The first 32 bits behind the point of the square or cube root of the k-th prime, k from 0.
inline std::uint32_t root_bits(int k, bool cube) {
  int prime = 1;
  for (int found = -1; found < k;) {
    ++prime;
    bool divides = false;
    for (int d = 2; d * d <= prime; ++d) divides = divides || prime % d == 0;
    if (!divides) ++found;
  }
  const long double root = cube ? std::cbrt(static_cast<long double>(prime))
                                : std::sqrt(static_cast<long double>(prime));
  return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
}

/// As 64 hexadecimal digits.
inline std::string sha256(std::string bytes) {
  const auto turn = [](std::uint32_t x, int n) { return (x >> n) | (x << (32 - n)); };
  std::array<std::uint32_t, 64> k;
  std::array<std::uint32_t, 8> hash;
  for (int i = 0; i < 64; ++i) k[static_cast<std::size_t>(i)] = root_bits(i, true);
  for (int i = 0; i < 8; ++i) hash[static_cast<std::size_t>(i)] = root_bits(i, false);

  const std::uint64_t bits = 8 * bytes.size();
  bytes += '\x80';
  while (bytes.size() % 64 != 56) bytes += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(bits >> shift & 255);

  for (std::size_t block = 0; block < bytes.size(); block += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(bytes[block + i]);
    for (std::size_t i = 16; i < 64; ++i)
      w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
             (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    std::array<std::uint32_t, 8> s = hash;  // a to h
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t t1 = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                               ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
      const std::uint32_t t2 = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                               ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) hash[i] += s[i];
  }
  std::string digits;
  for (const std::uint32_t word : hash)
    for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[word >> shift & 15];
  return digits;
}

}  // namespace tapehead::testing
