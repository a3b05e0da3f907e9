// Delimited text: where its cells are, and what numbers or text they hold.
//
//     scan       finds the cells of complete records, by the rules of delimited.py's tokenize
//     numbers    one column as whole numbers or as decimal ones, exactly rounded; short cells sixteen bytes at a time
//     text       one column as the offsets and bytes of an Arrow string array
//
// Whatever is not plain (a ragged or malformed record, a number in an odd form) is left to the caller: the functions
// say where they stopped. Bytes are looked at 64 at a time: only those that divide something are visited one by one.
//
// A cell is two numbers, where its text begins and ends; the highest bit of the first says that it was in quotes, that
// of the second that quotes inside it are doubled or escaped.
//
// Decimal to binary: D. Lemire (2021), Number parsing at a gigabyte per second, Software: Practice and Experience
// 51(8); that the two products always decide: N. Mushtak, D. Lemire (2023), Fast number parsing without fallback, same
// 53(7).
//
// Twins in Python: tokenize in delimited.py, kinds.infer, and those of tests/tables/readers/test_cells.py.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr uint32_t FLAG = uint32_t(1) << 31;
constexpr int64_t NONE = -1;                            // a mark that the dialect lacks
enum Stop { COMPLETE = 0, ODD = 1, FULL = 2 };          // why a scan ended
enum Kind { EMPTY = 0, WHOLE = 1, NUMBER = 2, OTHER = 3 };
constexpr int64_t LEAST_POWER = -128, POWERS = 256;     // of ten, in the caller's table

// ------------------------------------------------------------------ bytes, 64 at a time

#if defined(__SSE2__)
inline uint64_t equal_to_any(const uint8_t *p, const uint8_t (&marks)[5]) {
    uint64_t bits = 0;
    for (int part = 0; part < 4; ++part) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p + 16 * part));
        __m128i hit = _mm_cmpeq_epi8(x, _mm_set1_epi8(char(marks[0])));
        for (int m = 1; m < 5; ++m) hit = _mm_or_si128(hit, _mm_cmpeq_epi8(x, _mm_set1_epi8(char(marks[m]))));
        bits |= uint64_t(uint32_t(_mm_movemask_epi8(hit))) << (16 * part);
    }
    return bits;
}
#else
inline uint64_t equal_to_any(const uint8_t *p, const uint8_t (&marks)[5]) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) {
        bool hit = false;
        for (const uint8_t mark : marks) hit |= p[i] == mark;
        bits |= uint64_t(hit) << i;
    }
    return bits;
}
#endif

// ------------------------------------------------------------------ cells

struct Dialect {
    int64_t delimiter, quote, escape, comment;  // a byte each, or NONE
    bool has(int64_t mark) const { return mark != NONE; }
    bool is_blank(uint8_t c) const { return (c == ' ' || c == '\t') && c != delimiter; }
};

inline bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// One record while it is being read; its cells are written beyond those of the records before it.
struct Record {
    uint32_t *cells;
    int64_t width, count = 0;
    bool first_quoted = false;

    void add(int64_t begin, int64_t end, bool quoted, bool special) {
        if (count == 0) first_quoted = quoted;
        if (count < width) {
            cells[2 * count] = uint32_t(begin) | (quoted ? FLAG : 0);
            cells[2 * count + 1] = uint32_t(end) | (special ? FLAG : 0);
        }
        ++count;
    }
};

// Whether a record is a comment or, where blank lines are no rows, a blank line.
inline bool is_skipped(const Record &record, const uint8_t *data, int64_t begin, int64_t first_end, const Dialect &d) {
    if (record.first_quoted) return false;
    if (d.has(d.comment)) {
        int64_t i = begin;
        while (i < first_end && is_space(data[i])) ++i;
        if (i < first_end && data[i] == d.comment) return true;
    }
    if (record.width == 1 || record.count > 1) return false;
    for (int64_t i = begin; i < first_end; ++i)
        if (!is_space(data[i])) return false;
    return true;
}

