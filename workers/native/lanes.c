/* SHA-1 of short messages, sixteen at a time, and the MinHash minima of what comes out.
 *
 * The same numbers as workers/dedup/sha1_lanes.py and workers/dedup/minhash.py, which are the definition; property
 * tests hold the two together. SHA-1 is FIPS 180-4; a vector holds one word of each of sixteen messages.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 16
#define LONGEST 119 /* two blocks, less nine bytes for the end mark and the length */

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EACH_PROCESSOR
#endif

typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef uint8_t bytes __attribute__((vector_size(4 * LANES)));

#define LEFT(value, bits) (((value) << (bits)) | ((value) >> (32 - (bits))))
#define ROUND(mix, constant)                                  \
    do {                                                      \
        words next = LEFT(a, 5) + (mix) + e + w[t & 15] + (uint32_t)(constant); \
        e = d, d = c, c = LEFT(b, 30), b = a, a = next;       \
    } while (0)
#define SCHEDULE()                                            \
    do {                                                      \
        words mixed = w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15]; \
        w[t & 15] = LEFT(mixed, 1);                           \
    } while (0)

/* One block of each message; `w` is used up. */
static inline __attribute__((always_inline)) void compress(words state[5], words w[16]) {
    words a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    int t = 0;
    for (; t < 16; t++) ROUND(d ^ (b & (c ^ d)), 0x5A827999);
    for (; t < 20; t++) { SCHEDULE(); ROUND(d ^ (b & (c ^ d)), 0x5A827999); }
    for (; t < 40; t++) { SCHEDULE(); ROUND(b ^ c ^ d, 0x6ED9EBA1); }
    for (; t < 60; t++) { SCHEDULE(); ROUND((b & c) | (d & (b | c)), 0x8F1BBCDC); }
    for (; t < 80; t++) { SCHEDULE(); ROUND(b ^ c ^ d, 0xCA62C1D6); }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

#define FOUR(n) n, n + 1, n + 2, n + 3
#define SIXTEEN(n) FOUR(n), FOUR(n + 4), FOUR(n + 8), FOUR(n + 12)
#define TURNED(n) n + 3, n + 2, n + 1, n
static const bytes PLACE = {SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)};
static const bytes BIG_ENDIAN = {
    TURNED(0),  TURNED(4),  TURNED(8),  TURNED(12), TURNED(16), TURNED(20), TURNED(24), TURNED(28),
    TURNED(32), TURNED(36), TURNED(40), TURNED(44), TURNED(48), TURNED(52), TURNED(56), TURNED(60)};

/* One step of turning a square of words: rows that are `by` apart change halves of every 2 * by words. */
#define SWAP(by, low, high)                                                          \
    for (int row = 0; row < LANES; row++)                                            \
        if (!(row & (by))) {                                                         \
            words one = w[row], other = w[row | (by)];                               \
            w[row] = __builtin_shuffle(one, other, low);                             \
            w[row | (by)] = __builtin_shuffle(one, other, high);                     \
        }

/* Row i, word k to row k, word i. */
static inline __attribute__((always_inline)) void turn(words w[LANES]) {
    const words low8 = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23};
    const words high8 = {8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31};
    const words low4 = {0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27};
    const words high4 = {4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31};
    const words low2 = {0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29};
    const words high2 = {2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31};
    const words low1 = {0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30};
    const words high1 = {1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31};
    SWAP(8, low8, high8)
    SWAP(4, low4, high4)
    SWAP(2, low2, high2)
    SWAP(1, low1, high1)
}

/* Bytes `from` to `from` + 64 of a message as words, with its end mark where it falls among them, and zeros after. */
static inline __attribute__((always_inline)) words part_of(const uint8_t *message, int64_t length, int64_t from,
                                                           int64_t readable) {
    bytes part = {0};
    int64_t left = length - from;
    if (readable >= from + 64)
        memcpy(&part, message + from, 64);
    else if (left > 0)
        memcpy(&part, message + from, (size_t)(left < 64 ? left : 64));
    if (left < 64) {
        uint8_t here = left < 0 ? 0 : (uint8_t)left;
        part &= (bytes)(PLACE < here);
        if (left >= 0) part |= (bytes)(PLACE == here) & 0x80;
    }
    return (words)__builtin_shuffle(part, BIG_ENDIAN);
}

