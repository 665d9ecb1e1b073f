// The library functions of strings: what Gandiva documents of each, and what is said of it where
// Gandiva has none. Operands lie between pages that may not be touched.

#include "check.h"
#include "library_strings.h"

// A string as a call takes it: the address of a guarded copy, and the length.
#define T(text) copy_of(text, sizeof(text) - 1), (int64_t)sizeof(text) - 1
#define OUT address_of(&out)
#define ARENA address_of(fresh_arena())
#define IS(call, expected) CHECK_STR_EQ(shown(call), expected)

static gjl_view out;
static gjl_arena arena;
static unsigned char memory[1 << 20];
static const char *const INVALID = "invalid", *const OVERFLOW = "overflow";

static int64_t copy_of(const char *text, size_t size) {
  enum { KEPT = 16 };
  static guarded kept[KEPT];
  static unsigned next;
  guarded *g = &kept[next++ % KEPT];
  guarded_free(g);
  *g = guarded_copy(text, size, next / KEPT % 2);
  return address_of(g->data);
}

static gjl_arena *fresh_arena(void) {
  arena = (gjl_arena){address_of(memory), address_of(memory + sizeof memory)};
  return &arena;
}

// The string that a call yields, or the name of its status.
static const char *shown(int64_t status) {
  static const char *const names[] = {"", "more", "invalid", "overflow"};
  static char text[1024];
  if (status || out.length >= (int64_t)sizeof text)
    return names[status & 3];
  for (int64_t i = 0; i < out.length; i++)
    text[i] = (char)gjl_bytes(out.address)[i];
  text[out.length] = 0;
  return text;
}

static void lengths_count_code_points(void) {
  CHECK_INT_EQ(gjl_utf8_length(T("")), 0);
  CHECK_INT_EQ(gjl_utf8_length(T("abc")), 3);
  CHECK_INT_EQ(gjl_utf8_length(T("çåå†")), 4);
  CHECK_INT_EQ(gjl_utf8_length(T("aaéa大学路😀bcdefg")), 14);
}

static void comparisons_are_by_bytes(void) {
  CHECK_INT_EQ(gjl_utf8_compare(T(""), T("")), 0);
  CHECK_INT_EQ(gjl_utf8_compare(T("abc"), T("abd")), -1);
  CHECK_INT_EQ(gjl_utf8_compare(T("abd"), T("abc")), 1);
  CHECK_INT_EQ(gjl_utf8_compare(T("abcdefghi"), T("abcdefgh")), 1);
  CHECK_INT_EQ(gjl_utf8_compare(T("ab"), T("abc")), -1);
  CHECK_INT_EQ(gjl_utf8_compare(T("a"), T("a\0")), -1);
  CHECK_INT_EQ(gjl_utf8_compare(T("~"), T("é")), -1);
  CHECK_INT_EQ(gjl_utf8_compare(T("12345678a9"), T("12345678b0")), -1);
  CHECK_INT_EQ(gjl_utf8_equal(T("TestString"), T("TestString")), 1);
  CHECK_INT_EQ(gjl_utf8_equal(T("TestString"), T("TestStrinh")), 0);
  CHECK_INT_EQ(gjl_utf8_equal(T("abc"), T("abcd")), 0);
}

static void parts_are_found(void) {
  CHECK_INT_EQ(gjl_starts_with(T("TestString"), T("Test")), 1);
  CHECK_INT_EQ(gjl_starts_with(T("Te"), T("Test")), 0);
  CHECK_INT_EQ(gjl_ends_with(T("TestString"), T("String")), 1);
  CHECK_INT_EQ(gjl_ends_with(T("TestString"), T("Strinh")), 0);
  CHECK_INT_EQ(gjl_contains(T("TestString"), T("tStr")), 1);
  CHECK_INT_EQ(gjl_contains(T("TestString"), T("")), 1);
  CHECK_INT_EQ(gjl_contains(T(""), T("")), 1);
  CHECK_INT_EQ(gjl_contains(T("TestString"), T("string")), 0);
  CHECK_INT_EQ(gjl_strpos(T("TestString"), T("String")), 5);
  CHECK_INT_EQ(gjl_strpos(T("s†å†emçåå†d"), T("çåå")), 7);
  CHECK_INT_EQ(gjl_strpos(T("str"), T("")), 0);
  CHECK_INT_EQ(gjl_instr(T("hello world!"), T("world")), 7);
  CHECK_INT_EQ(gjl_instr(T("open the door"), T("")), 1);
  CHECK_INT_EQ(gjl_instr(T(""), T("mango")), 0);
  CHECK_INT_EQ(gjl_instr(T("kaleidoscope"), T("scope")), 8);
  CHECK_INT_EQ(gjl_find_in_set(T("ab"), T("abc,b,ab,c,def")), 3);
  CHECK_INT_EQ(gjl_find_in_set(T(""), T("abc,,ab")), 2);
  CHECK_INT_EQ(gjl_find_in_set(T(""), T("")), 0);
  CHECK_INT_EQ(gjl_find_in_set(T("a,b"), T("a,b")), 0);
  CHECK_INT_EQ(gjl_find_in_set(T("de"), T("abc,b,ab,c,def")), 0);
}

