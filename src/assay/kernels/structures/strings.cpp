// Strings in pairs: edit distances, and shared subsequences with gaps.
//
// Edit distance: the columns of the table of distances between beginnings, 64 rows in the bits of one word: where it
// rises (P) and where it falls (M) from one row to the next (Myers 1999; Hyyro 2003 for longer strings). A distance
// ends early once even equal ends would leave it above `limit`.
//
// Subsequences of length n with decay l (Lodhi et al. 2002): K'_0 = 1, and for beginnings s x and t
//
//     K'_i(s x, t) = l K'_i(s, t) + sum_{j: t_j = x} K'_{i-1}(s, t[: j - 1]) l^{|t| - j + 2},
//     K_n(s, t)    = sum over pairs of equal characters of l^2 K'_{n-1} of what stands before them.
//
// Twins in Python: tests/kernels/structures/test_strings.py.
#include "assay/array.hpp"
#include "assay/edge.hpp"

#include <algorithm>
#include <vector>

using namespace assay;

namespace {

template <class T>
struct Strings {
    const T *codes;
    const int64_t *start;
    int64_t n;
    const T *begin(int64_t i) const { return codes + start[i]; }
    int64_t size(int64_t i) const { return start[i + 1] - start[i]; }
    int64_t longest() const {
        int64_t most = 0;
        for (int64_t i = 0; i < n; ++i) most = std::max(most, size(i));
        return most;
    }
};

template <class T>
Strings<T> strings_of(const In1<T> &codes, const In1<int64_t> &start, int64_t n, const char *what) {
    require(shares_out(start, n, length(codes)), what);
    return {codes.data(), start.data(), n};
}

struct Column {
    uint64_t up = ~uint64_t(0), down = 0;
};

// One step of 64 rows for one character; `in` and the result say how the row above and the last row change: -1, 0, 1.
inline int advance(Column &column, uint64_t equal, int in, int top) {
    const uint64_t vertical = equal | column.down;
    equal |= uint64_t(in < 0);
    const uint64_t across = (((equal & column.up) + column.up) ^ column.up) | equal;
    uint64_t rises = column.down | ~(across | column.up), falls = column.up & across;
    const int out = int(rises >> top & 1) - int(falls >> top & 1);
    rises = rises << 1 | uint64_t(in > 0);
    falls = falls << 1 | uint64_t(in < 0);
    column.up = falls | ~(vertical | rises);
    column.down = rises & vertical;
    return out;
}

// The distance of a string of `length` characters, whose places are in `equal` (`words` of bits for each letter), and a
// string t; USED words of them are used, 0 if that is known at run time only.
template <int USED>
int64_t distance_of(const uint64_t *equal, int64_t words, int64_t length, const int32_t *t, int64_t size, int64_t limit,
                    Column *room) {
    Column own[USED ? USED : 1];
    Column *columns = USED ? own : room;
    const int64_t used = USED ? USED : (length + 63) / 64;
    const int top = int((length - 1) % 64);
    if (!USED) std::fill(columns, columns + used, Column{});
    int64_t distance = length;
    for (int64_t s = 0; s < size; ++s) {
        const uint64_t *bits = equal + t[s] * words;
        int carry = 1;
        for (int64_t w = 0; w < used - 1; ++w) carry = advance(columns[w], bits[w], carry, 63);
        distance += advance(columns[used - 1], bits[used - 1], carry, top);
        if (limit >= 0 && distance - (size - s - 1) > limit) return limit + 1;
    }
    return distance;
}

void edit_distances(In1<int32_t> codes_a, In1<int64_t> start_a,  // in   strings of A, codes from 0 below `letters`
                    In1<int32_t> codes_b, In1<int64_t> start_b,  // in   strings of B
                    int64_t letters,
                    int64_t limit,         // a distance above it is given as limit + 1; below 0: none
                    InOut2<double> out) {  // out  (n, m)
    const auto result = view(out);
    const auto A = strings_of(codes_a, start_a, result.rows(), "edit_distances: strings of A");
    const auto B = strings_of(codes_b, start_b, result.cols(), "edit_distances: strings of B");
    require(within(codes_a, 0, letters) && within(codes_b, 0, letters), "edit_distances: codes");
    const int64_t words = A.longest() / 64 + 1;
    std::vector<uint64_t> equal(size_t(sized(letters, words, "edit_distances: codes")), 0);
    std::vector<Column> room(size_t(words), Column{});
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < A.n; ++i) {
        const int64_t length = A.size(i), used = (length + 63) / 64;
        const auto of = used == 1   ? distance_of<1>
                        : used == 2 ? distance_of<2>
                        : used == 3 ? distance_of<3>
                        : used == 4 ? distance_of<4>
                                    : distance_of<0>;
        for (int64_t s = 0; s < length; ++s) equal[A.begin(i)[s] * words + s / 64] |= uint64_t(1) << s % 64;
        for (int64_t j = 0; j < B.n; ++j) {
            const int64_t size = B.size(j);
            int64_t distance = size;
            if (limit >= 0 && std::abs(length - size) > limit) distance = limit + 1;
            else if (length) distance = of(equal.data(), words, length, B.begin(j), size, limit, room.data());
            result.row(i)[j] = double(limit >= 0 ? std::min(distance, limit + 1) : distance);
        }
        for (int64_t s = 0; s < length; ++s) equal[A.begin(i)[s] * words + s / 64] = 0;
    }
}

