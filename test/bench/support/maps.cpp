// Maps of C++'s library, and binary search, as one writes them; a small addon like peers.c, whose wrapper checks nothing.
//
// Each is built by a call with the keys, whose places are the values, and asked by a call with keys and room for results.
#include <node_api.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

struct Arrays {
  void *data[4];
  size_t length[4];
};

template <class Map> Map built;

template <class Map, class Key> void build(const Arrays &a) {
  const Key *keys = static_cast<const Key *>(a.data[0]);
  built<Map>.clear();
  for (size_t i = 0; i < a.length[0]; i++)
    built<Map>[keys[i]] = static_cast<int32_t>(i);
}

template <class Map, class Key> void find(const Arrays &a) {
  const Key *keys = static_cast<const Key *>(a.data[0]);
  int32_t *out = static_cast<int32_t *>(a.data[1]);
  const Map &map = built<Map>;
  for (size_t i = 0; i < a.length[0]; i++) {
    auto found = map.find(keys[i]);
    out[i] = found == map.end() ? -1 : found->second;
  }
}

// Texts: offsets, and bytes.
using Texts = std::unordered_map<std::string, int32_t>;

std::string_view text(const Arrays &a, size_t i) {
  const int32_t *offsets = static_cast<const int32_t *>(a.data[0]);
  return {static_cast<const char *>(a.data[1]) + offsets[i], size_t(offsets[i + 1] - offsets[i])};
}

void build_texts(const Arrays &a) {
  built<Texts>.clear();
  for (size_t i = 0; i + 1 < a.length[0]; i++)
    built<Texts>[std::string(text(a, i))] = static_cast<int32_t>(i);
}

void find_texts(const Arrays &a) {
  int32_t *out = static_cast<int32_t *>(a.data[2]);
  for (size_t i = 0; i + 1 < a.length[0]; i++) {
    auto found = built<Texts>.find(std::string(text(a, i)));
    out[i] = found == built<Texts>.end() ? -1 : found->second;
  }
}

// Sorted keys: the last one that is not above. Of ranges, whether it is inside.
template <class Key> void search(const Arrays &a) {
  const Key *keys = static_cast<const Key *>(a.data[0]), *sorted = static_cast<const Key *>(a.data[2]);
  int32_t *out = static_cast<int32_t *>(a.data[1]);
  const Key *end = sorted + a.length[2];
  for (size_t i = 0; i < a.length[0]; i++) {
    const Key *found = std::lower_bound(sorted, end, keys[i]);
    out[i] = found != end && *found == keys[i] ? int32_t(found - sorted) : -1;
  }
}

void ranges_u32(const Arrays &a) {
  const uint32_t *keys = static_cast<const uint32_t *>(a.data[0]), *lows = static_cast<const uint32_t *>(a.data[2]);
  const uint32_t *lasts = static_cast<const uint32_t *>(a.data[3]);
  int32_t *out = static_cast<int32_t *>(a.data[1]);
  for (size_t i = 0; i < a.length[0]; i++) {
    const uint32_t *found = std::upper_bound(lows, lows + a.length[2], keys[i]);
    out[i] = found != lows && keys[i] <= lasts[found - lows - 1] ? int32_t(found - lows - 1) : -1;
  }
}

using run = void(const Arrays &);

const struct {
  const char *name;
  run *function;
} functions[] = {
    {"build_unordered_f64", build<std::unordered_map<double, int32_t>, double>},
    {"find_unordered_f64", find<std::unordered_map<double, int32_t>, double>},
    {"build_unordered_i64", build<std::unordered_map<int64_t, int32_t>, int64_t>},
    {"find_unordered_i64", find<std::unordered_map<int64_t, int32_t>, int64_t>},
    {"build_map_f64", build<std::map<double, int32_t>, double>},
    {"find_map_f64", find<std::map<double, int32_t>, double>},
    {"build_map_i64", build<std::map<int64_t, int32_t>, int64_t>},
    {"find_map_i64", find<std::map<int64_t, int32_t>, int64_t>},
    {"build_texts", build_texts},
    {"find_texts", find_texts},
    {"search_f64", search<double>},
    {"search_i64", search<int64_t>},
    {"ranges_u32", ranges_u32},
};

napi_value call(napi_env env, napi_callback_info info) {
  napi_value values[4];
  size_t count = 4;
  void *index;
  Arrays arrays = {};
  napi_get_cb_info(env, info, &count, values, nullptr, &index);
  for (size_t i = 0; i < count && i < 4; i++)
    napi_get_typedarray_info(env, values[i], nullptr, &arrays.length[i], &arrays.data[i], nullptr, nullptr);
  functions[reinterpret_cast<size_t>(index)].function(arrays);
  return nullptr;
}

} // namespace

NAPI_MODULE_INIT() {
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    napi_value function;
    napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, call, reinterpret_cast<void *>(i), &function);
    napi_set_named_property(env, exports, functions[i].name, function);
  }
  return exports;
}