static int64_t located(int64_t status) { return status ? -status : out.address; }

static void locate_starts_where_it_is_told(void) {
  CHECK_INT_EQ(located(gjl_locate(T("abc"), T("abcabc"), 2, OUT)), 4);
  CHECK_INT_EQ(located(gjl_locate(T("bar"), T("†barbar"), 3, OUT)), 5);
  CHECK_INT_EQ(located(gjl_locate(T("sub"), T(""), 1, OUT)), 0);
  CHECK_INT_EQ(located(gjl_locate(T(""), T("str"), 1, OUT)), 0);
  CHECK_INT_EQ(located(gjl_locate(T("bar"), T("barbar"), 7, OUT)), 0);
  CHECK_INT_EQ(located(gjl_locate(T("bar"), T("barbar"), 0, OUT)), -GJL_INVALID);
}

static void ascii_and_chr_are_numbers_of_characters(void) {
  CHECK_INT_EQ(gjl_ascii(T("ABC")), 65);
  CHECK_INT_EQ(gjl_ascii(T("")), 0);
  CHECK_INT_EQ(gjl_ascii(T("\x80")), -128);
  IS(gjl_chr(88, OUT, ARENA), "X");
  IS(gjl_chr(0x7FF, OUT, ARENA), "\xDF\xBF");
  IS(gjl_chr(8364, OUT, ARENA), "€");
  IS(gjl_chr(0x1F600, OUT, ARENA), "😀");
  IS(gjl_chr(0x10FFFF, OUT, ARENA), "\xF4\x8F\xBF\xBF");
  IS(gjl_chr(-1, OUT, ARENA), INVALID);
  IS(gjl_chr(0x110000, OUT, ARENA), INVALID);
  IS(gjl_chr(0xD800, OUT, ARENA), INVALID);
  IS(gjl_chr(0xDFFF, OUT, ARENA), INVALID);
  IS(gjl_chr(0xE000, OUT, ARENA), "\xEE\x80\x80");
}

static void substr_is_of_oracle(void) {
  IS(gjl_substr(T("asdf"), 1, 0, OUT), "");
  IS(gjl_substr(T("asdf"), 1, 2, OUT), "as");
  IS(gjl_substr(T("asdf"), 1, 5, OUT), "asdf");
  IS(gjl_substr(T("asdf"), 0, 5, OUT), "asdf");
  IS(gjl_substr(T("asdf"), -2, 5, OUT), "df");
  IS(gjl_substr(T("asdf"), -5, 5, OUT), "");
  IS(gjl_substr(T("asdf"), INT64_MIN, 5, OUT), "");
  IS(gjl_substr(T("asdf"), INT64_MAX, INT64_MAX, OUT), "");
  IS(gjl_substr(T("अपाचे एरो"), 1, 5, OUT), "अपाचे");
  IS(gjl_substr(T("अपाचे एरो"), 7, 4, OUT), "एरो");
  IS(gjl_substr(T("çåå†"), 4, 4, OUT), "†");
  IS(gjl_substr(T("çåå†"), 2, 2, OUT), "åå");
  IS(gjl_substr(T("çåå†"), 0, 2, OUT), "çå");
  IS(gjl_substr(T(""), 5, 5, OUT), "");
  IS(gjl_substr(T("asdf"), 0, -5, OUT), "");
  IS(gjl_substr_from(T("abcd"), 2, OUT), "bcd");
  IS(gjl_substr_from(T("çåå†"), 2, OUT), "åå†");
  IS(gjl_byte_substr(T("TestString"), 5, 10, OUT), "String");
  IS(gjl_byte_substr(T("TestString"), -6, 10, OUT), "String");
  IS(gjl_byte_substr(T("TestString"), 0, 10, OUT), "");
  IS(gjl_byte_substr(T("TestString"), 1, 4, OUT), "Test");
  IS(gjl_byte_substr(T("TestString"), -100, 10, OUT), "TestString");
  IS(gjl_byte_substr(T("TestString"), 15, 10, OUT), "");
  IS(gjl_byte_substr(T("TestString"), 2, 2147483647, OUT), "estString");
}

static void left_and_right_take_or_leave(void) {
  IS(gjl_left(T("TestString"), 10, OUT), "TestString");
  IS(gjl_left(T("TestString"), 3, OUT), "Tes");
  IS(gjl_left(T("TestString"), -3, OUT), "TestStr");
  IS(gjl_left(T("TestString"), -10, OUT), "");
  IS(gjl_left(T("TestString"), -11, OUT), "");
  IS(gjl_left(T("абвгд"), 3, OUT), "абв");
  IS(gjl_left(T(""), 500, OUT), "");
  IS(gjl_right(T("TestString"), 3, OUT), "ing");
  IS(gjl_right(T("TestString"), -3, OUT), "tString");
  IS(gjl_right(T("TestString"), 0, OUT), "");
  IS(gjl_right(T("TestString"), 20, OUT), "TestString");
  IS(gjl_right(T("TestString"), -10, OUT), "");
  IS(gjl_right(T("абвгд"), 3, OUT), "вгд");
}

