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

/* The first two words of the SHA-1 of data[starts[i] .. starts[i] + lengths[i]], to first[i] and second[i]. Messages of
 * more than LONGEST bytes are passed over: they are the caller's. */
EACH_PROCESSOR
void citevault_sha1(const uint8_t *data, const int64_t *starts, const int64_t *lengths, size_t count,
                    uint32_t *first, uint32_t *second) {
    static const uint32_t start[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    for (size_t from = 0; from < count; from += LANES) {
        size_t lanes = count - from < LANES ? count - from : LANES;
        uint8_t block[LANES][128];
        uint32_t transposed[32][LANES];
        int long_one = 0;
        memset(block, 0, sizeof block);
        uint32_t is_long[LANES] = {0};
        for (size_t lane = 0; lane < lanes; lane++) {
            int64_t length = lengths[from + lane];
            if (length < 0 || length > LONGEST) continue;
            memcpy(block[lane], data + starts[from + lane], (size_t)length);
            block[lane][length] = 0x80;
            size_t end = length > 55 ? 128 : 64;
            block[lane][end - 2] = (uint8_t)(length >> 5);
            block[lane][end - 1] = (uint8_t)(length << 3);
            if (length > 55) is_long[lane] = 0xFFFFFFFF, long_one = 1;
        }
        for (int word = 0; word < (long_one ? 32 : 16); word++)
            for (int lane = 0; lane < LANES; lane++) {
                uint32_t value;
                memcpy(&value, &block[lane][4 * word], 4);
                transposed[word][lane] = __builtin_bswap32(value);
            }
        words state[5], w[16];
        for (int part = 0; part < 5; part++) state[part] = (words){0} + start[part];
        memcpy(w, transposed, sizeof w);
        compress(state, w);
        if (long_one) {
            words after[5], mask;
            memcpy(after, state, sizeof after);
            memcpy(w, transposed[16], sizeof w);
            compress(after, w);
            memcpy(&mask, is_long, sizeof mask);
            for (int part = 0; part < 2; part++) state[part] = (after[part] & mask) | (state[part] & ~mask);
        }
        for (size_t lane = 0; lane < lanes; lane++) {
            if (lengths[from + lane] < 0 || lengths[from + lane] > LONGEST) continue;
            first[from + lane] = state[0][lane];
            second[from + lane] = state[1][lane];
        }
    }
}

/* lowest[k] = min(lowest[k], multiplier[k] * mixed[i] + offset[k]) over all i, for 128 k. */
EACH_PROCESSOR
void citevault_minima(const uint32_t *mixed, size_t count, const uint32_t *multiplier, const uint32_t *offset,
                      uint32_t *lowest) {
    for (size_t part = 0; part < 128; part += 64) {
        uint32_t least[64], a[64], b[64];
        memcpy(least, lowest + part, sizeof least);
        memcpy(a, multiplier + part, sizeof a);
        memcpy(b, offset + part, sizeof b);
        for (size_t at = 0; at < count; at++) {
            uint32_t value = mixed[at];
            for (int k = 0; k < 64; k++) {
                uint32_t permuted = a[k] * value + b[k];
                least[k] = permuted < least[k] ? permuted : least[k];
            }
        }
        memcpy(lowest + part, least, sizeof least);
    }
}
