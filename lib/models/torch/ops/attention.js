/**
 * Attention, and the layers of transformers that PyTorch has as one op.
 */
'use strict';

/** @typedef {import('../call.js').Call} Call */

/**
 * with the weights, step by step
 *
 * @type {(q: any, k: any, v: any, options: { mask?: any, causal?: boolean, scale?: number }) => { output: any, weights: any }}
 */
function spelledOut(q, k, v, { mask, scale }) {
  const scores = q.mul(scale ?? 1 / Math.sqrt(Number(q.shape[q.rank - 1]))).matmul(k.matrixTranspose());
  const masked = mask === undefined ? scores : mask.dtype === 'bool' ? mask.select(scores, -Infinity) : scores.add(mask);
  const weights = masked.softmax({ axis: -1 });
  return { output: weights.matmul(v), weights };
}

/** @type {(call: Call) => { mask?: any, causal?: boolean, scale?: number }} */
const optionsOf = (call) => ({
  ...(call.has('attn_mask') ? { mask: call.value('attn_mask') } : {}),
  ...(call.flag('is_causal') ? { causal: true } : {}),
  ...(call.has('scale') ? { scale: call.number('scale') } : {}),
});

/** @type {(call: Call) => any} */
function attention(call) {
  if (call.has('dropout_p') && call.number('dropout_p') > 0) call.fail('ERR_UNSUPPORTED', 'it drops elements at random, as in training: save the model after eval()');
  const [q, k, v] = ['query', 'key', 'value'].map((name) => call.value(name));
  return q.attention(k, v, optionsOf(call));
}

/** @type {(call: Call) => any} the form of version 1.13, which also gives weights */
function attentionWithWeights(call) {
  if (!call.flag('need_attn_weights')) return [attention(call), null];
  const [q, k, v] = ['query', 'key', 'value'].map((name) => call.value(name));
  const { output, weights } = spelledOut(q, k, v, optionsOf(call));
  return [output, weights];
}

/** [batch, places, features] as [batch, heads, places, features of a head]. @type {(x: any, heads: number) => any} */
const inHeads = (x, heads) => x.reshape([x.shape[0], x.shape[1], heads, -1]).swapaxes(1, 2);

/**
 * Self-attention of [batch, places, features]; the masks of PyTorch are true where nothing is seen.
 *
 * @param {{ query: any, key: any, value: any, heads: number, qkvWeight: any, qkvBias: any, weight: any, bias: any, mask?: any }} given
 * @returns {{ output: any, weights: any }}
 */
function multiHead({ query, key, value, heads, qkvWeight, qkvBias, weight, bias, mask }) {
  const parts = [query, key, value].map((x, i) => {
    const [w, b] = [qkvWeight, qkvBias].map((each) => each.split(3, { axis: 0 })[i]);
    return inHeads(x.linear(w, b), heads);
  });
  const { output, weights } = spelledOut(parts[0], parts[1], parts[2], { mask });
  const joined = output.swapaxes(1, 2).reshape([query.shape[0], query.shape[1], -1]);
  return { output: joined.linear(weight, bias), weights };
}

/** A mask of sources is [places, places]; one of padding [batch, places], for all queries. @type {(call: Call) => any} */
function maskOf(call) {
  if (!call.has('mask')) return undefined;
  const mask = call.value('mask');
  const isPadding = call.has('mask_type') ? call.int('mask_type') === 1 : mask.rank === 2;
  const wide = isPadding && mask.rank === 2 ? mask.expandDims(1).expandDims(1) : mask;
  return wide.dtype === 'bool' ? wide.not() : wide;
}

/** @type {(call: Call) => any} */
function encoderLayer(call) {
  const x = call.value('src');
  const isNormFirst = call.flag('norm_first');
  const norm = (/** @type {any} */ value, /** @type {1 | 2} */ i) => value.layerNorm({ scale: call.value(`norm_weight_${i}`), bias: call.value(`norm_bias_${i}`), epsilon: call.number('eps') });
  const attend = (/** @type {any} */ value) =>
    multiHead({
      query: value, key: value, value, heads: call.int('num_heads'), qkvWeight: call.value('qkv_weight'), qkvBias: call.value('qkv_bias'),
      weight: call.value('proj_weight'), bias: call.value('proj_bias'), mask: maskOf(call),
    }).output;
  const feed = (/** @type {any} */ value) => {
    const hidden = value.linear(call.value('ffn_weight_1'), call.value('ffn_bias_1'));
    return (call.flag('use_gelu') ? hidden.gelu() : hidden.relu()).linear(call.value('ffn_weight_2'), call.value('ffn_bias_2'));
  };
  if (isNormFirst) {
    const attended = x.add(attend(norm(x, 1)));
    return attended.add(feed(norm(attended, 2)));
  }
  const attended = norm(x.add(attend(x)), 1);
  return norm(attended.add(feed(attended)), 2);
}

/** @type {(call: Call) => any} */
function nativeMultiHead(call) {
  const { output, weights } = multiHead({
    query: call.value('query'), key: call.value('key'), value: call.value('value'), heads: call.int('num_head'), qkvWeight: call.value('qkv_weight'),
    qkvBias: call.value('qkv_bias'), weight: call.value('proj_weight'), bias: call.value('proj_bias'), mask: maskOf(call),
  });
  if (!call.flag('need_weights')) return [output, null];
  return [output, call.flag('average_attn_weights') ? weights.mean({ axis: 1 }) : weights];
}

const QKV = 'query, key, value';

/** @type {import('./index.js').Ops} */
const ops = {
  [`scaled_dot_product_attention(${QKV}, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False)`]: attention,
  [`_scaled_dot_product_attention(${QKV}, attn_mask=None, dropout_p=0.0, need_attn_weights=False, is_causal=False)`]: attentionWithWeights,
  [`_scaled_dot_product_flash_attention_for_cpu(${QKV}, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None)`]: (call) => [attention(call), null],
  [`_scaled_dot_product_efficient_attention(${QKV}, attn_mask, compute_log_sumexp, dropout_p=0.0, is_causal=False, *, scale=None)`]: (call) => [attention(call), null],
  '_transformer_encoder_layer_fwd(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps, norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, mask=None, mask_type=None)': encoderLayer,
  [`_native_multi_head_attention(${QKV}, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask=None, need_weights=True, average_attn_weights=True, mask_type=None)`]: nativeMultiHead,
};

module.exports = { ops };
