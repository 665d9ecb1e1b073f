# Writes a script with a method for each of many operations, and what the methods give.
#
#   python3 torch-ops.py FOLDER
#
# FOLDER/ops.pt has the methods op0, op1, ...; FOLDER/ops.npz their inputs by name and their results, op0_0, op0_1, ...
# A method's parameters are those of the names below that its expression has.
import importlib.util
import re
import sys

import numpy
import torch

torch.manual_seed(3)
torch.set_grad_enabled(False)

INPUTS = {
    'x': torch.randn(3, 4), 'y': torch.randn(3, 4), 'p': torch.rand(3, 4) + 0.1, 'v': torch.randn(4), 'w': torch.randn(5, 4), 's': torch.randn(4, 4), 'b': torch.randn(2, 3, 4),
    'c': torch.randn(2, 4, 5), 'i': torch.tensor([[3, -2, 1, 0], [5, 7, -4, 2], [9, 1, 1, -8]]), 'j': torch.tensor([[2, 3, 5, 1], [2, -3, 4, 3], [-2, 7, 2, 3]]), 'k': torch.tensor([2, 0, 1]),
    'm': torch.tensor([[True, False, True, True], [False, False, True, False], [True, True, False, True]]), 'n': torch.randn(2, 4, 6, 7), 'u': torch.randn(2, 4, 9), 'h': torch.randn(3, 4).half(),
    'q': torch.randn(2, 2, 5, 4), 'z': torch.randn(1, 2, 4, 5, 6), 'd': torch.randn(3, 4).double(), 'o': torch.tensor([1, 2, 3], dtype=torch.uint8), 'r': torch.randn(1, 4, 7, 7),
    'a4': torch.tensor([[float('nan'), 1.0, float('inf')], [-float('inf'), 0.0, -2.5]]), 'ker': torch.randn(6, 2, 3, 3), 'ker1': torch.randn(6, 4, 3), 'kt': torch.randn(4, 3, 3, 3), 'g': torch.rand(2, 3, 3, 2) * 2.4 - 1.2,
}
F = 'torch.nn.functional.'
EXPRESSIONS = '''
x + 2; x - y; 2 - x; x * 3; x / 2; i / 2; i // 2; i % 3; -x; x // 0.7; x % 0.7; torch.fmod(x, 0.7); torch.fmod(i, 3); torch.remainder(i, -3); i + 1.5; i * j; i + m; x + i; m + m; x ** 2; x ** 3; p ** y; p ** 0.5; i ** 2; 2 ** x; torch.pow(2, i.float())
torch.add(x, y, alpha=2); torch.sub(i, j, alpha=3); torch.rsub(x, y, alpha=2); torch.div(x, y, rounding_mode="floor"); torch.div(i, j, rounding_mode="trunc"); torch.div(i, j, rounding_mode="floor"); torch.div(x, 0.3, rounding_mode="trunc"); torch.true_divide(i, j); torch.floor_divide(i, j)
x.abs(); x.sign(); x.floor(); x.ceil(); x.round(); x.trunc(); x.frac(); x.exp(); p.log(); p.sqrt(); p.rsqrt(); x.sin(); x.cos(); x.tan(); x.tanh(); x.sigmoid(); x.erf(); x.erfc(); x.expm1(); p.log1p(); p.log2(); p.log10(); p.reciprocal(); x.square(); x.sinh(); x.cosh(); x.atan(); torch.asin(x.tanh()); torch.acos(x.tanh()); torch.asinh(x); torch.acosh(p + 1); torch.atanh(x.tanh()); torch.erfinv(x.tanh()); torch.lgamma(p); torch.exp2(x); torch.logit(p / 2); torch.logit(x, 0.1); i.float().exp(); i.sqrt(); torch.sigmoid(i); torch.rad2deg(x); torch.deg2rad(x); torch.sinc(x)
torch.atan2(x, y); torch.hypot(x, y); torch.logaddexp(x, y); torch.logaddexp2(x, y); torch.maximum(x, y); torch.minimum(i, j); torch.fmax(x, y); torch.fmin(x, y); torch.max(x, y); torch.min(x, y); torch.xlogy(p, p); torch.copysign(x, y); torch.lerp(x, y, 0.3); torch.lerp(x, y, p); torch.addcmul(x, y, p, value=0.5); torch.addcdiv(x, y, p, value=0.5); torch.heaviside(x, y)
x == y; x != y; x < 0; x <= y; i > j; i >= 2; m & (x > 0); m | (x > 0); m ^ (x > 0); ~m; i & 3; i | j; i ^ j; ~i; torch.logical_and(x, m); torch.logical_or(i, m); torch.logical_xor(m, x > 0); torch.logical_not(i); i << 1; i >> 1; torch.isnan(a4); torch.isinf(a4); torch.isfinite(a4); torch.nan_to_num(a4); torch.nan_to_num(a4, 1.0, 2.0, 3.0); torch.isclose(x, x + 1e-9)
torch.clamp(x, -0.5, 0.5); torch.clamp(x, min=0.1); torch.clamp(x, max=0.1); torch.clamp(i, -2, 4); torch.clamp(i, -0.5, 1.5); torch.clamp_min(x, 0.2); torch.where(m, x, y); torch.where(x > 0, x, torch.zeros_like(x)); torch.where(m, i, x); x.masked_fill(m, 1.5); i.masked_fill(m, -1); x.masked_fill(m, float("-inf"))
torch.relu(x); F.relu6(x * 5); F.gelu(x); F.gelu(x, approximate="tanh"); F.silu(x); F.mish(x); F.elu(x, 0.7); F.celu(x, 0.7); F.selu(x); F.leaky_relu(x, 0.2); F.softplus(x * 20); F.softplus(x, 2.0, 1.0); F.softsign(x); F.logsigmoid(x); F.hardsigmoid(x * 4); F.hardswish(x * 4); F.hardtanh(x, -0.3, 0.4); F.hardshrink(x); F.softshrink(x); F.tanhshrink(x); F.threshold(x, 0.1, 9.0); F.glu(x); F.prelu(x, torch.tensor([0.3])); F.rrelu(x)
F.softmax(x, dim=1); F.log_softmax(x, dim=0); F.softmin(x, dim=1); F.softmax(x, dim=1, dtype=torch.float64); x.softmax(-1)
x.sum(); x.sum(1); x.sum([0, 1]); x.sum(0, keepdim=True); i.sum(); m.sum(1); x.mean(); x.mean(1); x.mean([0], keepdim=True); x.prod(); x.prod(1); i.prod(1); x.max(); x.min(); x.max(1); x.min(0, keepdim=True); i.max(1); x.amax(1); x.amin([0, 1]); torch.aminmax(x, dim=1); x.argmax(); x.argmax(1); x.argmin(0, keepdim=True); m.all(); m.any(1); m.all(0); x.var(); x.var(1); x.var(1, unbiased=False); x.std(0, keepdim=True); torch.var_mean(x, 1); torch.std_mean(x, dim=[0], unbiased=False); x.norm(); x.norm(1, dim=1); torch.norm(x, dim=0); torch.linalg.vector_norm(x, 3.0); torch.logsumexp(x, 1); torch.count_nonzero(i); x.cumsum(1); i.cumsum(0); x.cumprod(1); torch.cummax(x, 1); torch.cummin(x, 0); torch.logcumsumexp(x, 1); x.nansum(); torch.dist(x, y)
x.sort(1); x.sort(0, descending=True); x.argsort(1); x.topk(2); x.topk(2, 0, largest=False); x.median(); x.median(1); torch.kthvalue(x, 2, 1); torch.diff(x, 1, 1)
x.t(); x.transpose(0, 1); b.permute(2, 0, 1); x.reshape(2, 6); x.view(-1); x.flatten(); b.flatten(1); x.unsqueeze(1); b[:, :1].squeeze(1); x.squeeze(); x[1]; x[:, 1]; x[-1, -2]; x[1:]; x[:, ::2]; x[:, 1:-1]; x[..., 0]; b[:, None, 1]; x[1:2, 1:3]; x.narrow(1, 1, 2); x.select(1, -1); b.unbind(1); x.chunk(2, 1); x.chunk(3, 1); x.split(3, 1); x.split([1, 3], 1); torch.tensor_split(x, 3, dim=1); torch.tensor_split(x, [1, 2], dim=1); x.expand(2, 3, 4); x[:, :1].expand(-1, 4); x.expand_as(b); x.repeat(2, 1, 2); torch.tile(x, [2]); x.repeat_interleave(2, dim=1); x.repeat_interleave(2); torch.repeat_interleave(x, k, dim=0); x.roll(1); x.roll([1, -1], [0, 1]); x.flip([0, 1]); torch.rot90(x, 1, [0, 1]); x.diagonal(); x.diagonal(1); torch.diag(v); torch.diag(s, 1); torch.diag_embed(x); x.tril(); x.triu(1); x.tril(-1); b.movedim(0, 2); b.swapaxes(0, 1); torch.cat([x, y], 1); torch.cat([x, i], 0); torch.stack([x, y], -1); torch.hstack([x, y]); torch.vstack([v, x]); torch.hstack([v, v]); torch.broadcast_to(v, [3, 4]); torch.meshgrid(v, k.float(), indexing="ij"); torch.meshgrid([v, k.float()], indexing="xy"); x.unfold(1, 2, 1); b.unflatten(2, [2, 2]); torch.atleast_2d(v); torch.select_scatter(x, v, 0, 1); torch.slice_scatter(x, y[:, :2], 1, 0, 4, 2); torch.slice_scatter(x, y[:2], 0, -2)
x.double(); x.half(); x.long(); i.float(); i.to(torch.float64); x.to(torch.int32); x.to(y); x.to(d); x.type_as(i); x.int(); o.float(); o + 1; o + 1.5; o * o; h + 1; h * h; h + x[0, 0]; d + x; x * torch.tensor(2.0, dtype=torch.float64); i * torch.tensor(2.5); m * 2; h.float().sum()
torch.zeros(2, 3); torch.ones([2], dtype=torch.long); torch.full([2, 2], 3); torch.full([2], 1.5); torch.full_like(x, 2.0); torch.zeros_like(i); torch.ones_like(x, dtype=torch.bool); x.new_zeros([2, 2]); x.new_full([2], 7); torch.arange(5); torch.arange(1, 9, 3); torch.arange(0.0, 1.0, 0.25); torch.arange(5.0); torch.linspace(0, 1, 5); torch.linspace(-2.0, 3.0, 4); torch.eye(3); torch.eye(2, 4); torch.tril_indices(3, 3); torch.triu_indices(3, 4, 1); torch.hann_window(6); torch.hamming_window(5); torch.hann_window(6, periodic=False); torch.blackman_window(7); torch.bartlett_window(6); torch.tensor([1, 2, 3]); torch.tensor([[1.0, 2.0]]); torch.tensor(3)
x[k]; x[:, k]; x[k, k]; x[m]; b[:, k, 1]; x[:, None][k]; x[k[:, None], k[None]]; torch.index_select(x, 1, k); x.gather(1, k.unsqueeze(1)); x.gather(0, i % 3); torch.take(x, k); torch.take_along_dim(x, k[:, None], 1); torch.scatter(x, 1, k[:, None], 5.0); torch.scatter(x, 0, i % 3, y); torch.scatter_add(x, 1, k[:, None], y); torch.index_add(x, 0, k, y); torch.index_copy(x, 0, k, y); torch.index_fill(x, 1, k, 2.0); torch.masked_select(x, m); torch.nonzero(m); torch.argwhere(i > 2); x.index_put([k], v); x.index_put([k, k], torch.tensor(1.0), accumulate=True); torch.masked_scatter(x, m, y); F.one_hot(k, 4); F.embedding(k, w); torch.searchsorted(v.sort()[0], x); torch.searchsorted(v.sort()[0], x, right=True); torch.bucketize(x, v.sort()[0]); torch.isin(i, k); torch.scatter(x, 1, k[:, None], y, reduce="add"); x.scatter_reduce(0, i % 3, y, reduce="amax"); torch.unique(i); torch.where(m); x[1:, [0, 2]]
x @ s; torch.matmul(b, c[0]); torch.mm(x, s); torch.bmm(b, c); torch.mv(x, v); torch.dot(v, v); torch.outer(v, v); torch.addmm(y, x, s, beta=0.5, alpha=2.0); torch.baddbmm(b[:, :, :1], b, c); torch.addmv(v, s, v); F.linear(x, w); F.linear(x, w, torch.ones(5)); torch.einsum("ij,kj->ik", x, w); torch.einsum("bij,bjk->bk", b, c); torch.einsum("ii->i", s); torch.tensordot(x, w, dims=([1], [1])); torch.kron(v, v); torch.trace(s); torch.cross(x[:, :3], y[:, :3], dim=1); F.bilinear(x, y, torch.ones(2, 4, 4)); torch.cdist(x, w); F.cosine_similarity(x, y); F.pairwise_distance(x, y); torch.matrix_power(s, 3); torch.inner(x, w); torch.chain_matmul(x, s, s); torch.addr(s, v, v)
F.conv2d(n, ker, groups=2); F.conv2d(n, ker, torch.ones(6), stride=2, padding=1, groups=2); F.conv2d(n, ker, padding="same", groups=2); F.conv2d(n, ker, dilation=2, groups=2); F.conv2d(n[0], ker, groups=2); F.conv1d(u, ker1, padding=2); F.conv_transpose2d(n, kt, stride=2, padding=1, output_padding=1); F.conv_transpose2d(n, kt, dilation=2); F.conv_transpose1d(u, torch.ones(4, 2, 3), stride=3, groups=2); F.conv3d(z, torch.ones(2, 2, 2, 2, 2))
F.batch_norm(n, torch.zeros(4), torch.ones(4)); F.batch_norm(n, None, None, training=True); F.layer_norm(x, [4]); F.layer_norm(b, [3, 4], torch.ones(3, 4), torch.ones(3, 4)); F.group_norm(n, 2); F.instance_norm(n); F.local_response_norm(n, 3); F.normalize(x); F.normalize(x, p=1.0, dim=0)
F.max_pool2d(n, 2); F.max_pool2d(n, 3, 2, 1); F.max_pool2d(n, 3, 2, ceil_mode=True); F.max_pool2d(n, 2, dilation=2); F.max_pool2d(n, 2, return_indices=True); F.avg_pool2d(n, 2); F.avg_pool2d(n, 3, 2, 1); F.avg_pool2d(n, 3, 2, 1, count_include_pad=False); F.avg_pool2d(n, 3, 2, ceil_mode=True); F.avg_pool2d(n, 3, 2, 1, ceil_mode=True); F.avg_pool2d(n, 2, divisor_override=3); F.max_pool1d(u, 3); F.avg_pool1d(u, 3, 2, 1); F.adaptive_avg_pool2d(n, (3, 5)); F.adaptive_avg_pool2d(n, (1, 1)); F.adaptive_max_pool2d(n, (2, 3)); F.adaptive_avg_pool1d(u, 4); F.max_pool3d(z, 2); F.lp_pool2d(n, 2.0, 2); F.adaptive_max_pool2d(n, (2, 7), return_indices=True)
F.pad(x, [1, 2]); F.pad(x, [1, 2, 3, 0], value=1.5); F.pad(x, [-1, 1]); F.pad(n, [1, 2, 2, 1], mode="reflect"); F.pad(n, [1, 2, 2, 1], mode="replicate"); F.pad(n, [1, 2, 2, 1], mode="circular"); F.pad(u, [2, 1], mode="reflect")
F.interpolate(n, scale_factor=2.0); F.interpolate(n, size=[9, 5]); F.interpolate(n, size=[9, 5], mode="bilinear"); F.interpolate(n, size=[9, 5], mode="bilinear", align_corners=True); F.interpolate(n, scale_factor=1.7, mode="bilinear"); F.interpolate(n, scale_factor=0.6, mode="bilinear", recompute_scale_factor=True); F.interpolate(n, size=[9, 5], mode="bicubic"); F.interpolate(n, scale_factor=1.5, mode="bicubic", align_corners=True); F.interpolate(u, size=[5], mode="linear"); F.interpolate(n, size=[4, 3], mode="nearest-exact"); F.interpolate(n, scale_factor=1.3); F.interpolate(n, size=[3, 4], mode="bilinear", antialias=True); F.interpolate(n, size=[3, 4], mode="bicubic", antialias=True); F.interpolate(n, size=[3, 4], mode="area"); F.grid_sample(n, g); F.grid_sample(n, g, mode="nearest", align_corners=True); F.grid_sample(n, g, mode="bicubic", padding_mode="border"); F.grid_sample(n, g, padding_mode="reflection"); F.affine_grid(torch.ones(2, 2, 3), [2, 1, 3, 4]); F.pixel_shuffle(n, 2); F.pixel_unshuffle(n[:, :, :, :6], 2); F.unfold(n, 3, padding=1); F.fold(F.unfold(n, 2, stride=2), [6, 6], 2, stride=2); F.channel_shuffle(n, 2)
F.mse_loss(x, y); F.l1_loss(x, y); F.cross_entropy(x, k); F.binary_cross_entropy_with_logits(x, p.clamp(0, 1)); F.kl_div(x, p, reduction="sum"); F.smooth_l1_loss(x, y); F.nll_loss(x, k)
torch.fft.fft(x).abs(); torch.fft.rfft(u).abs(); torch.stft(u[:, 0], 4, 2, window=torch.hann_window(4), return_complex=True).abs(); torch.view_as_real(torch.stft(u[:, 0], 4, 2, return_complex=True)); torch.fft.irfft(torch.fft.rfft(u)); torch.linalg.inv(s); torch.linalg.det(s); F.multi_head_attention_forward(b, b, b, 4, 2, torch.ones(12, 4), torch.ones(12), None, None, False, 0.0, torch.ones(4, 4), torch.ones(4), training=False)
'''


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in leaves(each)]
    return [] if value is None else [torch.tensor(value)]


