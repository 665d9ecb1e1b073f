// Tests of src/base/digest: known results, whatever pieces the bytes come in.

#include "check.h"

#include "base/digest.h"

#include <stdlib.h>

// From Python's hashlib.blake2b, put together as a tree by hand: bytes (7i + i/256) mod 256.
static const struct {
  size_t size;
  const char *hash;
} known[] = {
    {0, "7fb3222c1bce0810eb69450cc6ddfc6f5822c2e5b2fe0927e27f0e292e4e45a1"},
    {1, "059720da71e632734692dfdb787bbecce94809e6b5b4d4be718e63dc1d9524ce"},
    {127, "650f93b4746fef9ad1e3b9a0fc540bd67fab91129ee6793aff54da71e202f53a"},
    {128, "0797d7cb068d64f72c283d753983e608f131da12105f60eb1e9a6dae2151b196"},
    {129, "993da81c5758ffab38e3425d7a5b9062e2047099e5eb6a9f027d06384e6a1143"},
    {384, "6cf90cf058cd2331b30d1062454ef03aabcda174223267cd83fec3ba8c4418a6"},
    {385, "077a1e69205cc24690f31a8472361489e2b9df9696f825a5ea224fe0de5d4e69"},
    {511, "2f6011a1d0228edcb769e4883def18b09088df151733c96f7df0ba5efb5b7e20"},
    {512, "ba1bdf102dc9b1333f1dc2b92e7374c4809ff86be48ce533dfd29c0819800721"},
    {513, "3a471fe5a6127a7ce7de3b7588e37781a0f0309eb005ee9ee9f9705d8e754049"},
    {640, "665fc29092178f66b50acb652371480801c9f2d2db3a2ffbbba265c780d67411"},
    {641, "1ab95b2850072fc6df3baccc16911b83b0a5c88a3c21853b621fb3415b4d0a79"},
    {896, "b82a9bb1530abe5d0c48313280c45e3fcd6e512a5a5a9e59c1ad0f7ba8dc1c13"},
    {897, "337a6a51197611a6c4745fc0aa1bfbafe55c9da33d3bde1635c5307ba0387b9d"},
    {1023, "0cc6f9b14bde400b2e3f88a302276f24ae1a954294fc98ce0af36eec75c2009c"},
    {1024, "b80e7c72b4cf7e69c182e657a1519fcb6be09c1799d01a887943d00978c7968b"},
    {1025, "22f18ef4366a5f7bcd08d7f3f958316171c8d66a0ef816ceacf718b938df0d39"},
    {1536, "a0d7f4cc82c31c9890092418ee34522e2f453b17a692ccb44c4a31074ddf121d"},
    {1537, "a08044f973025870e1b0e3b1ab17b4a753b226616aafcd71c1c6643cc52678cf"},
    {5000, "16508ef840e4a1068a5f7f6a249390cf953996124fe843f8b35c6f0713a5820e"},
    {100000, "ea6ff21980aa5e92acd9491e2dae8b3f6b4e456cf6aae163dae6502295f57d51"},
};
enum { KNOWN = sizeof known / sizeof *known, MOST_BYTES = 100000 };

static char *hex(gj_digest digest, char out[2 * GJ_DIGEST_BYTES + 1]) {
  for (size_t i = 0; i < GJ_DIGEST_BYTES; i++)
    snprintf(out + 2 * i, 3, "%02x", digest.bytes[i]);
  return out;
}

static void results_are_those_of_blake2bp(void) {
  unsigned char *bytes = malloc(MOST_BYTES);
  char text[2 * GJ_DIGEST_BYTES + 1];
  for (size_t i = 0; i < MOST_BYTES; i++)
    bytes[i] = (unsigned char)(7 * i + i / 256);
  static const size_t pieces[] = {1, 7, 128, 511, 512, 513, 1024, 1500, MOST_BYTES};
  for (size_t k = 0; k < KNOWN; k++)
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
      gj_digester d;
      gj_digester_init(&d);
      for (size_t at = 0; at < known[k].size; at += pieces[p]) {
        size_t left = known[k].size - at;
        gj_digester_add(&d, bytes + at, left < pieces[p] ? left : pieces[p]);
      }
      CHECK_STR_EQ(hex(gj_digester_finish(&d), text), known[k].hash);
    }
  free(bytes);
}

static void texts_do_not_run_into_each_other(void) {
  static const char *const pairs[][2] = {{"ab", "c"}, {"a", "bc"}, {"abc", ""}, {"", "abc"}};
  char texts[4][2 * GJ_DIGEST_BYTES + 1];
  for (size_t i = 0; i < 4; i++) {
    gj_digester d;
    gj_digester_init(&d);
    gj_digester_add_text(&d, pairs[i][0]);
    gj_digester_add_text(&d, pairs[i][1]);
    hex(gj_digester_finish(&d), texts[i]);
    for (size_t j = 0; j < i; j++)
      CHECK(strcmp(texts[i], texts[j]) != 0);
  }
}

int main(void) {
  CHECK_RUN(results_are_those_of_blake2bp);
  CHECK_RUN(texts_do_not_run_into_each_other);
  return check_report();
}
