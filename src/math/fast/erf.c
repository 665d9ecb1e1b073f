// Fast erf. |x| is cut into 16 intervals of equal width around multiples of it, each with a
// polynomial of its own; a coefficient is a lookup in vector registers (codegen/mathlib/lookup.c).
// The interval around zero has an odd polynomial, which keeps the relative error small there. Near
// the end of the last interval erf rounds to 1; in f64 the polynomial may stay an ulp below, and
// gelu of large numbers would show it, so 1 is picked. Fitted to mpmath's erf at Chebyshev nodes,
// in f64 to 2^-54 and in f32 to 2^-25.
#include "math/gjm.h"

static const double erf_table[13][16] = {
    {0, 0x1.ad68966569a87p-2, 0x1.762870f720c6fp-1, 0x1.ce1962c0e0d8bp-1, 0x1.f21c9f12f0677p-1,
     0x1.fd0f5317f582fp-1, 0x1.ff87b1913e853p-1, 0x1.fff18ebe2b0e1p-1, 0x1.fffeb3ebb267bp-1,
     0x1.ffffe9bf4098cp-1, 0x1.fffffee3cc32cp-1, 0x1.fffffff57632dp-1, 0x1.ffffffffb5be5p-1,
     0x1.fffffffffe7cp-1, 0x1.fffffffffffa2p-1, 0x1.fffffffffffffp-1},
    {0x1.20dd750429b6dp0, 0x1.eff8c4b1375dfp-1, 0x1.39ccc1b136d6p-1, 0x1.24a55399ea23p-2,
     0x1.92470a61b6961p-4, 0x1.978ae8b55ce4fp-6, 0x1.30499b5039566p-8, 0x1.4ee1429bf7bbcp-11,
     0x1.0f9e1b4dd37fep-14, 0x1.44ba864671541p-18, 0x1.1e1e857adc372p-22, 0x1.7397c5a65870ap-27,
     0x1.63ac6b4e58cb8p-32, 0x1.f5cc77150225cp-38, 0x1.04e15ec73dbc2p-43, 0x1.8c49d6b1e2edp-50},
    {0, -0x1.837a59aa73542p-2, -0x1.ea4feea4e596p-2, -0x1.56f1bdf85e48bp-2, -0x1.3a47801c56ad4p-3,
     -0x1.8dfda7411dfc5p-5, -0x1.6496420204fbp-7, -0x1.c9d7f91145e6fp-10, -0x1.a8670aa9437e8p-13,
     -0x1.1d67f00b5c49ap-16, -0x1.1769ce0338b2p-20, -0x1.8f2c0830bb7a5p-25, -0x1.a0cf176868be5p-30,
     -0x1.3e99dfc388d36p-35, -0x1.5f786e8b75268p-41, -0x1.c2ddcbb259a28p-47},
    {-0x1.812746b036a1dp-2, -0x1.cb7bf78e307c9p-3, 0x1.715e59533286cp-5, 0x1.54c0d66d7ab7bp-3,
     0x1.0453f90d3c393p-3, 0x1.c24b2053de92bp-5, 0x1.fa73d7eb1daa9p-7, 0x1.856614216d139p-9,
     0x1.a3737e2a224c4p-12, 0x1.40ee07ac07285p-15, 0x1.5fe5d4756beb2p-19, 0x1.161fb53cffa19p-23,
     0x1.3e380deef24abp-28, 0x1.085b86a700381p-33, 0x1.3fa8311bbd501p-39, 0x1.623ca0d428e6p-45},
    {0, 0x1.5c0fc7762e612p-3, 0x1.22cdbdb4a7913p-3, 0x1.cf82babf261dep-7, -0x1.8a7c6a237c0bcp-5,
     -0x1.33137b25d4e4ap-5, -0x1.daa3005ab5f0dp-7, -0x1.c812e5ff0b9dep-9, -0x1.24544f149ff53p-11,
     -0x1.024889e21b7dcp-14, -0x1.405db20d0756cp-18, -0x1.1a22578d508c8p-22, -0x1.637090fb19e1p-27,
     -0x1.405525e3fa8f2p-32, -0x1.1744781cf6907p-37, 0x1.ef98a4a5d8ac9p-41},
    {0x1.ce2f219a74fa5p-4, 0x1.4dd7b2d648844p-5, -0x1.da50ae4706c72p-5, -0x1.cf38b9a448461p-5,
     -0x1.075c088567edap-7, 0x1.a342ba1db13f8p-7, 0x1.250942c143258p-7, 0x1.7e02d8b2a923ap-9,
     0x1.2e7e76427b688p-11, 0x1.3b124fcf71c7bp-14, 0x1.bfc96a8e1354ap-18, 0x1.bb32dd396c3dfp-22,
     0x1.3575360048dc9p-26, 0x1.338c3b56dd23ap-31, 0x1.b5c5e7d2589f1p-37, -0x1.5ec05723db47fp-40},
    {0, -0x1.9ebc1e0b44cbep-5, -0x1.75578edc6984bp-6, 0x1.2c17277881734p-6, 0x1.16f9c9b556db2p-6,
     0x1.b4bbb92c862ecp-10, -0x1.99757adc7a9e7p-9, -0x1.c52296369448ap-10, -0x1.da4961d00d68p-12,
     -0x1.2c59d96730da7p-14, -0x1.f199b907161bp-18, -0x1.17c1bcb7715f2p-21, -0x1.b8e5ad80a4b71p-26,
     -0x1.1bdf1e064fc14p-30, 0x1.50a60a7734892p-33, -0x1.977642ebd0425p-34},
    {-0x1.b82cd7f680669p-6, -0x1.09978eeb27071p-8, 0x1.353311e4ed1cap-6, 0x1.e06ba3391fd36p-8,
     -0x1.74c2f8f52536ep-8, -0x1.0493892c75871p-8, -0x1.3903398447f3bp-15, 0x1.58342113c3be6p-11,
     0x1.176cf2ac8c49p-12, 0x1.c558562ed11aap-15, 0x1.c0c4dd0c1b619p-18, 0x1.22b7368016e37p-21,
     0x1.fe6afff28c674p-26, 0x1.35e0b56f818f8p-30, 0x1.07b31071f222fp-35, 0x1.ce6bc1237fce1p-34},
    {0, 0x1.7074a3660b5d2p-7, 0x1.39c701a1d178fp-10, -0x1.8df835545c796p-8, -0x1.760c428f03584p-10,
     0x1.9f5c2a88c157dp-10, 0x1.6a6eef2fe2a02p-11, -0x1.48baa948f4b3ap-14, -0x1.d2b4fb08f06f3p-14,
     -0x1.0d8b4eaef677dp-15, -0x1.4cae7a029b9fcp-18, -0x1.fa73a08ebb2ebp-22, -0x1.280c9973a61e2p-26,
     0x1.96b0709e93fedp-28, -0x1.06b81d1d24d5ap-27, 0x1.26ff1d3ab54e2p-28},
    {0x1.56528b07c935p-8, -0x1.89e4748895965p-13, -0x1.fc2a2ac2b0e27p-9, 0x1.4674f77ecfbc6p-13,
     0x1.a3cb3a9a50452p-10, 0x1.66cb0dcd4f39ap-14, -0x1.71ef42512baa9p-12, -0x1.4fbbdb7e0f427p-14,
     0x1.ab07edec91401p-16, 0x1.ea59f3dd96b69p-17, 0x1.91334f1ecf7d1p-19, 0x1.70bee74121621p-22,
     0x1.aa2d3cf9f2b28p-26, 0x1.45812dfe7da24p-30, 0x1.51d121737923fp-35, -0x1.c22d86cebd722p-29},
    {0, -0x1.0418682aaa3a8p-9, 0x1.9c5a8d90e49c3p-12, 0x1.1181f4bd40f5cp-10, -0x1.02bdf3e945d12p-12,
     -0x1.4b08dc6dfa7a1p-12, 0x1.6259eac3d8f14p-15, 0x1.e2e590e501d9ap-15, 0x1.0f33c485612e9p-18,
     -0x1.50954f15a217dp-18, -0x1.2dc7a860359bap-20, -0x1.7c135d1aacea6p-23, -0x1.24d693a5887d5p-22,
     -0x1.44b4caebed37dp-23, 0x1.56a1ee8c7e33fp-23, -0x1.9e185feebaca5p-24},
    {-0x1.b92e7db65ced6p-11, 0x1.5d5fb20ccd66cp-13, 0x1.2b2625b600d8dp-11, -0x1.f9863373f7a94p-13,
     -0x1.90ebaf452d2b9p-13, 0x1.91045f66ddedcp-14, 0x1.4ec28de20c026p-15, -0x1.ff20af83c9fd4p-17,
     -0x1.ae8c8db184684p-18, 0x1.059eddc0098abp-21, 0x1.2518106b6ec67p-21, 0x1.dcc456c070995p-24,
     0x1.911105a670d27p-27, 0x1.99e52d35dbc2fp-31, 0x1.0f594926ca9cp-35, 0x1.3e0d3ff8e5379p-25},
    {0, 0x1.2d342e367a73cp-12, -0x1.1a65a7926e31dp-13, -0x1.d5f65889e2b38p-14,
     0x1.699c8d3b75455p-14, 0x1.65d132fe360bdp-16, -0x1.4d8ad50a3993fp-16, -0x1.4faa968c17f58p-21,
     0x1.6db205830c1f5p-20, 0x1.1209ae32f2569p-18, -0x1.79f52b10978f3p-19, -0x1.5dec77578c0f4p-22,
     0x1.12e1ac9c2774fp-19, 0x1.4521903f440dbp-20, -0x1.598a891115b88p-20, 0x1.c18d800c8f3d5p-21},
};

