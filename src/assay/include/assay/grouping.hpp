// The categories of a node, and ways to divide them in two.
//
// In the order of their mean response an optimal division is a cut, for two classes and for one number (Breiman and
// others, 1984). For more classes there is no such order: of few categories all divisions are tried; many are cut along
// the first principal component of their class shares (Coppersmith, Hong and Hosking, 1999), and each is tried against
// the rest.
#pragma once
#include "assay/splits.hpp"

namespace assay {

template <class Criterion>
class Groups {
    struct Group {
        uint32_t code;
        int64_t begin, end;  // among the sorted keys
        double at;  // place in the order of groups
    };
    std::vector<Group> list;
    std::vector<double> profile, weight, mean, axis, next;

  public:
    int64_t size() const { return int64_t(list.size()); }
    uint32_t code(int64_t g) const { return list[g].code; }
    int64_t begin(int64_t g) const { return list[g].begin; }
    int64_t end(int64_t g) const { return list[g].end; }

    void find(const uint64_t *keys, int64_t known) {
        list.clear();
        for (int64_t a = 0, b = 0; a < known; a = b) {
            for (b = a + 1; b < known && upper(keys[b]) == upper(keys[a]); ++b) {}
            list.push_back({upper(keys[a]), a, b, 0});
        }
    }

    // Sorts the groups by response; out gets their keys with the place of the group as rank, then the missing.
    void arrange(const Criterion &criterion, const uint64_t *keys, int64_t m, uint64_t *out) {
        const int width = criterion.width();
        profile.resize(size_t(size() * width)), weight.resize(list.size());
        for (int64_t g = 0; g < size(); ++g) {
            const uint64_t *from = keys + begin(g);
            weight[g] = criterion.profile([from](int64_t i) { return lower(from[i]); }, end(g) - begin(g),
                                          profile.data() + g * width);
        }
        if (width == 1 || (Criterion::counts_classes && width == 2))
            for (int64_t g = 0; g < size(); ++g) list[g].at = profile[g * width + width - 1];
        else project(width);
        std::sort(list.begin(), list.end(),
                  [](const Group &a, const Group &b) { return ascends(a.at, b.at, a.code, b.code); });
        int64_t i = 0;
        for (int64_t g = 0; g < size(); ++g)
            for (int64_t k = begin(g); k < end(g); ++k) out[i++] = uint64_t(g) << 32 | lower(keys[k]);
        for (; i < m; ++i) out[i] = uint64_t(size()) << 32 | lower(keys[i]);
    }

    // The set of the groups on the left; categories that are not in the node follow the missing.
    template <class Left>
    void write_set(Split &split, int32_t categories, Left is_left) const {
        split.set.assign(size_t(categories + 31) / 32, 0);
        if (split.missing_left) {
            for (int32_t c = 0; c < categories; ++c) put(split.set, uint32_t(c));
            for (const Group &g : list) split.set[g.code >> 5] &= ~(uint32_t(1) << (g.code & 31));
        }
        for (int64_t g = 0; g < size(); ++g)
            if (is_left(g)) put(split.set, code(g));
    }

  private:
    // Places on the first principal component of the profiles: power iteration, without forming the covariance.
    void project(int width) {
        double total = 0, longest = -1;
        mean.assign(width, 0.0), axis.assign(width, 0.0), next.resize(width);
        for (int64_t g = 0; g < size(); ++g) {
            total += weight[g];
            for (int k = 0; k < width; ++k) mean[k] += weight[g] * profile[g * width + k];
        }
        for (int64_t g = 0; g < size(); ++g) {  // begin with the group that stands out most
            double length = 0, *p = profile.data() + g * width;
            for (int k = 0; k < width; ++k) {
                p[k] -= mean[k] / total;
                length += weight[g] * p[k] * p[k];
            }
            if (length > longest * (1 + TIE)) longest = length, std::copy_n(p, width, axis.begin());
        }
        for (int round = 0; round < 50; ++round) {
            std::fill(next.begin(), next.end(), 0.0);
            for (int64_t g = 0; g < size(); ++g) {
                const double *p = profile.data() + g * width, along = place(p, width);
                for (int k = 0; k < width; ++k) next[k] += weight[g] * along * p[k];
            }
            double norm = 0, change = 0;
            for (double v : next) norm += v * v;
            if (norm <= 0) break;
            norm = std::sqrt(norm);
            for (int k = 0; k < width; ++k) {
                next[k] /= norm;
                change = std::max(change, std::abs(next[k] - axis[k]));
            }
            axis = next;
            if (change < 1e-9) break;
        }
        for (int64_t g = 0; g < size(); ++g) list[g].at = place(profile.data() + g * width, width);
    }
    double place(const double *p, int width) const {
        double sum = 0;
        for (int k = 0; k < width; ++k) sum += p[k] * axis[k];
        return sum;
    }
};

// Divisions of groups by their class weights alone, for criteria of three classes or more.
template <class Criterion>
class Divisions {
    using T = typename std::remove_reference<decltype(std::declval<Criterion &>().total[0])>::type;
    const Groups<Criterion> &groups;
    const int K;
    const int64_t missing;  // rows
    std::vector<T> table, weight, sum;  // (groups + 1, K): the last row is that of the missing

  public:
    struct Division {
        const T *left;  // class weights
        T weight;
        int64_t rows;
        bool missing_left;
    };

    Divisions(const Criterion &criterion, const Groups<Criterion> &given, const uint64_t *keys, int64_t known,
              int64_t m)
        : groups(given), K(criterion.width()), missing(m - known), table(size_t((given.size() + 1) * K)),
          weight(size_t(given.size() + 1)), sum(K) {
        const auto count = [&](int64_t g, int64_t from, int64_t to) {
            for (int64_t i = from; i < to; ++i) {
                const T w = criterion.rows.w(lower(keys[i]));
                table[g * K + criterion.rows.k(lower(keys[i]))] += w, weight[g] += w;
            }
        };
        for (int64_t g = 0; g < groups.size(); ++g) count(g, groups.begin(g), groups.end(g));
        count(groups.size(), known, m);
    }
    // Every division once: the first group is on the left.
    template <class Look>
    void all(Look look) {
        const uint32_t every = (uint32_t(1) << groups.size()) - 1;
        for (int missing_left = 0; missing_left <= int(missing > 0); ++missing_left)
            for (uint32_t mask = 1; mask <= every; mask += 2) {
                if (mask == every && (missing_left || !missing)) continue;
                Division division = begin(missing_left);
                for (int64_t g = 0; g < groups.size(); ++g)
                    if (mask >> g & 1) move(g, division);
                look(division, [mask](int64_t g) { return mask >> g & 1; });
            }
    }
    // Each group against the rest.
    template <class Look>
    void each(Look look) {
        for (int64_t one = 0; one < groups.size(); ++one)
            for (int missing_left = 0; missing_left <= int(missing > 0); ++missing_left) {
                Division division = begin(missing_left);
                move(one, division);
                look(division, [one](int64_t g) { return g == one; });
            }
    }

  private:
    Division begin(bool missing_left) {
        std::fill(sum.begin(), sum.end(), T(0));
        Division division{sum.data(), 0, 0, missing_left};
        if (missing_left) move(groups.size(), division);
        return division;
    }
    void move(int64_t g, Division &division) {
        for (int k = 0; k < K; ++k) sum[k] += table[g * K + k];
        division.weight += weight[g];
        division.rows += g < groups.size() ? groups.end(g) - groups.begin(g) : missing;
    }
};

}  // namespace assay