static void casts_cut_strings(void) {
  IS(gjl_utf8_truncate(T("asdf"), 1, OUT), "a");
  IS(gjl_utf8_truncate(T("asdf"), 6, OUT), "asdf");
  IS(gjl_utf8_truncate(T("asdf"), 0, OUT), "asdf");
  IS(gjl_utf8_truncate(T("çåå†"), 3, OUT), "çåå");
  IS(gjl_utf8_truncate(T("1234567812çåå†123456"), 16, OUT), "1234567812çåå†12");
  IS(gjl_utf8_truncate(T("çåå†1234567812123456"), 3, OUT), "çåå");
  IS(gjl_utf8_truncate(T("abc"), -1, OUT), INVALID);
  IS(gjl_bytes_truncate(T("asdf"), 0, OUT), "asdf");
  IS(gjl_bytes_truncate(T("asdf"), 3, OUT), "asd");
  IS(gjl_bytes_truncate(T("asdf"), -1, OUT), INVALID);
}

static void trims_take_spaces_or_characters(void) {
  IS(gjl_ltrim(T("      TestString  "), OUT), "TestString  ");
  IS(gjl_ltrim(T("      "), OUT), "");
  IS(gjl_rtrim(T("Test  çåå†bD   "), OUT), "Test  çåå†bD");
  IS(gjl_btrim(T(" Test  çåå†bD   "), OUT), "Test  çåå†bD");
  IS(gjl_btrim(T("\tx\n"), OUT), "\tx\n");
  IS(gjl_btrim(T("      "), OUT), "");
  IS(gjl_ltrim_chars(T("TestString"), T("Test"), OUT), "String");
  IS(gjl_rtrim_chars(T("TestString"), T("String"), OUT), "Tes");
  IS(gjl_btrim_chars(T(""), T("TestString"), OUT), "");
  IS(gjl_btrim_chars(T("TestString"), T(""), OUT), "TestString");
  IS(gjl_btrim_chars(T("abcbbadefccabbc"), T("ababbac"), OUT), "def");
  IS(gjl_btrim_chars(T("ååçåå†Ddeç†"), T("çåå†"), OUT), "Dde");
  IS(gjl_btrim_chars(T("ç†ååçåå†"), T("çåå†"), OUT), "");
  IS(gjl_btrim_chars(T("åe†çå"), T("çå"), OUT), "e†");
}

static void strings_are_split(void) {
  IS(gjl_split_part(T("abc::def"), T(":"), 2, OUT), "");
  IS(gjl_split_part(T("A,B,C"), T(","), 0, OUT), INVALID);
  IS(gjl_split_part(T("A,B,C"), T(","), 1, OUT), "A");
  IS(gjl_split_part(T("A,B,C"), T(","), 3, OUT), "C");
  IS(gjl_split_part(T("abc~@~def~@~ghi"), T("~@~"), 2, OUT), "def");
  IS(gjl_split_part(T("123|456|789"), T("|"), 4, OUT), "");
  IS(gjl_split_part(T("|123"), T("|"), 1, OUT), "");
  IS(gjl_split_part(T("ç†ååçåå†"), T("†åå"), 1, OUT), "ç");
  IS(gjl_split_part(T("ç†ååçåå†"), T("†"), 2, OUT), "ååçåå");
  IS(gjl_split_part(T("abc"), T(""), 7, OUT), "abc");
  IS(gjl_substring_index(T("Abc.DE.fGh"), T("."), 2, OUT), "Abc.DE");
  IS(gjl_substring_index(T("Abc.DE.fGh"), T("."), -2, OUT), "DE.fGh");
  IS(gjl_substring_index(T("www.mysql.com"), T("Q"), 1, OUT), "www.mysql.com");
  IS(gjl_substring_index(T("www||mysql||com"), T("||"), -2, OUT), "mysql||com");
  IS(gjl_substring_index(T("www||mysql||com"), T(""), 1, OUT), "");
  IS(gjl_substring_index(T("www||mysql||com"), T("||"), 0, OUT), "");
  IS(gjl_substring_index(T("MÜëCHEN"), T("Ü"), -1, OUT), "ëCHEN");
  IS(gjl_substring_index(T("aaaa"), T("aa"), 2, OUT), "a");
  IS(gjl_substring_index(T("a.b"), T("."), INT64_MIN, OUT), "a.b");
}

static void elt_takes_one_of_many(void) {
  gjl_view views[] = {{copy_of("john", 4), 4}, {0, -1}, {0, 0}};
  IS(gjl_elt(1, address_of(views), 3, OUT), "john");
  IS(gjl_elt(2, address_of(views), 3, OUT), INVALID);
  IS(gjl_elt(3, address_of(views), 3, OUT), "");
  IS(gjl_elt(0, address_of(views), 3, OUT), INVALID);
  IS(gjl_elt(4, address_of(views), 3, OUT), INVALID);
}