struct Scan {
    int64_t stop, end, rows, lines;
};

HOT Scan find_cells(const uint8_t *data, int64_t start, int64_t n, Dialect d, bool final, int64_t width,
                    uint32_t *cells, int64_t most_rows) {
    const uint8_t spare = uint8_t(d.delimiter);
    const uint8_t marks[5] = {spare, '\n', '\r', d.has(d.quote) ? uint8_t(d.quote) : spare,
                              d.has(d.escape) ? uint8_t(d.escape) : spare};
    Scan done = {COMPLETE, start, 0, 0};
    Record record = {cells, width};
    int64_t cell = start;                    // where the present cell begins
    int64_t first_end = start;               // where the first cell of the record ends
    int64_t resume = start;                  // bytes before it have been dealt with
    int64_t lines = 0, open = 0, close = 0;
    bool inside = false, closed = false, special = false;
    // Ends the present cell at position p, and the record there if it is a line's end; what follows begins at `next`.
    const auto end_cell = [&](int64_t p) {
        if (record.count == 0) first_end = p;
        if (closed) record.add(open, close, true, special);
        else record.add(cell, p, false, false);
        closed = special = false;
    };
    const auto end_record = [&](int64_t p, int64_t next) {
        end_cell(p);
        if (!is_skipped(record, data, done.end, first_end, d)) {
            if (record.count != width) return false;
            ++done.rows;
            record.cells += 2 * width;
        }
        record.count = 0;
        done.end = cell = resume = next;
        done.lines = lines;
        return true;
    };
    uint8_t tail[64];
    for (int64_t base = start; base < n; base += 64) {
        const uint8_t *p64 = data + base;
        uint64_t bits;
        if (n - base < 64) {
            std::memset(tail, 0, 64);
            std::memcpy(tail, p64, size_t(n - base));
            bits = equal_to_any(tail, marks) & ((uint64_t(1) << (n - base)) - 1);
        } else bits = equal_to_any(p64, marks);
        for (; bits; bits &= bits - 1) {
            const int64_t p = base + __builtin_ctzll(bits);
            if (p < resume) continue;
            const uint8_t c = data[p];
            if (inside) {
                if (c == '\n' || (c == '\r' && !(p + 1 < n && data[p + 1] == '\n'))) ++lines;
                else if (c == d.escape && c != d.quote) special = true, resume = p + 2;
                else if (c == d.quote) {
                    if (p + 1 < n && data[p + 1] == c) {
                        special = true, resume = p + 2;
                        continue;
                    }
                    int64_t s = p + 1;
                    while (s < n && d.is_blank(data[s])) ++s;
                    if (s == n && !final) return done;
                    if (s < n && data[s] != d.delimiter && data[s] != '\n' && data[s] != '\r') {
                        done.stop = ODD;                        // text after the closing quote
                        return done;
                    }
                    inside = false, closed = true, close = p, resume = s;
                }
                continue;
            }
            if (c == d.delimiter) {
                end_cell(p);
                cell = p + 1;
            } else if (c == '\n' || c == '\r') {
                if (c == '\r' && p + 1 == n && !final) return done;  // its LF may come
                const int64_t next = p + 1 + (c == '\r' && p + 1 < n && data[p + 1] == '\n');
                ++lines;
                if (!end_record(p, next)) {
                    done.stop = ODD;
                    return done;
                }
                if (done.rows == most_rows) {
                    done.stop = FULL;
                    return done;
                }
            } else if (c == d.quote && !closed) {
                int64_t s = cell;
                while (s < p && d.is_blank(data[s])) ++s;
                if (s < p) continue;                            // in the middle of a cell: a plain character
                inside = true, open = p + 1;
            }
        }
    }
    if (!final || done.end >= n) return done;
    if (inside || !end_record(n, n)) done.stop = ODD;
    return done;
}

// ------------------------------------------------------------------ what a cell holds