HEAD = ['import torch', 'import torch.nn.functional as F']


def write(path, lines):
    with open(path, 'w') as file:
        file.write('\n'.join(lines) + '\n')


def imported(path):
    spec = importlib.util.spec_from_file_location('generated', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(folder):
    expressions = [each.strip() for line in EXPRESSIONS.strip().split('\n') for each in line.split(';')]
    names = [[name for name in INPUTS if re.search(rf'(?<![\w."]){name}(?![\w"=(])', text)] for text in expressions]
    path = f'{folder}/generated.py'
    write(path, HEAD + [f'def op{i}({", ".join(names[i])}):\n    return {text}' for i, text in enumerate(expressions)])
    functions = imported(path)
    kept = []
    for i, text in enumerate(expressions):
        try:
            results = leaves(torch.jit.script(getattr(functions, f'op{i}'))(*[INPUTS[name].clone() for name in names[i]]))
            kept.append((text, names[i], results))
        except Exception as error:
            print('not scripted:', text, [line for line in str(error).split('\n') if line][:1])
    lines = HEAD + ['class Ops(torch.nn.Module):', '    def forward(self, x):', '        return x']
    for i, (text, parameters, _) in enumerate(kept):
        lines += ['    @torch.jit.export', f'    def op{i}({", ".join(["self", *parameters])}):', f'        return {text}']
    write(path, lines)
    torch.jit.script(imported(path).Ops().eval()).save(f'{folder}/ops.pt')
    arrays = {name: tensor.numpy() for name, tensor in INPUTS.items()}
    for i, (_, _, results) in enumerate(kept):
        arrays.update({f'op{i}_{n}': result.numpy() for n, result in enumerate(results)})
    numpy.savez(f'{folder}/ops.npz', **arrays)
    write(f'{folder}/ops.txt', [text for text, _, _ in kept])


main(*sys.argv[1:])