static void strings_are_joined(void) {
  gjl_view views[] = {{copy_of("hey", 3), 3}, {0, -1}, {0, 0}, {copy_of("hello", 5), 5}};
  IS(gjl_concat2(T("abcd"), T("\npq"), OUT, ARENA), "abcd\npq");
  IS(gjl_concat2(T(""), T("pq"), OUT, ARENA), "pq");
  IS(gjl_concat2(T("ab"), T(""), OUT, ARENA), "ab");
  IS(gjl_concat(address_of(views), 4, OUT, ARENA), "heyhello");
  IS(gjl_concat(address_of(views), 0, OUT, ARENA), "");
  IS(gjl_concat_ws(T("-"), address_of(views), 4, OUT, ARENA), "hey--hello");
  IS(gjl_concat_ws(T("-"), address_of(views), 2, OUT, ARENA), "hey");
  IS(gjl_concat_ws(T("--"), address_of(views + 1), 3, OUT, ARENA), "--hello");
  IS(gjl_concat_ws(T("-"), address_of(views + 1), 1, OUT, ARENA), "");
}

static void strings_are_repeated_and_padded(void) {
  IS(gjl_repeat(T("abc"), 2, OUT, ARENA), "abcabc");
  IS(gjl_repeat(T("a"), 5, OUT, ARENA), "aaaaa");
  IS(gjl_repeat(T(""), -10, OUT, ARENA), "");
  IS(gjl_repeat(T("a"), -10, OUT, ARENA), INVALID);
  IS(gjl_repeat(T("aa"), INT32_MAX / 2 + 1, OUT, ARENA), OVERFLOW);
  IS(gjl_space(3, OUT, ARENA), "   ");
  IS(gjl_space(-5, OUT, ARENA), "");
  CHECK_INT_EQ(gjl_space(1000000, OUT, ARENA), 0);
  CHECK_INT_EQ(out.length, 65536);
  IS(gjl_lpad(T("TestString"), 4, T("fill"), OUT, ARENA), "Test");
  IS(gjl_lpad(T(""), 10, T("fill"), OUT, ARENA), "");
  IS(gjl_lpad(T("TestString"), -500, T("fill"), OUT, ARENA), "");
  IS(gjl_lpad(T("TestString"), 500, T(""), OUT, ARENA), "TestString");
  IS(gjl_lpad(T("TestString"), 20, T("Fill"), OUT, ARENA), "FillFillFiTestString");
  IS(gjl_lpad(T("абвгд"), 7, T("д"), OUT, ARENA), "ддабвгд");
  IS(gjl_lpad(T("Y"), 4, T("中文"), OUT, ARENA), "中文中Y");
  IS(gjl_lpad(T("Z"), 2, T("αβ"), OUT, ARENA), "αZ");
  CHECK_INT_EQ(gjl_lpad(T("x"), 65536, T("😀"), OUT, ARENA), 0);
  CHECK_INT_EQ(out.length, 65535 * 4 + 1);
  IS(gjl_rpad(T("TestString"), 15, T("Fill"), OUT, ARENA), "TestStringFillF");
  IS(gjl_rpad(T("абвгд"), 7, T("д"), OUT, ARENA), "абвгддд");
  IS(gjl_rpad(T("TestString"), 4, T("fill"), OUT, ARENA), "Test");
}

static void strings_are_edited(void) {
  IS(gjl_reverse(T("TestString"), OUT, ARENA), "gnirtStseT");
  IS(gjl_reverse(T("çåå†"), OUT, ARENA), "†ååç");
  IS(gjl_replace(T("TestString1String2"), T("String"), T("Replace"), OUT, ARENA),
     "TestReplace1Replace2");
  IS(gjl_replace(T("TestString1"), T("String"), T(""), OUT, ARENA), "Test1");
  IS(gjl_replace(T("Ç††çåå†"), T("†"), T("t"), OUT, ARENA), "Çttçååt");
  IS(gjl_replace(T("TestString"), T(""), T("rep"), OUT, ARENA), "TestString");
  IS(gjl_replace(T("Test"), T("Test"), T(""), OUT, ARENA), "");
  IS(gjl_replace(T("aaaa"), T("aa"), T("b"), OUT, ARENA), "bb");
  IS(gjl_replace(T("aaaaa"), T("a"), T("bb"), OUT, ARENA), "bbbbbbbbbb");
  IS(gjl_overlay(T("Txxxxas"), T("hom"), 2, 4, OUT, ARENA), "Thomas");
  IS(gjl_overlay(T("äöü"), T("x"), 9, 1, OUT, ARENA), "äöüx");
  IS(gjl_overlay(T("äöü"), T("--"), 2, 0, OUT, ARENA), "ä--öü");
  IS(gjl_overlay(T("abc"), T("x"), 0, 1, OUT, ARENA), INVALID);
  IS(gjl_quote(T("don't"), OUT, ARENA), "'don\\'t'");
  IS(gjl_quote(T(""), OUT, ARENA), "");
  IS(gjl_quote(T("''"), OUT, ARENA), "'\\'\\''");
  IS(gjl_translate(T("ABABABA"), T("B"), T("C"), OUT, ARENA), "ACACACA");
  IS(gjl_translate(T("a b c d e"), T(" b"), T(""), OUT, ARENA), "acde");
  IS(gjl_translate(T("hello, how are you?"), T("elo?"), T("310/"), OUT, ARENA),
     "h3110, h0w ar3 y0u/");
  IS(gjl_translate(T("abcdef"), T("adc"), T("19"), OUT, ARENA), "1b9ef");
  IS(gjl_translate(T("abdcdeaf"), T("adad"), T("192"), OUT, ARENA), "1b9c9e1f");
  IS(gjl_translate(T("987654321"), T("123456789"), T("0123456789"), OUT, ARENA), "012345678");
  IS(gjl_translate(T("åbç"), T("çå"), T("€x"), OUT, ARENA), "€bx");
}