// How cells are read: which texts are missing values, whether blanks around them count, how decimals are written.
struct Reading {
    In1<uint8_t> marks;          // in  the texts of missing values, one after the other
    In1<int64_t> starts;         // in  (m + 1,) where each begins
    bool trim;                   //     blanks around a cell are no part of it
    bool quoted_missing;         //     a mark in quotes is a missing value too
    int64_t point;               //     the decimal mark
    int64_t quote, escape;       //     or -1
    In1<uint64_t> powers;        // in  (512,) ten to the power -128 ... 127: 128 bits each, the upper half first

    void check() const {
        require(length(starts) >= 1 && shares_out(starts, length(starts) - 1, length(marks)),
                "Reading: starts must divide the marks");
        require(length(powers) == 2 * POWERS, "Reading: there are 256 powers of 128 bits");
        for (const int64_t mark : {point, quote, escape})
            require(mark >= NONE && mark < 256, "Reading: a mark is a byte, or -1");
    }
};

// What a pass over a column knows of the reading: the first bytes of marks, so that most cells are told at once.
struct Missing {
    const Reading &r;
    bool begins[256] = {};
    int64_t longest = 0;

    explicit Missing(const Reading &reading) : r(reading) {
        for (int64_t m = 0; m + 1 < length(r.starts); ++m) {
            const int64_t a = r.starts.data()[m], size = r.starts.data()[m + 1] - a;
            longest = std::max(longest, size);
            if (size) begins[r.marks.data()[a]] = true;
        }
    }
    bool operator()(const uint8_t *text, int64_t size, bool quoted) const {
        if (size == 0) return true;
        if (!begins[text[0]] || size > longest || (quoted && !r.quoted_missing && !r.trim)) return false;
        for (int64_t m = 0; m + 1 < length(r.starts); ++m) {
            const int64_t a = r.starts.data()[m];
            if (size == r.starts.data()[m + 1] - a && !std::memcmp(text, r.marks.data() + a, size_t(size))) return true;
        }
        return false;
    }
};

struct Span {
    const uint8_t *begin, *end;
    int64_t size() const { return end - begin; }
};

inline Span without_blanks(Span s) {
    while (s.begin < s.end && (*s.begin == ' ' || *s.begin == '\t')) ++s.begin;
    while (s.begin < s.end && (s.end[-1] == ' ' || s.end[-1] == '\t')) --s.end;
    return s;
}

// ------------------------------------------------------------------ numbers

inline bool is_digit(uint8_t c) { return uint8_t(c - '0') < 10; }

inline uint64_t eight_bytes(const uint8_t *p) {
    uint64_t x = 0;
    for (int i = 0; i < 8; ++i) x |= uint64_t(p[i]) << (8 * i);
    return x;
}
inline bool are_digits(uint64_t x) {
    return ((x & (x + 0x0606060606060606)) & 0xF0F0F0F0F0F0F0F0) == 0x3030303030303030 &&
           (x & 0xF0F0F0F0F0F0F0F0) == 0x3030303030303030;
}
inline uint64_t eight_digits(uint64_t x) {  // pairs, then fours, then all
    x = (x & 0x0F0F0F0F0F0F0F0F) * 2561 >> 8;
    x = (x & 0x00FF00FF00FF00FF) * 6553601 >> 16;
    return (x & 0x0000FFFF0000FFFF) * 42949672960001 >> 32;
}

// Digits from p on, appended to `value`, which holds 19 of them exactly; taken eight at a time, leading zeros may
// count.
struct Digits {
    uint64_t value = 0;
    int64_t count = 0, dropped = 0;  // of digits in the value; of those beyond

    const uint8_t *read(const uint8_t *p, const uint8_t *end, bool one_by_one = false) {
        while (!one_by_one && end - p >= 8 && count <= 11) {
            const uint64_t x = eight_bytes(p);
            if (!are_digits(x)) break;
            value = value * 100000000 + eight_digits(x);
            count += value ? 8 : 0;
            p += 8;
        }
        for (; p < end && is_digit(*p); ++p) {
            const uint64_t digit = *p - '0';
            if (count < 19) value = 10 * value + digit, count += value != 0;
            else ++dropped;
        }
        return p;
    }
};

