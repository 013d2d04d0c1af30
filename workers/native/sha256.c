/* SHA-256 (FIPS 180-4) of two streams at a time, by the processor's own instructions.
 *
 * One stream waits for its own result most of the time, so that two of them side by side take little longer than one.
 * `workers/digests.py` is the definition, and property tests hold the two together.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>

#define USES_SHA __attribute__((target("sha,sse4.1,ssse3")))
#define BLOCK 64

static const uint32_t ROUND_CONSTANTS[64] __attribute__((aligned(64))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static const uint32_t START[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* The state as the instructions have it: two vectors, whose words are in another order. */
typedef struct {
    __m128i abef, cdgh;
} lane;

USES_SHA static inline lane loaded(const uint32_t state[8]) {
    __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
    return (lane){_mm_alignr_epi8(abcd, efgh, 8), _mm_blend_epi16(efgh, abcd, 0xF0)};
}

USES_SHA static inline void stored(uint32_t state[8], lane from) {
    __m128i feba = _mm_shuffle_epi32(from.abef, 0x1B), dchg = _mm_shuffle_epi32(from.cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

USES_SHA static inline __m128i words(const uint8_t *data) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)data), big_endian);
}

#define SCHEDULE(a, b, c, d) \
    a = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4)), d)
#define ROUNDS(one, m, two, n, at)                                                              \
    do {                                                                                        \
        const __m128i constants = _mm_load_si128((const __m128i *)(ROUND_CONSTANTS + (at)));    \
        const __m128i k = _mm_add_epi32(m, constants), l = _mm_add_epi32(n, constants);         \
        one.cdgh = _mm_sha256rnds2_epu32(one.cdgh, one.abef, k);                                \
        two.cdgh = _mm_sha256rnds2_epu32(two.cdgh, two.abef, l);                                \
        one.abef = _mm_sha256rnds2_epu32(one.abef, one.cdgh, _mm_shuffle_epi32(k, 0x0E));       \
        two.abef = _mm_sha256rnds2_epu32(two.abef, two.cdgh, _mm_shuffle_epi32(l, 0x0E));       \
    } while (0)

static int has_wide_registers;

/* So many blocks of each stream. Code that ran before, such as a copy by the C library, may have left something in the
 * upper halves of the wide registers. Each instruction here, which knows the lower ones alone, would then have to keep
 * it, and wait for it: that takes twice the time. */
USES_SHA static void run(uint32_t first[8], const uint8_t *p, uint32_t second[8], const uint8_t *q, size_t blocks) {
    if (has_wide_registers) __asm__ volatile("vzeroupper" ::: "memory");
    lane one = loaded(first), two = loaded(second);
    for (; blocks; blocks--, p += BLOCK, q += BLOCK) {
        const lane one_before = one, two_before = two;
        __m128i a = words(p), b = words(p + 16), c = words(p + 32), d = words(p + 48);
        __m128i e = words(q), f = words(q + 16), g = words(q + 32), h = words(q + 48);
        ROUNDS(one, a, two, e, 0);
        ROUNDS(one, b, two, f, 4);
        ROUNDS(one, c, two, g, 8);
        ROUNDS(one, d, two, h, 12);
        for (int at = 16; at < 64; at += 16) {
            SCHEDULE(a, b, c, d);
            SCHEDULE(e, f, g, h);
            ROUNDS(one, a, two, e, at);
            SCHEDULE(b, c, d, a);
            SCHEDULE(f, g, h, e);
            ROUNDS(one, b, two, f, at + 4);
            SCHEDULE(c, d, a, b);
            SCHEDULE(g, h, e, f);
            ROUNDS(one, c, two, g, at + 8);
            SCHEDULE(d, a, b, c);
            SCHEDULE(h, e, f, g);
            ROUNDS(one, d, two, h, at + 12);
        }
        one = (lane){_mm_add_epi32(one.abef, one_before.abef), _mm_add_epi32(one.cdgh, one_before.cdgh)};
        two = (lane){_mm_add_epi32(two.abef, two_before.abef), _mm_add_epi32(two.cdgh, two_before.cdgh)};
    }
    stored(first, one);
    stored(second, two);
}

/* What is left of a message, fewer than BLOCK bytes, with its end mark and its length; how many blocks that takes. */
static size_t padded(uint8_t end[2 * BLOCK], const uint8_t *left, size_t size, uint64_t length) {
    size_t blocks = size < BLOCK - 8 ? 1 : 2;
    memset(end, 0, 2 * BLOCK);
    if (size) memcpy(end, left, size);
    end[size] = 0x80;
    for (int byte = 0; byte < 8; byte++) end[blocks * BLOCK - 1 - byte] = (uint8_t)(length << 3 >> (8 * byte));
    return blocks;
}