static void letters_change_case(void) {
  IS(gjl_utf8_upper(T("s;dcGS,jO!l"), OUT, ARENA), "S;DCGS,JO!L");
  IS(gjl_utf8_upper(T("âBćDëFGH"), OUT, ARENA), "ÂBĆDËFGH");
  IS(gjl_utf8_upper(T("øhpqRšvñ"), OUT, ARENA), "ØHPQRŠVÑ");
  IS(gjl_utf8_upper(T("Möbelträgerfüße"), OUT, ARENA), "MÖBELTRÄGERFÜẞE");
  IS(gjl_utf8_upper(T("@az[`{}~ 0123456789 AZ"), OUT, ARENA), "@AZ[`{}~ 0123456789 AZ");
  IS(gjl_utf8_upper(T("ɐɐ ÿ ǆ ა 𐐨 ꮿ"), OUT, ARENA), "ⱯⱯ Ÿ Ǆ Ა 𐐀 Ꮿ");
  IS(gjl_utf8_lower(T("S;DCgs,Jo!L"), OUT, ARENA), "s;dcgs,jo!l");
  IS(gjl_utf8_lower(T("MÖBELTRÄGERFÜẞE"), OUT, ARENA), "möbelträgerfüße");
  IS(gjl_utf8_lower(T("@AZ[`{}~ ΑΣ КИЇВ İ K Ⱥ"), OUT, ARENA), "@az[`{}~ ασ київ i k ⱥ");
  IS(gjl_initcap(T("s;DCgs,Jo!l"), OUT, ARENA), "S;Dcgs,Jo!L");
  IS(gjl_initcap(T(" mÜNCHEN"), OUT, ARENA), " München");
  IS(gjl_initcap(T("ÂbĆDËFgh\néll"), OUT, ARENA), "Âbćdëfgh\nÉll");
  IS(gjl_initcap(T("sɦasasdsɦsd\"sdsdɦ"), OUT, ARENA), "Sɦasasdsɦsd\"Sdsdɦ");
  IS(gjl_initcap(T("mysuperscipt@number²isfine"), OUT, ARENA), "Mysuperscipt@Number²Isfine");
  IS(gjl_initcap(T("Ő<tŵas̓老ƕɱ¢vIYwށ"), OUT, ARENA), "Ő<Tŵas̓老Ƕɱ¢Viywށ");
  IS(gjl_initcap(T("ↆcheckↆnumberisspace"), OUT, ARENA), "ↆcheckↆnumberisspace");
  IS(gjl_initcap(T("testing ᾌTitleᾌcase"), OUT, ARENA), "Testing ᾌtitleᾄcase");
  IS(gjl_initcap(T("ʳTesting mʳodified"), OUT, ARENA), "ʳTesting MʳOdified");
}

static void masks_hide_letters_and_digits(void) {
#define X T("X"), T("x"), T("n")
  IS(gjl_mask(T("QwErTy:4)ß"), T("U-"), T("l-"), T("#"), OUT, ARENA), "U-l-U-l-U-l-:#)l-");
  IS(gjl_mask(T("QwErTy:4)ß"), X, OUT, ARENA), "XxXxXx:n)x");
  IS(gjl_mask(T("世界Ⅷ²ǅ-"), X, OUT, ARENA), "xxnnX-");
  IS(gjl_mask(T(""), X, OUT, ARENA), "");
#undef X
  IS(gjl_mask_first_n(T("a〜Çç&"), 4, OUT, ARENA), "x〜Xx&");
  IS(gjl_mask_first_n(T("世界您"), 4, OUT, ARENA), "世界您");
  IS(gjl_mask_first_n(T("aB-6"), 3, OUT, ARENA), "xX-6");
  IS(gjl_mask_first_n(T("aB-6"), -3, OUT, ARENA), "aB-6");
  IS(gjl_mask_last_n(T("abÇçé"), 4, OUT, ARENA), "axXxx");
  IS(gjl_mask_last_n(T("aB-6"), 5, OUT, ARENA), "xX-n");
  IS(gjl_mask_last_n(T("aB-6"), 0, OUT, ARENA), "aB-6");
  IS(gjl_mask_show_first_n(T("abÇçé"), 4, OUT, ARENA), "abÇçx");
  IS(gjl_mask_show_first_n(T("aB-6"), -3, OUT, ARENA), "xX-n");
  IS(gjl_mask_show_last_n(T("a6Ççé"), 1, OUT, ARENA), "xnXxé");
  IS(gjl_mask_show_last_n(T("ABcd-123456"), 5, OUT, ARENA), "XXxx-n23456");
}