// The whole table of distances between beginnings of two strings, from which an alignment is read.
void edit_table(In1<uint64_t> a, In1<uint64_t> b,  // in   (n,), (m,)
                InOut2<int32_t> table) {           // out  (n + 1, m + 1)
    const auto T = view(table);
    require(T.rows() == length(a) + 1 && T.cols() == length(b) + 1, "edit_table: sizes");
    nb::gil_scoped_release unlocked;
    for (int64_t j = 0; j < T.cols(); ++j) T.row(0)[j] = int32_t(j);
    for (int64_t i = 1; i < T.rows(); ++i) {
        T.row(i)[0] = int32_t(i);
        for (int64_t j = 1; j < T.cols(); ++j)
            T.row(i)[j] = std::min({T.row(i - 1)[j] + 1, T.row(i)[j - 1] + 1,
                                    T.row(i - 1)[j - 1] + int32_t(a.data()[i - 1] != b.data()[j - 1])});
    }
}

// K_n(s, t); `now` and `before` have room for (|s| + 1)(|t| + 1) numbers each.
double shared_subsequences(const uint64_t *s, int64_t ns, const uint64_t *t, int64_t nt, int64_t n, double decay,
                           double *now, double *before) {
    if (std::min(ns, nt) < n) return 0;
    const int64_t width = nt + 1;
    std::fill(before, before + (ns + 1) * width, 1.0);
    for (int64_t i = 1; i < n; ++i) {
        std::fill(now, now + width, 0.0);
        for (int64_t a = 1; a <= ns; ++a) {
            double run = 0;
            now[a * width] = 0;
            for (int64_t b = 1; b <= nt; ++b) {
                run = decay * run + (s[a - 1] == t[b - 1] ? decay * decay * before[(a - 1) * width + b - 1] : 0.0);
                now[a * width + b] = decay * now[(a - 1) * width + b] + run;
            }
        }
        std::swap(now, before);
    }
    double sum = 0;
    for (int64_t a = 1; a <= ns; ++a)
        for (int64_t b = 1; b <= nt; ++b)
            if (s[a - 1] == t[b - 1]) sum += before[(a - 1) * width + b - 1];
    return decay * decay * sum;
}

void subsequences(In1<uint64_t> codes_a, In1<int64_t> start_a,  // in   strings of A
                  In1<uint64_t> codes_b, In1<int64_t> start_b,  // in   strings of B
                  int64_t n, double decay,
                  InOut2<double> out) {  // out  (rows of A, rows of B)
    const auto result = view(out);
    require(n > 0, "subsequences: length");
    const auto A = strings_of(codes_a, start_a, result.rows(), "subsequences: strings of A");
    const auto B = strings_of(codes_b, start_b, result.cols(), "subsequences: strings of B");
    const size_t room = size_t(sized(A.longest() + 1, B.longest() + 1, "subsequences: sizes"));
    std::vector<double> now(room), before(room);
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < A.n; ++i)
        for (int64_t j = 0; j < B.n; ++j)
            result.row(i)[j] =
                shared_subsequences(A.begin(i), A.size(i), B.begin(j), B.size(j), n, decay, now.data(), before.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "edit_distances", &edit_distances, "codes_a", "start_a", "codes_b", "start_b", "letters", "limit", "out");
    define(m, "edit_table", &edit_table, "a", "b", "table");
    define(m, "subsequences", &subsequences, "codes_a", "start_a", "codes_b", "start_b", "n", "decay", "out");
}