/* The first two words of the SHA-1 of data[starts[i] .. starts[i] + lengths[i]], to first[i] and second[i]. Messages of
 * more than LONGEST bytes are passed over: they are the caller's. */
EACH_PROCESSOR
void citevault_sha1(const uint8_t *data, size_t size, const int64_t *starts, const int64_t *lengths, size_t count,
                    uint32_t *first, uint32_t *second) {
    static const uint32_t start[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    for (size_t from = 0; from < count; from += LANES) {
        size_t lanes = count - from < LANES ? count - from : LANES;
        words w[LANES], bits = {0}, is_long = {0};
        int long_one = 0;
        for (size_t lane = 0; lane < LANES; lane++) {
            int64_t length = lane < lanes ? lengths[from + lane] : -1;
            if (length < 0 || length > LONGEST) {
                w[lane] = (words){0};
                continue;
            }
            w[lane] = part_of(data + starts[from + lane], length, 0, (int64_t)size - starts[from + lane]);
            bits[lane] = (uint32_t)length << 3;
            if (length > 55) is_long[lane] = 0xFFFFFFFF, long_one = 1;
        }
        turn(w);
        w[15] |= bits & ~is_long;
        words state[5];
        for (int part = 0; part < 5; part++) state[part] = (words){0} + start[part];
        compress(state, w);
        if (long_one) {
            words after[5];
            memcpy(after, state, sizeof after);
            for (size_t lane = 0; lane < LANES; lane++)
                w[lane] = is_long[lane] ? part_of(data + starts[from + lane], lengths[from + lane], 64,
                                                  (int64_t)size - starts[from + lane])
                                        : (words){0};
            turn(w);
            w[15] |= bits;
            compress(after, w);
            for (int part = 0; part < 2; part++) state[part] = (after[part] & is_long) | (state[part] & ~is_long);
        }
        for (size_t lane = 0; lane < lanes; lane++) {
            if (lengths[from + lane] < 0 || lengths[from + lane] > LONGEST) continue;
            first[from + lane] = state[0][lane];
            second[from + lane] = state[1][lane];
        }
    }
}

#define TOGETHER 256

/* MurmurHash3's finaliser of each word with its bytes turned. */
static inline __attribute__((always_inline)) void mix(const uint32_t *first, size_t count, uint32_t *mixed) {
    for (size_t at = 0; at < count; at++) {
        uint32_t value = __builtin_bswap32(first[at]);
        value ^= value >> 16;
        value *= 0x85EBCA6B;
        value ^= value >> 13;
        value *= 0xC2B2AE35;
        mixed[at] = value ^ value >> 16;
    }
}

/* lowest[k] = min(lowest[k], multiplier[k] * mixed + offset[k]) over all `first`, mixed, for 128 k. */
EACH_PROCESSOR
void citevault_minima(const uint32_t *first, size_t count, const uint32_t *multiplier, const uint32_t *offset,
                      uint32_t *lowest) {
    uint32_t mixed[TOGETHER];
    for (size_t from = 0; from < count; from += TOGETHER) {
        size_t some = count - from < TOGETHER ? count - from : TOGETHER;
        mix(first + from, some, mixed);
        for (size_t part = 0; part < 128; part += 64) {
            uint32_t least[64], a[64], b[64];
            memcpy(least, lowest + part, sizeof least);
            memcpy(a, multiplier + part, sizeof a);
            memcpy(b, offset + part, sizeof b);
            for (size_t at = 0; at < some; at++) {
                uint32_t value = mixed[at];
                for (int k = 0; k < 64; k++) {
                    uint32_t permuted = a[k] * value + b[k];
                    least[k] = permuted < least[k] ? permuted : least[k];
                }
            }
            memcpy(lowest + part, least, sizeof least);
        }
    }
}
