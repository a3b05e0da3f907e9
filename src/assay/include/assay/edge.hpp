// The edge between Python and native code: functions whose arguments have names, records of arguments that belong
// together, arrays that may be missing, and arrays that are given back.
//
//     define(m, "depths", &depths, "parent", "depth");
//     record<Limits>(m, "Limits", field("max_depth", &Limits::max_depth), field("min_leaf", &Limits::min_leaf));
//
// A function has one name for each argument, or it does not compile; with more than six, Python calls it by keywords
// alone. A record is made by keywords, every field once: Limits(max_depth=3, min_leaf=1). A std::optional argument or
// field may be None. A record with a method check() calls it when it is made, so that functions which take the record
// need not look through its arrays again. An array that is written to is never a converted copy, in which the result
// would be lost.
#pragma once
#include <nanobind/stl/optional.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/array.hpp"

namespace assay {

constexpr size_t MOST_POSITIONAL = 6;

template <class T> struct is_optional : std::false_type {};
template <class T> struct is_optional<std::optional<T>> : std::true_type {};

// Whether native code may write to what Python gave: an array of numbers that are not const.
template <class T> struct is_written : std::false_type {};
template <class T, class... Shape> struct is_written<nb::ndarray<T, Shape...>>
    : std::bool_constant<!std::is_const_v<T>> {};

template <class Argument>
auto named(const char *name) {
    using Plain = std::decay_t<Argument>;
    if constexpr (is_optional<Plain>::value) return nb::arg(name).none();
    else if constexpr (is_written<Plain>::value) return nb::arg(name).noconvert();
    else return nb::arg(name);
}

template <class Result, class... Arguments, class... Names>
void define(nb::module_ &m, const char *name, Result (*function)(Arguments...), Names... names) {
    static_assert(sizeof...(Arguments) == sizeof...(Names), "one name for each argument");
    if constexpr (sizeof...(Names) > MOST_POSITIONAL) m.def(name, function, nb::kw_only(), named<Arguments>(names)...);
    else m.def(name, function, named<Arguments>(names)...);
}

// ------------------------------------------------------------------ records

template <class Record, class = void> struct is_checked : std::false_type {};
template <class Record>
struct is_checked<Record, std::void_t<decltype(std::declval<const Record &>().check())>> : std::true_type {};

template <class Record, class T>
struct Field {
    const char *name;
    T Record::*place;
};
template <class Record, class T> Field<Record, T> field(const char *name, T Record::*place) { return {name, place}; }

// What stubs call a type. nanobind writes "@as an argument@as a result@" where the two differ.
template <class T>
std::string type_text() {
    std::string text;
    int part = 0;
    for (const char *c = nb::detail::make_caster<T>::Name.text; *c; ++c)
        if (*c == '@') part = (part + 1) % 3;
        else if (part < 2) text += *c;
    return text;
}

template <class Record, class T>
void fill(Record &record, const nb::kwargs &given, const std::string &name, const Field<Record, T> &field) {
    if (!given.contains(field.name)) throw nb::type_error((name + ": " + field.name + " is missing").c_str());
    if (!nb::try_cast(given[field.name], record.*field.place, !is_written<T>::value))
        throw nb::type_error((name + ": " + field.name + " must be " + type_text<T>()).c_str());
}

template <class Record, class... T>
nb::class_<Record> record(nb::module_ &m, const char *name, Field<Record, T>... fields) {
    const auto make = [name = std::string(name), fields...](Record *self, const nb::kwargs &given) {
        Record made{};
        (fill(made, given, name, fields), ...);
        if (given.size() != sizeof...(fields)) throw nb::type_error((name + ": a field that it does not have").c_str());
        if constexpr (is_checked<Record>::value) made.check();
        new (self) Record(std::move(made));
    };
    const std::string signature =
        "def __init__(self, *" + ((", " + std::string(fields.name) + ": " + type_text<T>()) + ...) + ") -> None";
    nb::class_<Record> made(m, name);
    made.def("__init__", make, nb::sig(signature.c_str()));
    return made;
}

// ------------------------------------------------------------------ arrays that may be missing: empty, or None

template <class T, class... Shape> T *data_or_null(const nb::ndarray<T, Shape...> &a) {
    return a.size() ? a.data() : nullptr;
}
template <class A> auto data_or_null(const std::optional<A> &a) { return a ? a->data() : nullptr; }

// ------------------------------------------------------------------ results whose size was not known beforehand

// A NumPy array that owns what the vector held.
template <class T>
nb::object give(std::vector<T> &&from) {
    auto *kept = new std::vector<T>(std::move(from));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace assay