static void soundex_is_of_gandiva(void) {
  static const char *const codes[][2] = {
      {"123456789", "invalid"},
      {"", ""},
      {"a", "A000"},
      {"123456789a", "A000"},
      {"robert", "R163"},
      {"Rupert", "R163"},
      {"Honeyman", "H555"},
      {"Tymczak", "T522"},
      {"Ashcraft", "A226"},
      {"Jjjice", "J200"},
      {"Miller", "M460"},
      {"123 321 Luke 987 Gar4cia", "L226"},
      {"abc", "A120"},
      {"Elvis", "E412"},
      {"waterloo", "W364"},
      {"eowolf", "E410"},
      {"r-O-b-E-r-T", "R163"},
  };
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    size_t size = strlen(codes[i][0]);
    IS(gjl_soundex(copy_of(codes[i][0], size), (int64_t)size, OUT, ARENA), codes[i][1]);
  }
}

#define DISTANCE(a, b, expected)                                                                   \
  do {                                                                                             \
    CHECK_INT_EQ(gjl_levenshtein(T(a), T(b), OUT, ARENA), 0);                                      \
    CHECK_INT_EQ(out.address, expected);                                                           \
    CHECK(arena.next == address_of(memory));                                                       \
  } while (0)

static void distances_count_edits(void) {
  DISTANCE("kitten", "sitting", 3);
  DISTANCE("book", "back", 2);
  DISTANCE("", "a", 1);
  DISTANCE("", "", 0);
  DISTANCE("AAAA", "aAAa", 2);
  DISTANCE("TEST STRING1", "test string2", 11);
  DISTANCE("café", "cafe", 1);
}

static void like_has_wildcards(void) {
#define LIKE(text, pattern, escape) gjl_like(T(text), T(pattern), escape)
  CHECK_INT_EQ(LIKE("abcd", "ab%", -1), 1);
  CHECK_INT_EQ(LIKE("cab", "ab%", -1), 0);
  CHECK_INT_EQ(LIKE("abd", "ab_", -1), 1);
  CHECK_INT_EQ(LIKE("abcd", "ab_", -1), 0);
  CHECK_INT_EQ(LIKE(".*abc", ".*ab_", -1), 1);
  CHECK_INT_EQ(LIKE("xxabc", ".*ab_", -1), 0);
  CHECK_INT_EQ(LIKE("abc\nd", "%abc%", -1), 1);
  CHECK_INT_EQ(LIKE("XXab-.^$*+?()[]{}|—/c%d", "%ab-.^$*+?()[]{}|—/c\\%%", '\\'), 1);
  CHECK_INT_EQ(LIKE("ab_", "ab\\_", '\\'), 1);
  CHECK_INT_EQ(LIKE("abc", "ab\\_", '\\'), 0);
  CHECK_INT_EQ(LIKE("ab\\", "ab\\\\", '\\'), 1);
  CHECK_INT_EQ(LIKE("ab\\c", "ab\\_", -1), 1);
  CHECK_INT_EQ(LIKE("", "", -1), 1);
  CHECK_INT_EQ(LIKE("", "%", -1), 1);
  CHECK_INT_EQ(LIKE("", "_", -1), 0);
  CHECK_INT_EQ(gjl_like(0, 0, T("%%"), -1), 1);
  CHECK_INT_EQ(gjl_ilike(0, 0, T("%%"), -1), 1);
  CHECK_INT_EQ(LIKE("aab", "%a%%b", -1), 1);
  CHECK_INT_EQ(LIKE("abab", "%ab%ab%ab", -1), 0);
  CHECK_INT_EQ(LIKE("a", "", -1), 0);
  CHECK_INT_EQ(LIKE("aXbXbc", "a%b%c", -1), 1);
  CHECK_INT_EQ(LIKE("aXbXbd", "a%b%c", -1), 0);
  CHECK_INT_EQ(LIKE("世界", "__", -1), 1);
  CHECK_INT_EQ(LIKE("世界", "%_界", -1), 1);
  CHECK_INT_EQ(LIKE("a%b", "a€%b", 0x20AC), 1);
  CHECK_INT_EQ(LIKE("axb", "a€%b", 0x20AC), 0);
#undef LIKE
  CHECK_INT_EQ(gjl_ilike(T("ABcd"), T("ab%"), -1), 1);
  CHECK_INT_EQ(gjl_ilike(T("MÜNCHEN"), T("m_nch%"), -1), 1);
  CHECK_INT_EQ(gjl_ilike(T("ΣΊΣΥΦΟΣ"), T("σίσυφος"), -1), 1);
  CHECK_INT_EQ(gjl_ilike(T("ﬀ"), T("ff"), -1), 0);
  CHECK_INT_EQ(gjl_ilike(T("ı"), T("i"), -1), 0);
  CHECK_INT_EQ(gjl_like_valid(T("a#%b##_"), '#'), 1);
  CHECK_INT_EQ(gjl_like_valid(T("a#b"), '#'), 0);
  CHECK_INT_EQ(gjl_like_valid(T("ab#"), '#'), 0);
  CHECK_INT_EQ(gjl_like_valid(T("ab#"), -1), 1);
  int64_t code = 0;
  CHECK_INT_EQ(gjl_like_escape(T("€"), (intptr_t)&code), GJL_DONE);
  CHECK_INT_EQ(code, 0x20AC);
  CHECK_INT_EQ(gjl_like_escape(T(""), (intptr_t)&code), GJL_DONE);
  CHECK_INT_EQ(code, -1);
  CHECK_INT_EQ(gjl_like_escape(T("##"), (intptr_t)&code), GJL_INVALID);
}

