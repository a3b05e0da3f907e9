// Native functions with the names of their arguments, which Python may call them by.
//
//     define(m, "depths", &depths, "parent", "depth");
//
// One name for each argument, or it does not compile. A std::optional argument may be None.
#pragma once
#include <optional>

#include "assay/array.hpp"

namespace assay {

template <class T> struct is_optional : std::false_type {};
template <class T> struct is_optional<std::optional<T>> : std::true_type {};

template <class Argument>
auto named(const char *name) {
    if constexpr (is_optional<std::decay_t<Argument>>::value) return nb::arg(name).none();
    else return nb::arg(name);
}

template <class Result, class... Arguments, class... Names>
void define(nb::module_ &m, const char *name, Result (*function)(Arguments...), Names... names) {
    static_assert(sizeof...(Arguments) == sizeof...(Names), "one name for each argument");
    m.def(name, function, named<Arguments>(names)...);
}

}  // namespace assay