// w * 10^q, rounded to the nearest double, ties to even; w > 0, and q within the table.
inline double scaled(uint64_t w, int64_t q, const uint64_t *powers) {
    const uint64_t *power = powers + 2 * (q - LEAST_POWER);
    const int zeros = __builtin_clzll(w);
    w <<= zeros;
    uint64_t high = high_product(w, power[0]), low = w * power[0];
    if ((high & 0x1FF) == 0x1FF) {  // the upper half alone may not decide
        const uint64_t more = high_product(w, power[1]);
        low += more;
        high += more > low;
    }
    const int upper = int(high >> 63);
    uint64_t mantissa = high >> (upper + 9);
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (upper + 9) == high)
        mantissa &= ~uint64_t(1);   // exactly between two doubles: the even one
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    int64_t exponent = (217706 * q >> 16) + 63 + upper - zeros + 1023;
    if (mantissa >> 53) mantissa >>= 1, ++exponent;
    const uint64_t bits = (mantissa & ((uint64_t(1) << 52) - 1)) | uint64_t(exponent) << 52;
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
}

// A whole number of 64 bits: a minus, perhaps, and digits.
bool read_long_whole(Span s, int64_t *out, bool one_by_one = false) {
    const bool minus = s.begin < s.end && *s.begin == '-';
    const uint8_t *p = s.begin + minus;
    Digits digits;
    if (p == s.end || digits.read(p, s.end, one_by_one) != s.end) return false;
    if (digits.dropped && !one_by_one) return read_long_whole(s, out, true);  // without leading zeros
    if (digits.dropped || digits.value > uint64_t(INT64_MAX) + minus) return false;  // one more below 0
    if (out) *out = int64_t(minus ? -digits.value : digits.value);
    return true;
}

// A decimal number: a sign, digits with a point among them, an exponent. Without `out` it is only looked at.
bool read_any_number(Span s, uint8_t point, const uint64_t *powers, double *out, bool one_by_one = false) {
    const uint8_t *p = s.begin;
    bool minus = false;
    if (p < s.end && (*p == '-' || *p == '+')) minus = *p++ == '-';
    Digits digits;
    const uint8_t *first = p;
    p = digits.read(p, s.end, one_by_one);
    int64_t seen = p - first, q = digits.dropped;
    if (p < s.end && *p == point) {
        const uint8_t *fraction = ++p;
        p = digits.read(p, s.end, one_by_one);
        seen += p - fraction;
        q = digits.dropped - (p - fraction);
    }
    if (!seen) return false;
    if (p < s.end && (*p == 'e' || *p == 'E')) {
        bool negative = false;
        if (++p < s.end && (*p == '-' || *p == '+')) negative = *p++ == '-';
        if (p == s.end || s.end - p > 4) return false;
        int64_t e = 0;
        for (; p < s.end && is_digit(*p); ++p) e = 10 * e + (*p - '0');
        q += negative ? -e : e;
    }
    if (p != s.end) return false;
    double value = 0;
    if (digits.value) {
        if (digits.dropped && !one_by_one)
            return read_any_number(s, point, powers, out, true);  // without leading zeros
        if (q < LEAST_POWER || q >= LEAST_POWER + POWERS) return false;
        if (out || digits.dropped) value = scaled(digits.value, q, powers);
        if (digits.dropped && value != scaled(digits.value + 1, q, powers)) return false;
    }
    if (out) *out = minus ? -value : value;
    return true;
}

// ------------------------------------------------------------------ numbers, sixteen bytes at a time

// A number without an exponent and of at most twenty bytes: digits / 10^fraction, or minus that.
struct Plain {
    uint64_t digits = 0;
    int64_t fraction = 0;
    bool minus = false, pointed = false;
};

#if defined(__x86_64__)
constexpr uint8_t STEP[32] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                              255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