static void bytes_are_coded(void) {
  IS(gjl_to_hex(T("foo\xFF"), OUT, ARENA), "666F6FFF");
  IS(gjl_to_hex_int64(-1, OUT, ARENA), "FFFFFFFFFFFFFFFF");
  IS(gjl_to_hex_int64(499592274, OUT, ARENA), "1DC72C52");
  IS(gjl_to_hex_int64(0, OUT, ARENA), "0");
  IS(gjl_to_hex_int32(-1, OUT, ARENA), "FFFFFFFF");
  IS(gjl_from_hex(T("666F6f"), OUT, ARENA), "foo");
  IS(gjl_from_hex(T("666"), OUT, ARENA), INVALID);
  IS(gjl_from_hex(T("6G"), OUT, ARENA), INVALID);
  IS(gjl_from_hex(T(""), OUT, ARENA), "");
  IS(gjl_binary_string(T("\\x41\\X6d\\x4"), OUT, ARENA), "Am\\x4");
  IS(gjl_binary_string(T("abc\\xg1"), OUT, ARENA), "abc\\xg1");
  IS(gjl_base64(T("hello"), OUT, ARENA), "aGVsbG8=");
  IS(gjl_base64(T("test"), OUT, ARENA), "dGVzdA==");
  IS(gjl_base64(T("\xFF\xFE\xFB"), OUT, ARENA), "//77");
  IS(gjl_unbase64(T("aGVsbG8="), OUT, ARENA), "hello");
  IS(gjl_unbase64(T("dGVzdA=="), OUT, ARENA), "test");
  IS(gjl_unbase64(T("aGVsbG8"), OUT, ARENA), INVALID);
  IS(gjl_unbase64(T("aG=sbG8="), OUT, ARENA), INVALID);
  IS(gjl_unbase64(T("a==="), OUT, ARENA), INVALID);
  IS(gjl_unbase64(T("aG\nsbG8="), OUT, ARENA), INVALID);
  IS(gjl_to_bytes(0x41424344, 4, OUT, ARENA), "DCBA");
  IS(gjl_to_bytes_be(0x41424344, 4, OUT, ARENA), "ABCD");
  CHECK_INT_EQ(gjl_crc32(T("Hello")), 4157704578);
  CHECK_INT_EQ(gjl_crc32(T("372189372123")), 2607335846);
  CHECK_INT_EQ(gjl_crc32(T("")), 0);
}

static void utf8_is_checked(void) {
  static const char *const bad[] = {"\x80",
                                    "\xC0\x80",
                                    "\xC1\xBF",
                                    "\xE0\x9F\xBF",
                                    "\xED\xA0\x80",
                                    "\xF0\x8F\xBF\xBF",
                                    "\xF4\x90\x80\x80",
                                    "\xF8\x88\x80\x80\x80",
                                    "\xC3",
                                    "\xE2\x82",
                                    "\xC3(",
                                    "\xFF"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    size_t size = strlen(bad[i]);
    IS(gjl_convert_from_utf8(copy_of(bad[i], size), (int64_t)size, OUT), INVALID);
  }
  CHECK_INT_EQ(gjl_convert_from_utf8(T("\xF4\x8F\xBF\xBF\xEE\x80\x80\xED\x9F\xBF€é12345678"), OUT),
               0);
  IS(gjl_convert_from_utf8(T("日本"), OUT), "日本");
  IS(gjl_convert_from_utf8(T("ok-\xf8"), OUT), INVALID);
  IS(gjl_convert_replace_utf8(T("ok-\xf8\x28"), T("a"), OUT, ARENA), "ok-a(");
  IS(gjl_convert_replace_utf8(T("ok-\xa0\xa1-valid"), T("b"), OUT, ARENA), "ok-bb-valid");
  IS(gjl_convert_replace_utf8(T("\xa0-valid-\xa1"), T(""), OUT, ARENA), "-valid-");
  IS(gjl_convert_replace_utf8(T("all-valid"), T("c"), OUT, ARENA), "all-valid");
  IS(gjl_convert_replace_utf8(T("x"), T("ee"), OUT, ARENA), INVALID);
  IS(gjl_convert_replace_utf8(T("x"), T("\xC3"), OUT, ARENA), INVALID);
}

