// What native code found, and could not know the size of beforehand, as a NumPy array that owns it.
#pragma once
#include <utility>
#include <vector>

#include "assay/array.hpp"

namespace assay {

template <class T>
nb::object give(std::vector<T> &&from) {
    auto *kept = new std::vector<T>(std::move(from));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace assay