static void told(uint8_t digest[32], const uint32_t state[8]) {
    for (int word = 0; word < 8; word++) {
        uint32_t value = __builtin_bswap32(state[word]);
        memcpy(digest + 4 * word, &value, 4);
    }
}

/* Whether this processor has the instructions. */
int citevault_sha256_usable(void) {
    unsigned a, b, c, d;
    has_wide_registers = __builtin_cpu_supports("avx") != 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/* The state before the first block. */
void citevault_sha256_begin(uint32_t state[8]) { memcpy(state, START, sizeof START); }

/* So many blocks from data[offset] on, of two digests at once. */
void citevault_sha256_both(uint32_t first[8], uint32_t second[8], const uint8_t *data, size_t offset, size_t blocks) {
    run(first, data + offset, second, data + offset, blocks);
}

/* The digest, 32 bytes, of `length` bytes of which all but the last `size`, fewer than BLOCK, are in the state. */
void citevault_sha256_end(const uint32_t state[8], const uint8_t *left, size_t size, uint64_t length, uint8_t *digest) {
    uint32_t last[8], unused[8];
    uint8_t end[2 * BLOCK];
    memcpy(last, state, sizeof last);
    memcpy(unused, START, sizeof START);
    size_t blocks = padded(end, left, size, length);
    run(last, end, unused, end, blocks);
    told(digest, last);
}

/* Two digests, 64 bytes: of data[0 .. size], and of head[0 .. head_size] with the data after it. */
void citevault_sha256_pair(const uint8_t *head, size_t head_size, const uint8_t *data, size_t size, uint8_t *digests) {
    uint32_t alone[8], after[8], unused[8];
    uint8_t joined[BLOCK], end[2 * BLOCK], other_end[2 * BLOCK];
    memcpy(alone, START, sizeof START);
    memcpy(after, START, sizeof START);
    memcpy(unused, START, sizeof START);
    size_t whole = head_size / BLOCK, over = head_size % BLOCK, skipped = 0;
    const uint8_t *over_at = head + whole * BLOCK;
    run(after, head, unused, head, whole);
    if (over && size >= BLOCK - over) { /* the block that holds the end of one and the beginning of the other */
        skipped = BLOCK - over;
        memcpy(joined, over_at, over);
        memcpy(joined + over, data, skipped);
        run(after, joined, unused, joined, 1);
        over = 0;
    }
    size_t of_both = over ? 0 : (size - skipped) / BLOCK, of_alone = size / BLOCK;
    run(alone, data, after, data + skipped, of_both);
    run(alone, data + of_both * BLOCK, unused, data + of_both * BLOCK, of_alone - of_both);
    size_t ends = padded(end, data + of_alone * BLOCK, size % BLOCK, size);
    size_t left = size - skipped - of_both * BLOCK;
    if (over) { /* all of the data lies in one block with the end of the head */
        memcpy(joined, over_at, over);
        if (left) memcpy(joined + over, data, left);
    } else if (left) {
        memcpy(joined, data + size - left, left);
    }
    size_t other_ends = padded(other_end, joined, over + left, (uint64_t)head_size + size);
    size_t most = ends < other_ends ? ends : other_ends;
    run(alone, end, after, other_end, most);
    run(alone, end + most * BLOCK, unused, end + most * BLOCK, ends - most);
    run(after, other_end + most * BLOCK, unused, other_end + most * BLOCK, other_ends - most);
    told(digests, alone);
    told(digests + 32, after);
}
#else
int citevault_sha256_usable(void) { return 0; }
void citevault_sha256_pair(const uint8_t *head, size_t head_size, const uint8_t *data, size_t size, uint8_t *digests) {
    (void)head, (void)head_size, (void)data, (void)size, (void)digests;
}
void citevault_sha256_begin(uint32_t state[8]) { (void)state; }
void citevault_sha256_both(uint32_t first[8], uint32_t second[8], const uint8_t *data, size_t offset, size_t blocks) {
    (void)first, (void)second, (void)data, (void)offset, (void)blocks;
}
void citevault_sha256_end(const uint32_t state[8], const uint8_t *left, size_t size, uint64_t length, uint8_t *digest) {
    (void)state, (void)left, (void)size, (void)length, (void)digest;
}
#endif