static void hashes_are_murmur3(void) {
  CHECK_INT_EQ(gjl_hash32(T("hello"), 0), 0x248BFA47);
  CHECK_INT_EQ(gjl_hash32(T("hello, world"), 0), 0x149BBB7F);
  CHECK_INT_EQ(gjl_hash32(T("The quick brown fox jumps over the lazy dog."), 0),
               (int32_t)0xD5C48BFC);
  CHECK_INT_EQ(gjl_hash64(T(""), 0), 0);
  CHECK(gjl_hash32(T("hello"), 1) != gjl_hash32(T("hello"), 0));
  CHECK(gjl_hash64(T("hello"), 1) != gjl_hash64(T("hello"), 0));
  CHECK_INT_EQ(gjl_hash64(T("hello"), 0), (int64_t)0xCBD8A7B341BD9B02u);
  CHECK_INT_EQ(gjl_hash64(T("hello, world"), 0), 0x342FAC623A5EBC8E);
  CHECK_INT_EQ(gjl_hash64(T("The quick brown fox jumps over the lazy dog."), 0),
               (int64_t)0xCD99481F9EE902C9u);
}

// Strings of one byte difference must differ in half of the bits, more or less.
static void table_hashes_are_mixed_well(void) {
  unsigned char text[40] = {0};
  for (int64_t size = 1; size <= 40; size++) {
    int64_t whole = gjl_utf8_hash(address_of(text), size), bits = 0;
    CHECK(whole != gjl_utf8_hash(address_of(text), size - 1));
    for (int64_t bit = 0; bit < size * 8; bit++) {
      text[bit / 8] ^= (unsigned char)(1 << bit % 8);
      int64_t differ =
          __builtin_popcountll((uint64_t)(whole ^ gjl_utf8_hash(address_of(text), size)));
      text[bit / 8] ^= (unsigned char)(1 << bit % 8);
      CHECK(differ > 10 && differ < 54);
      bits += differ;
    }
    CHECK(bits > size * 8 * 28 && bits < size * 8 * 36);
  }
}

// The digest of the digests of messages of 0 to 299 bytes, as OpenSSL gives it.
static void digests_are_of_openssl(void) {
  static const struct {
    int64_t (*digest)(int64_t, int64_t, int64_t, int64_t);
    const char *abc, *many;
  } rows[] = {
      {gjl_md5, "900150983cd24fb0d6963f7d28e17f72", "5d57f9ca2fa430814982d2ca56b4ae6b"},
      {gjl_sha1, "a9993e364706816aba3e25717850c26c9cd0d89d",
       "c42fbca3b66a5a0d6d3c5db4adbcde1985a0469f"},
      {gjl_sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
       "def85da8f53f8ad58eda585dce61c0d7bfbb3da6924badae49d32d11288c576f"},
      {gjl_sha512,
       "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
       "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
       "cf076a0373d45dd623352e1c78ae6fc490ec0bb43fc1e06029a3209270571ba8"
       "0a8e8a8808aea1f5b8f77a7079eb7b422130dbe6b2a7119f45d68885389a8c31"},
  };
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    static unsigned char all[300 * 128];
    int64_t size = 0;
    IS(rows[row].digest(T("abc"), OUT, ARENA), rows[row].abc);
    for (int n = 0; n < 300; n++) {
      char message[300];
      for (int i = 0; i < n; i++)
        message[i] = (char)(i * 7 + n);
      CHECK_INT_EQ(rows[row].digest(copy_of(message, (size_t)n), n, OUT, ARENA), 0);
      memcpy(all + size, gjl_bytes(out.address), (size_t)out.length);
      size += out.length;
    }
    IS(rows[row].digest(address_of(all), size, OUT, ARENA), rows[row].many);
  }
  IS(gjl_md5_number(0x4142434445464748, OUT, ARENA), "6ce9db5f0435e0ab673ef51bfcccf699");
}

int main(void) {
  CHECK_RUN(lengths_count_code_points);
  CHECK_RUN(comparisons_are_by_bytes);
  CHECK_RUN(parts_are_found);
  CHECK_RUN(locate_starts_where_it_is_told);
  CHECK_RUN(ascii_and_chr_are_numbers_of_characters);
  CHECK_RUN(substr_is_of_oracle);
  CHECK_RUN(left_and_right_take_or_leave);
  CHECK_RUN(casts_cut_strings);
  CHECK_RUN(trims_take_spaces_or_characters);
  CHECK_RUN(strings_are_split);
  CHECK_RUN(elt_takes_one_of_many);
  CHECK_RUN(strings_are_joined);
  CHECK_RUN(strings_are_repeated_and_padded);
  CHECK_RUN(strings_are_edited);
  CHECK_RUN(letters_change_case);
  CHECK_RUN(masks_hide_letters_and_digits);
  CHECK_RUN(soundex_is_of_gandiva);
  CHECK_RUN(distances_count_edits);
  CHECK_RUN(like_has_wildcards);
  CHECK_RUN(bytes_are_coded);
  CHECK_RUN(utf8_is_checked);
  CHECK_RUN(hashes_are_murmur3);
  CHECK_RUN(table_hashes_are_mixed_well);
  CHECK_RUN(digests_are_of_openssl);
  return check_report();
}