INLINE __m128i sixteen(const uint8_t *p) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)); }

// Digits that end at `end`, sixteen or as many as there are, with a point among them or none; which of them is the
// point makes no branch. False if that is not what they are.
INLINE bool read_sixteen(const uint8_t *begin, const uint8_t *end, uint8_t point, Plain &number) {
    const int64_t n = std::min<int64_t>(end - begin, 16);
    const __m128i text = sixteen(end - 16), zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);
    const __m128i inside = sixteen(STEP + n);                       // 255 in the last n bytes
    __m128i x = _mm_and_si128(_mm_sub_epi8(text, zero), inside);
    const __m128i is_point = _mm_cmpeq_epi8(text, _mm_set1_epi8(char(point)));
    const uint32_t points = uint32_t(_mm_movemask_epi8(_mm_and_si128(is_point, inside)));
    if (points) {                                                   // what stands before it moves up
        const int64_t at = __builtin_ctz(points);
        const __m128i behind = sixteen(STEP + 15 - at);
        x = _mm_or_si128(_mm_and_si128(behind, x), _mm_andnot_si128(behind, _mm_slli_si128(x, 1)));
        number.fraction = 15 - at;
    }
    number.pointed = points;
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(x, nine), nine)) != 0xFFFF || n == (points ? 1 : 0)) return false;
    const __m128i tens = _mm_mullo_epi16(_mm_and_si128(x, _mm_set1_epi16(0xFF)), _mm_set1_epi16(10));
    x = _mm_madd_epi16(_mm_add_epi16(tens, _mm_srli_epi16(x, 8)), _mm_set1_epi32(1 << 16 | 100));    // pairs, fours
    x = _mm_madd_epi16(_mm_packs_epi32(x, x), _mm_set1_epi32(1 << 16 | 10000));                      // eights
    const uint64_t halves = uint64_t(_mm_cvtsi128_si64(x));
    number.digits = (halves & 0xFFFFFFFF) * 100000000 + (halves >> 32);
    return true;
}

// The cell as such a number; false if it is none, or lies too near to the beginning of the data to be looked at so.
INLINE bool read_plain(Span s, const uint8_t *data, uint8_t point, Plain &number) {
    if (s.end - data < 16 || s.size() < 1 || s.size() > 20) return false;
    number.minus = *s.begin == '-';
    const uint8_t *begin = s.begin + (number.minus | (*s.begin == '+'));    // nor does the sign make a branch
    if (!read_sixteen(begin, s.end, point, number)) return false;
    const uint8_t *tail = s.end - 16;
    if (begin >= tail) return true;
    uint64_t head = 0;
    const uint64_t unit = number.pointed ? 1000000000000000 : 10000000000000000;
    for (const uint8_t *p = begin; p < tail; ++p) {
        if (is_digit(*p)) head = 10 * head + uint64_t(*p - '0');
        else if (*p == point && !number.pointed) number.pointed = true, number.fraction = s.end - p - 1;
        else return false;
    }
    number.digits += head * unit;
    return head < 1844;                                             // of 64 bits
}
#else
INLINE bool read_plain(Span, const uint8_t *, uint8_t, Plain &) { return false; }
#endif

INLINE bool read_whole(Span s, const uint8_t *data, int64_t *out) {
    Plain number;
    if (s.size() > 16 || !read_plain(s, data, '.', number)) return read_long_whole(s, out);
    if (number.pointed || *s.begin == '+') return false;
    if (out) *out = int64_t(number.minus ? -number.digits : number.digits);
    return true;
}

INLINE bool read_number(Span s, const uint8_t *data, uint8_t point, const uint64_t *powers, double *out) {
    constexpr double TENS[16] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    Plain number;
    if (!read_plain(s, data, point, number)) return read_any_number(s, point, powers, out);
    if (!out) return true;
    double value = 0;
    // Up to 15 digits and powers of ten up to the 22nd are doubles, and a quotient of doubles is rounded exactly.
    if (s.size() <= 16) value = double(int64_t(number.digits)) / TENS[number.fraction];
    else if (number.digits) value = scaled(number.digits, -number.fraction, powers);
    *out = number.minus ? -value : value;
    return true;
}