static const float erf_tablef[7][16] = {
    {0, 0x1.2bd9dcp-2f, 0x1.1855a6p-1f, 0x1.7b0058p-1f, 0x1.bbef1p-1f, 0x1.e11a3ep-1f,
     0x1.f39bc2p-1f, 0x1.fb9f6p-1f, 0x1.fea422p-1f, 0x1.ffa14ap-1f, 0x1.ffe96ap-1f, 0x1.fffb4ap-1f,
     0x1.ffff24p-1f, 0x1.ffffdep-1f, 0x1.fffffcp-1f, 0x1p0f},
    {0x1.20dd74p0f, 0x1.0d2fa6p0f, 0x1.b3aafcp-1f, 0x1.32281ep-1f, 0x1.75a91cp-2f, 0x1.8c0732p-3f,
     0x1.6c7e64p-4f, 0x1.2351c2p-5f, 0x1.94624cp-7f, 0x1.e7744ap-9f, 0x1.fe41dcp-11f,
     0x1.cfd4cep-13f, 0x1.6e23aep-15f, 0x1.f5f898p-18f, 0x1.2acfb2p-20f, 0x1.800abap-22f},
    {0, -0x1.1e044ap-2f, -0x1.cee5b6p-2f, -0x1.e7f18ap-2f, -0x1.8d0496p-2f, -0x1.06fad4p-2f,
     -0x1.2272dep-3f, -0x1.0ee03ep-4f, -0x1.adc1d2p-6f, -0x1.23a5d8p-7f, -0x1.5201fep-9f,
     -0x1.51e63p-11f, -0x1.1db7a2p-13f, -0x1.478cd8p-15f, -0x1.07d7ecp-16f, -0x1.0b3b52p-14f},
    {-0x1.812286p-2f, -0x1.3444cp-2f, -0x1.f9ff9ep-4f, 0x1.b8e16cp-5f, 0x1.395144p-3f,
     0x1.4db2f6p-3f, 0x1.efba3ap-4f, 0x1.1f2cdep-4f, 0x1.0ea58ap-5f, 0x1.a7af36p-7f, 0x1.16be6ep-8f,
     0x1.36a14p-10f, 0x1.26af5ap-12f, 0x1.ddb5fp-15f, 0x1.4bb9aep-17f, -0x1.51a23p-9f},
    {0, 0x1.1206ecp-3f, 0x1.77d4cep-3f, 0x1.1aca88p-3f, 0x1.8c1f24p-5f, -0x1.7ffc42p-6f,
     -0x1.96103cp-5f, -0x1.585754p-5f, -0x1.a4aa58p-6f, -0x1.754d88p-7f, -0x1.691334p-8f,
     -0x1.c13c64p-10f, -0x1.7e04eep-11f, 0x1.715a44p-10f, 0x1.53ef3ap-10f, -0x1.3feffp-5f},
    {0x1.c8b8e2p-4f, 0x1.370426p-4f, -0x1.f0134ep-10f, -0x1.e741dap-5f, -0x1.0d7458p-4f,
     -0x1.2e4f58p-5f, -0x1.513cbep-8f, 0x1.6550cap-7f, 0x1.978d24p-7f, 0x1.08813ap-7f,
     0x1.f63b8cp-9f, 0x1.771fdp-10f, 0x1.c7755ap-12f, 0x1.c9ab6ap-14f, 0x1.80d884p-16f,
     -0x1.0aa948p-2f},
    {0, -0x1.0b55e6p-4f, -0x1.9011c4p-5f, -0x1.612916p-5f, -0x1.27ad26p-9f, 0x1.960d06p-5f,
     0x1.d664b8p-6f, -0x1.fe37c8p-6f, -0x1.892178p-6f, -0x1.3d0624p-5f, 0x1.5cebep-6f,
     0x1.63c46ap-8f, 0x1.4fb2b4p-7f, -0x1.8e8dd2p-5f, -0x1.5cd79ap-5f, -0x1.48dc82p-1f},
};