// The cell without blanks around it and without marks between groups of three digits: 1,234,567.5 or 1 234 or 1'234.
// False if that is not what it is; `room` must hold 64 bytes.
inline bool ungroup(Span &s, uint8_t point, uint8_t *room) {
    while (s.begin < s.end && is_space(*s.begin)) ++s.begin;
    while (s.begin < s.end && is_space(s.end[-1])) --s.end;
    if (s.begin == s.end || s.size() > 64) return false;
    const uint8_t *p = s.begin;
    uint8_t *out = room;
    if (*p == '+' || *p == '-') *out++ = *p++;
    const uint8_t *lead = p;
    while (p < s.end && is_digit(*p) && p - lead < 4) *out++ = *p++;
    const bool plain = p == s.end || p - lead < 1 || p - lead > 3 || *lead == '0' || *p == point;
    if (plain) return true;                              // blanks were all that was odd, if anything
    const uint8_t group = *p;
    if (group != (point == '.' ? ',' : '.') && group != ' ' && group != '\'') return true;
    while (p < s.end && *p == group) {
        if (s.end - p < 4 || !is_digit(p[1]) || !is_digit(p[2]) || !is_digit(p[3])) return false;
        for (int i = 1; i < 4; ++i) *out++ = p[i];
        p += 4;
    }
    if (p < s.end) {
        if (*p != point || ++p == s.end) return false;
        *out++ = point;
        for (; p < s.end; ++p) {
            if (!is_digit(*p)) return false;
            *out++ = *p;
        }
    }
    s = {room, out};
    return true;
}

struct Column {
    const uint8_t *data, *end;
    const uint32_t *cells;      // of its first row
    int64_t rows, width;
    bool trim;

    // Cells come with the call: those that do not lie in the data are empty, and say so.
    Span span(int64_t i, bool &wild) const {
        const uint32_t *cell = cells + 2 * i * width;
        const uint32_t from = cell[0] & ~FLAG, to = cell[1] & ~FLAG;
        if (from > to || to > uint32_t(end - data)) {
            wild = true;
            return {data, data};
        }
        const Span s = {data + from, data + to};
        return trim ? without_blanks(s) : s;
    }
    bool quoted(int64_t i) const { return cells[2 * i * width] & FLAG; }
    bool special(int64_t i) const { return cells[2 * i * width + 1] & FLAG; }
};

inline void drop(uint8_t *valid, int64_t i) { valid[i >> 3] &= uint8_t(~(1 << (i & 7))); }

struct Outcome {
    int64_t row = 0, nulls = 0;     // where it ended; missing cells so far
    bool wild = false;
};

// Cells as numbers of one type, until one is none. Without `out` they are only looked at.
template <class T, class Read>
INLINE Outcome read_column(const Column &c, const Missing &missing, uint8_t point, T *out, uint8_t *valid, Read read) {
    Outcome done;
    int64_t i = 0;
    for (; i < c.rows; ++i) {
        Span s = c.span(i, done.wild);
        T value = 0, *place = out ? &value : nullptr;
        if (s.size() == 0 || (missing.begins[*s.begin] && missing(s.begin, s.size(), c.quoted(i)))) {
            ++done.nulls;
            if (out) drop(valid, i);
        } else if (!read(s, c.data, place)) {
            uint8_t room[64];
            if (c.special(i) || !ungroup(s, point, room) || !read(s, s.end, place)) break;
        }
        if (out) out[i] = value;
    }
    done.row = i;
    return done;
}

HOT Outcome wholes(const Column &c, const Missing &missing, uint8_t point, int64_t *out, uint8_t *valid) {
    return read_column<int64_t>(c, missing, point, out, valid, [](Span s, const uint8_t *data, int64_t *value) INLINED {
        return read_whole(s, data, value);
    });
}
HOT Outcome decimals(const Column &c, const Missing &missing, uint8_t point, const uint64_t *powers, double *out,
                     uint8_t *valid) {
    return read_column<double>(c, missing, point, out, valid, [=](Span s, const uint8_t *data, double *value) INLINED {
        return read_number(s, data, point, powers, value);
    });
}

// ------------------------------------------------------------------ text

// Text of a quoted cell with its doubled and escaped quotes as single ones; how many bytes were written.
inline int64_t unquoted(Span s, int64_t quote, int64_t escape, uint8_t *out) {
    uint8_t *o = out;
    for (const uint8_t *p = s.begin; p < s.end; ++p) {
        if ((*p == quote || *p == escape) && p + 1 < s.end) ++p;    // the first of two
        *o++ = *p;
    }
    return o - out;
}

HOT int64_t text_size(const Column &c, bool &wild) {
    int64_t size = 0;
    for (int64_t i = 0; i < c.rows; ++i) size += c.span(i, wild).size();
    return size;
}

HOT Outcome texts(const Column &c, const Missing &missing, int64_t quote, int64_t escape, int32_t *offsets,
                  uint8_t *out, int64_t room, uint8_t *valid) {
    Outcome done;
    int64_t size = 0;
    for (int64_t i = 0; i < c.rows; ++i) {
        offsets[i] = int32_t(size);
        Span s = c.span(i, done.wild);
        if (c.special(i)) {
            uint8_t *to = out + size;
            s = {to, to + unquoted(s, quote, escape, to)};
            if (c.trim) {
                const Span t = without_blanks(s);
                std::memmove(to, t.begin, size_t(t.size()));
                s = {to, to + t.size()};
            }
        }
        const int64_t n = s.size();
        if (missing(s.begin, n, c.quoted(i))) {
            ++done.nulls;
            drop(valid, i);
            continue;
        }
        if (!c.special(i)) {
            if (n <= 16 && size + 16 <= room && c.end - s.begin >= 16) std::memcpy(out + size, s.begin, 16);
            else std::memcpy(out + size, s.begin, size_t(n));
        }
        size += n;
    }
    offsets[c.rows] = int32_t(size);
    return done;
}

// ------------------------------------------------------------------ the edge

// An array that is given to Python, its entries not yet written.
template <class T> struct Fresh {
    T *data;
    int64_t n;
    nb::object array;

    explicit Fresh(int64_t n) : data(new T[size_t(n)]), n(n) {
        nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
        array = nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size_t(n)}, owner));
    }
};

// Which cells are there, as bits; all, to begin with.
inline Fresh<uint8_t> all_valid(int64_t rows) {
    Fresh<uint8_t> valid((rows + 7) / 8);
    std::memset(valid.data, 0xFF, size_t(valid.n));
    return valid;
}

// Cells of the records that are complete, from position `start` on; blank lines and comments are no records.
void scan(In1<uint8_t> data,                // in   (n,)
          int64_t start, int64_t delimiter, int64_t quote, int64_t escape, int64_t comment, bool final, int64_t width,
          InOut1<uint32_t> cells,           // out  (2 width rows,) for as many rows as it holds
          InOut1<int64_t> result) {         // out  (4,) why it ended, where, rows, line ends before that
    const int64_t n = length(data);
    require(n < int64_t(FLAG) && start >= 0 && start <= n, "scan: start must lie in the data");
    require(width > 0 && length(cells) / 2 >= width, "scan: cells must hold a row");
    require(length(result) == 4, "scan: result has four entries");
    require(delimiter >= 0 && delimiter < 256 && delimiter != '\n' && delimiter != '\r', "scan: delimiter");
    for (const int64_t mark : {quote, escape, comment})
        require(mark >= NONE && mark < 256, "scan: a mark is a byte, or -1");
    nb::gil_scoped_release unlocked;
    const Scan done = find_cells(data.data(), start, n, {delimiter, quote, escape, comment}, final, width, cells.data(),
                                 length(cells) / 2 / width);
    result.data()[0] = done.stop;
    result.data()[1] = done.end;
    result.data()[2] = done.rows;
    result.data()[3] = done.lines;
}