double gjm_erf_f64(double x) {
  double a = gjm_abs(x);
  int is_one = a > 0x1.7afb48dc96626p+2; // where erf rounds to 1
  gjm_int n = gjm_nearest_muladd(a, 0x1.47ae147ae147bp+1);
  uint64_t i = n.bits & 15;
  double t = GJM_MULADD(n.value, -0.390625, a), t2 = t * t, t4 = t2 * t2;
  double c = gjm_p3(t, t2, erf_table[8][i], erf_table[9][i], erf_table[10][i], erf_table[11][i]);
  double b = gjm_p3(t, t2, erf_table[4][i], erf_table[5][i], erf_table[6][i], erf_table[7][i]);
  double low = gjm_p3(t, t2, erf_table[0][i], erf_table[1][i], erf_table[2][i], erf_table[3][i]);
  c = GJM_MULADD(t4, erf_table[12][i], c);
  return gjm_copysign(gjm_pick(is_one, 1.0, GJM_MULADD(t4, GJM_MULADD(t4, c, b), low)), x);
}

float gjm_erf_f32(float x) {
  float a = gjm_absf(x);
  a = gjm_pickf(a > 4.0f, 4.0f, a);
  gjm_intf n = gjm_nearest_muladdf(a, 0x1.e1e1e2p+1f);
  uint32_t i = n.bits & 15;
  float t = GJM_MULADDF(n.value, -0.265625f, a), t2 = t * t;
  float high = gjm_p2f(t, t2, erf_tablef[4][i], erf_tablef[5][i], erf_tablef[6][i]);
  float low = gjm_p1f(t, erf_tablef[0][i], erf_tablef[1][i]);
  float mid = gjm_p1f(t, erf_tablef[2][i], erf_tablef[3][i]);
  return gjm_copysignf(GJM_MULADDF(t2, GJM_MULADDF(t2, high, mid), low), x);
}