inline Column column_of(const In1<uint8_t> &data, const In1<uint32_t> &cells, int64_t width, int64_t j, int64_t rows,
                        const Reading &reading) {
    require(length(data) < int64_t(FLAG), "cells: too many bytes");
    require(width > 0 && j >= 0 && j < width && rows >= 0 && rows <= length(cells) / 2 / width,
            "cells: there is no such column");
    return {data.data(), data.data() + length(data), cells.data() + 2 * j, rows, width, reading.trim};
}

// One column as numbers: (kind, row, missing cells, values, which are there). Whole numbers are tried first unless
// `kind` says NUMBER. If the cell in some row is not a number, the kind is OTHER; if all cells are missing, EMPTY.
std::tuple<int64_t, int64_t, int64_t, nb::object, nb::object> numbers(In1<uint8_t> data,            // in  (n,)
                                                                      In1<uint32_t> cells,  // in  as scan makes them
                                                                      int64_t width, int64_t j, int64_t rows,
                                                                      const Reading &reading, int64_t kind,
                                                                      bool store) {
    const Column c = column_of(data, cells, width, j, rows, reading);
    const uint8_t point = uint8_t(reading.point);
    Fresh<int64_t> values(store ? rows : 0);
    Fresh<uint8_t> valid = all_valid(store ? rows : 0);
    int64_t *whole = store ? values.data : nullptr;
    // A double has the size of a whole number: the same memory serves both.
    double *decimal = reinterpret_cast<double *>(whole);
    Outcome done;
    {
        nb::gil_scoped_release unlocked;
        const Missing missing(reading);
        if (kind != NUMBER) done = wholes(c, missing, point, whole, valid.data), kind = WHOLE;
        if (kind == NUMBER || done.row < rows) {
            std::memset(valid.data, 0xFF, size_t(valid.n));
            done = decimals(c, missing, point, reading.powers.data(), decimal, valid.data);
            kind = NUMBER;
        }
    }
    require(!done.wild, "numbers: cells must lie in the data");
    if (done.nulls == rows) kind = EMPTY;
    if (done.row < rows) kind = OTHER;
    return {kind, done.row, done.nulls, values.array, valid.array};
}

// One column as text: (missing cells, which are there, offsets, bytes).
std::tuple<int64_t, nb::object, nb::object, nb::object> text(In1<uint8_t> data,  // in  (n,)
                                                             In1<uint32_t> cells,  // in  as scan makes them
                                                             int64_t width, int64_t j, int64_t rows,
                                                             const Reading &reading) {
    const Column c = column_of(data, cells, width, j, rows, reading);
    bool wild = false;
    const int64_t size = text_size(c, wild);
    require(!wild && size < int64_t(FLAG), "text: cells must lie in the data");
    Fresh<int32_t> offsets(rows + 1);
    Fresh<uint8_t> bytes(size), valid = all_valid(rows);
    Outcome done;
    {
        nb::gil_scoped_release unlocked;
        const Missing missing(reading);
        done = texts(c, missing, reading.quote, reading.escape, offsets.data, bytes.data, size, valid.data);
    }
    return {done.nulls, valid.array, offsets.array, bytes.array};
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Reading>(m, "Reading", field("marks", &Reading::marks), field("starts", &Reading::starts),
                    field("trim", &Reading::trim), field("quoted_missing", &Reading::quoted_missing),
                    field("point", &Reading::point), field("quote", &Reading::quote), field("escape", &Reading::escape),
                    field("powers", &Reading::powers));
    define(m, "scan", &scan, "data", "start", "delimiter", "quote", "escape", "comment", "final", "width", "cells",
           "result");
    define(m, "numbers", &numbers, "data", "cells", "width", "j", "rows", "reading", "kind", "store");
    define(m, "text", &text, "data", "cells", "width", "j", "rows", "reading");
}
