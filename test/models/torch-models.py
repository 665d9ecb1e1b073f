# Writes models of PyTorch with small random weights, traced and scripted, and what they give for recorded inputs.
#
#   python3 torch-models.py FOLDER [pattern]
#   python3 torch-models.py torch-recorded recorded
#
# The second makes the files that are kept: the small ones, and a checkpoint.
#
# Each is FOLDER/name.pt beside FOLDER/name.npz, which has inputs in0, in1, ... and results out0, out1, ... in the order
# of their places in nested results.
import re
import sys
from typing import Dict, List, Optional, Tuple

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_grad_enabled(False)
torch.manual_seed(0)


class ConvBlock(nn.Sequential):
    def __init__(self, i, o, k=3, stride=1, groups=1, act=nn.ReLU):
        super().__init__(nn.Conv2d(i, o, k, stride, k // 2, groups=groups, bias=False), nn.BatchNorm2d(o), act())


class BasicBlock(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(i, o, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(o)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(o, o, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(o)
        self.downsample = None if stride == 1 and i == o else nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        self.layers = nn.Sequential(BasicBlock(8, 8), BasicBlock(8, 16, 2), BasicBlock(16, 16))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        x = self.layers(self.stem(x))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class InvertedResidual(nn.Module):
    def __init__(self, i, o, stride, expand):
        super().__init__()
        h = i * expand
        self.use_res = stride == 1 and i == o
        self.conv = nn.Sequential(ConvBlock(i, h, 1, act=nn.ReLU6), ConvBlock(h, h, 3, stride, h, act=nn.ReLU6), nn.Conv2d(h, o, 1, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        if self.use_res:
            return x + self.conv(x)
        return self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(ConvBlock(3, 8, 3, 2, act=nn.ReLU6), InvertedResidual(8, 8, 1, 2), InvertedResidual(8, 12, 2, 3), InvertedResidual(12, 12, 1, 3))
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(12, 10))

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


class SqueezeExcite(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(c, c // 2, 1)
        self.fc2 = nn.Conv2d(c // 2, c, 1)

    def forward(self, x):
        return x * torch.sigmoid(self.fc2(F.silu(self.fc1(self.avgpool(x)), inplace=True)))


class EfficientNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(ConvBlock(3, 8, 3, 2, act=nn.SiLU), ConvBlock(8, 16, 1, act=nn.SiLU), ConvBlock(16, 16, 5, 2, 16, act=nn.SiLU), SqueezeExcite(16), nn.Conv2d(16, 8, 1, bias=False), nn.BatchNorm2d(8))
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        return self.head(self.net(x).mean([2, 3]))


class MobileNetV3(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = ConvBlock(3, 8, 3, 2, act=nn.Hardswish)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(8, 4, 1)
        self.fc2 = nn.Conv2d(4, 8, 1)
        self.gate = nn.Hardsigmoid()

    def forward(self, x):
        x = self.a(x)
        scale = self.gate(self.fc2(F.relu(self.fc1(self.pool(x)))))
        return F.hardswish(scale * x)


class Fire(nn.Module):
    def __init__(self, i, s, e):
        super().__init__()
        self.squeeze, self.e1, self.e3 = nn.Conv2d(i, s, 1), nn.Conv2d(s, e, 1), nn.Conv2d(s, e, 3, padding=1)

    def forward(self, x):
        x = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.e1(x)), F.relu(self.e3(x))], 1)


class SqueezeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, ceil_mode=True), Fire(8, 4, 8), Fire(16, 4, 8), nn.MaxPool2d(3, 2, ceil_mode=True), Fire(16, 6, 12))
        self.classifier = nn.Sequential(nn.Dropout(0.5), nn.Conv2d(24, 10, 1), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1)))

    def forward(self, x):
        return torch.flatten(self.classifier(self.features(x)), 1)


class VGG(nn.Module):
    def __init__(self):
        super().__init__()
        layers = []
        channels = 3
        for v in [4, 'M', 8, 8, 'M']:
            if v == 'M':
                layers.append(nn.MaxPool2d(2, 2))
            else:
                layers += [nn.Conv2d(channels, v, 3, padding=1), nn.BatchNorm2d(v), nn.ReLU(True)]
                channels = v
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d((3, 3))
        self.classifier = nn.Sequential(nn.Linear(72, 16), nn.ReLU(True), nn.Dropout(), nn.Linear(16, 10))

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


class DenseLayer(nn.Module):
    def __init__(self, i, growth):
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(i), nn.Conv2d(i, 8, 1, bias=False)
        self.norm2, self.conv2 = nn.BatchNorm2d(8), nn.Conv2d(8, growth, 3, padding=1, bias=False)

    def forward(self, inputs: List[torch.Tensor]):
        x = torch.cat(inputs, 1)
        return self.conv2(F.relu(self.norm2(self.conv1(F.relu(self.norm1(x))))))


class DenseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 6, 3, padding=1)
        self.layers = nn.ModuleList([DenseLayer(6 + 4 * i, 4) for i in range(3)])
        self.transition = nn.Sequential(nn.BatchNorm2d(18), nn.ReLU(), nn.Conv2d(18, 8, 1), nn.AvgPool2d(2, 2))
        self.fc = nn.Linear(8, 10)

    def forward(self, x):
        features = [self.stem(x)]
        for layer in self.layers:
            features.append(layer(features))
        x = self.transition(torch.cat(features, 1))
        return self.fc(F.adaptive_avg_pool2d(F.relu(x), (1, 1)).flatten(1))


def channel_shuffle(x, groups: int):
    b, c, h, w = x.shape
    return x.view(b, groups, c // groups, h, w).transpose(1, 2).contiguous().view(b, -1, h, w)


class ShuffleUnit(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch = nn.Sequential(ConvBlock(4, 4, 1), nn.Conv2d(4, 4, 3, padding=1, groups=4), nn.BatchNorm2d(4), ConvBlock(4, 4, 1))

    def forward(self, x):
        a, b = x.chunk(2, dim=1)
        return channel_shuffle(torch.cat((a, self.branch(b)), dim=1), 2)


class ShuffleNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.units, self.fc = ConvBlock(3, 8, 3, 2), nn.Sequential(ShuffleUnit(), ShuffleUnit()), nn.Linear(8, 10)

    def forward(self, x):
        return self.fc(self.units(self.stem(x)).mean([2, 3]))


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.b1, self.b2, self.b3 = ConvBlock(3, 4, 1), nn.Sequential(ConvBlock(3, 4, 1), ConvBlock(4, 4, 3)), nn.Conv2d(3, 4, (1, 7), padding=(0, 3))

    def branches(self, x) -> List[torch.Tensor]:
        pool = F.avg_pool2d(x, kernel_size=3, stride=1, padding=1)
        return [self.b1(x), self.b2(x), F.relu(self.b3(x)), pool]

    def forward(self, x):
        x_ch0 = torch.unsqueeze(x[:, 0], 1) * (0.229 / 0.5) + (0.485 - 0.5) / 0.5
        x_ch1 = torch.unsqueeze(x[:, 1], 1) * (0.224 / 0.5) + (0.456 - 0.5) / 0.5
        x_ch2 = torch.unsqueeze(x[:, 2], 1) * (0.225 / 0.5) + (0.406 - 0.5) / 0.5
        return torch.cat(self.branches(torch.cat((x_ch0, x_ch1, x_ch2), 1)), 1)


class UNet(nn.Module):
    def __init__(self, transposed: bool):
        super().__init__()
        self.down, self.mid = ConvBlock(3, 6), ConvBlock(6, 12)
        self.up = nn.ConvTranspose2d(12, 6, 2, 2) if transposed else nn.Sequential(nn.Upsample(scale_factor=2, mode='bilinear', align_corners=True), nn.Conv2d(12, 6, 1))
        self.last = nn.Conv2d(12, 2, 1)

    def forward(self, x):
        a = self.down(x)
        b = self.up(self.mid(F.max_pool2d(a, 2)))
        dy, dx = a.size(2) - b.size(2), a.size(3) - b.size(3)
        b = F.pad(b, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.last(torch.cat([a, b], dim=1))


class FPN(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = ConvBlock(3, 4, 3, 2), ConvBlock(4, 8, 3, 2)
        self.lat1, self.lat2 = nn.Conv2d(4, 6, 1), nn.Conv2d(8, 6, 1)

    def forward(self, x) -> Dict[str, torch.Tensor]:
        a = self.c1(x)
        b = self.c2(a)
        top = self.lat2(b)
        low = self.lat1(a) + F.interpolate(top, size=a.shape[-2:], mode='nearest')
        return {'p1': low, 'p2': top}


class ConvNeXt(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.dw = nn.Conv2d(3, 8, 4, 4), nn.Conv2d(8, 8, 7, padding=3, groups=8)
        self.norm, self.pw1, self.pw2 = nn.LayerNorm(8, eps=1e-6), nn.Linear(8, 32), nn.Linear(32, 8)
        self.gamma = nn.Parameter(0.1 * torch.ones(8))

    def forward(self, x):
        x = self.stem(x)
        y = self.dw(x).permute(0, 2, 3, 1)
        y = self.gamma * self.pw2(F.gelu(self.pw1(self.norm(y))))
        return x + y.permute(0, 3, 1, 2)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(3, 6, 3), nn.InstanceNorm2d(6, affine=True), nn.LeakyReLU(0.2), nn.GroupNorm(2, 6), nn.PReLU(6),
                                 nn.ConvTranspose2d(6, 3, 3, 2, 1, 1), nn.Tanh())

    def forward(self, x):
        return self.net(x)


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.shuffle = nn.Conv2d(1, 8, 5, padding=2), nn.Conv2d(8, 4, 3, padding=1), nn.PixelShuffle(2)

    def forward(self, x):
        return self.shuffle(self.b(torch.relu(self.a(x)))) + F.interpolate(x, scale_factor=2.0, mode='bicubic', align_corners=False)


class ViT(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch, self.cls, self.pos = nn.Conv2d(3, 16, 4, 4), nn.Parameter(torch.randn(1, 1, 16)), nn.Parameter(torch.randn(1, 17, 16))
        self.norm1, self.qkv, self.proj, self.norm2 = nn.LayerNorm(16), nn.Linear(16, 48), nn.Linear(16, 16), nn.LayerNorm(16)
        self.mlp = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
        self.head, self.heads = nn.Linear(16, 10), 2

    def attend(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        a = (q @ k.transpose(-2, -1)) * (c // self.heads) ** -0.5
        return self.proj((a.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, n, c))

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls.expand(x.shape[0], -1, -1), x), dim=1) + self.pos
        x = x + self.attend(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        return self.head(x[:, 0])


class Swin(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj, self.window = nn.Linear(4, 4), 4
        self.table = nn.Parameter(torch.randn(49))
        coords = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing='ij')).flatten(1)
        relative = coords[:, :, None] - coords[:, None, :] + 3
        self.register_buffer('index', relative[0] * 7 + relative[1])

    def forward(self, x):
        b, h, w, c = x.shape
        x = torch.roll(x, shifts=(-2, -2), dims=(1, 2))
        x = x.view(b, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, 16, c)
        q = self.proj(x)
        a = q @ q.transpose(-2, -1) + self.table[self.index.view(-1)].view(16, 16)
        mask = torch.zeros(16, 16)
        mask[:8, 8:] = -100.0
        x = F.softmax(a + mask.unsqueeze(0), dim=-1) @ x
        x = x.view(b, h // 4, w // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        return torch.roll(x, shifts=(2, 2), dims=(1, 2))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.word, self.place, self.kind = nn.Embedding(50, 16, padding_idx=0), nn.Embedding(32, 16), nn.Embedding(2, 16)
        self.norm, self.q, self.k, self.v, self.o, self.norm1 = nn.LayerNorm(16, eps=1e-12), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.LayerNorm(16)
        self.up, self.down, self.norm2, self.pooler = nn.Linear(16, 32), nn.Linear(32, 16), nn.LayerNorm(16), nn.Linear(16, 16)

    def split(self, x):
        return x.view(x.size(0), x.size(1), 2, 8).permute(0, 2, 1, 3)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        places = torch.arange(ids.size(1), device=ids.device).unsqueeze(0).expand_as(ids)
        x = self.norm(self.word(ids) + self.place(places) + self.kind(torch.zeros_like(ids)))
        bias = (1.0 - mask[:, None, None, :].to(torch.float32)) * -10000.0
        scores = torch.matmul(self.split(self.q(x)), self.split(self.k(x)).transpose(-1, -2)) / 8 ** 0.5 + bias
        y = torch.matmul(F.softmax(scores, dim=-1), self.split(self.v(x))).permute(0, 2, 1, 3).contiguous()
        x = self.norm1(x + self.o(y.view(y.size(0), y.size(1), 16)))
        x = self.norm2(x + self.down(F.gelu(self.up(x))))
        return x, torch.tanh(self.pooler(x[:, 0]))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(40, 16), nn.Embedding(16, 16)
        self.ln1, self.attn, self.proj, self.ln2, self.fc, self.out, self.lnf = nn.LayerNorm(16), nn.Linear(16, 48), nn.Linear(16, 16), nn.LayerNorm(16), nn.Linear(16, 64), nn.Linear(64, 16), nn.LayerNorm(16)
        self.register_buffer('causal', torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, ids):
        b, t = ids.size()
        x = self.wte(ids) + self.wpe(torch.arange(0, t, dtype=torch.long, device=ids.device))
        q, k, v = self.attn(self.ln1(x)).split(16, dim=2)
        q, k, v = [e.view(b, t, 4, 4).transpose(1, 2) for e in (q, k, v)]
        a = (q @ k.transpose(-2, -1)) * (1.0 / 2.0)
        a = a.masked_fill(self.causal[:, :, :t, :t] == 0, float('-inf'))
        y = (F.softmax(a, dim=-1) @ v).transpose(1, 2).contiguous().view(b, t, 16)
        x = x + self.proj(y)
        h = self.fc(self.ln2(x))
        h = 0.5 * h * (1.0 + torch.tanh(0.7978845608028654 * (h + 0.044715 * torch.pow(h, 3.0))))
        x = self.lnf(x + self.out(h))
        return F.linear(x, self.wte.weight)


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.q, self.k, self.v, self.o = nn.Embedding(40, 16), nn.Linear(16, 16, bias=False), nn.Linear(16, 8, bias=False), nn.Linear(16, 8, bias=False), nn.Linear(16, 16, bias=False)
        self.gate, self.up, self.down, self.weight = nn.Linear(16, 32, bias=False), nn.Linear(16, 32, bias=False), nn.Linear(32, 16, bias=False), nn.Parameter(torch.rand(16))

    def norm(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    def rotate(self, x):
        t = x.size(2)
        angle = torch.outer(torch.arange(t).float(), 1.0 / (10000.0 ** (torch.arange(0, 4, 2).float() / 4)))
        full = torch.cat((angle, angle), dim=-1)
        a, b = x[..., :2], x[..., 2:]
        return x * full.cos() + torch.cat((-b, a), dim=-1) * full.sin()

    def forward(self, ids):
        x = self.embed(ids)
        b, t, _ = x.shape
        y = self.norm(x)
        q = self.rotate(self.q(y).view(b, t, 4, 4).transpose(1, 2))
        k = self.rotate(self.k(y).view(b, t, 2, 4).transpose(1, 2))
        v = self.v(y).view(b, t, 2, 4).transpose(1, 2)
        k, v = k.repeat_interleave(2, dim=1), v[:, :, None].expand(b, 2, 2, t, 4).reshape(b, 4, t, 4)
        mask = torch.full((t, t), float('-inf')).triu(1)
        a = torch.softmax(q @ k.transpose(2, 3) / 2.0 + mask, dim=-1)
        x = x + self.o((a @ v).transpose(1, 2).reshape(b, t, 16))
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class T5Bias(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(8, 2)

    def forward(self, x):
        q, k = x.size(1), x.size(1)
        relative = torch.arange(k)[None, :] - torch.arange(q)[:, None]
        far = 2 + (torch.log(relative.abs().float() / 2 + 1e-9) / 1.5 * 2).to(torch.long)
        far = torch.min(far, torch.full_like(far, 3))
        bucket = (relative > 0).to(torch.long) * 4 + torch.where(relative.abs() < 2, relative.abs(), far)
        return self.table(bucket).permute([2, 0, 1]).unsqueeze(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.lstm, self.out = nn.Embedding(30, 8), nn.LSTM(8, 6, num_layers=2, bidirectional=True, batch_first=True), nn.Linear(12, 5)

    def forward(self, ids):
        y, _ = self.lstm(self.embed(ids))
        return F.log_softmax(self.out(y), dim=2)


class LSTMState(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 6, proj_size=3)

    def forward(self, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor):
        y, (hn, cn) = self.lstm(x, (h, c))
        return y, hn, cn


class GRUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.rnn, self.fc = nn.GRU(5, 6, 2, batch_first=True), nn.RNN(6, 4, nonlinearity='relu', bias=False), nn.Linear(4, 2)

    def forward(self, x):
        y, h = self.gru(x)
        z, _ = self.rnn(y.transpose(0, 1))
        return self.fc(z[-1]), h


class Wav2Vec(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.n1, self.c2 = nn.Conv1d(1, 8, 10, 5, bias=False), nn.GroupNorm(8, 8), nn.Conv1d(8, 8, 3, 2, bias=False)
        self.norm, self.proj = nn.LayerNorm(8), nn.Linear(8, 8)
        self.pos = nn.utils.weight_norm(nn.Conv1d(8, 8, 4, padding=2, groups=2), dim=2)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation='gelu')

    def forward(self, x):
        x = F.gelu(self.n1(self.c1(x.unsqueeze(1))))
        x = F.gelu(self.c2(x)).transpose(1, 2)
        x = self.proj(self.norm(x))
        p = self.pos(x.transpose(1, 2))[:, :, :-1]
        return self.layer(x + F.gelu(p).transpose(1, 2))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)

    def forward(self, src, tgt):
        mask = torch.triu(torch.full((tgt.size(1), tgt.size(1)), float('-inf')), diagonal=1)
        return self.net(src, tgt, tgt_mask=mask)


class MHA(nn.Module):
    def __init__(self):
        super().__init__()
        self.mha = nn.MultiheadAttention(8, 2)

    def forward(self, q, k, mask: torch.Tensor):
        return self.mha(q, k, k, key_padding_mask=mask)


class TemporalNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(4, 4, 3, dilation=2 ** i) for i in range(3)])

    def forward(self, x):
        for i, conv in enumerate(self.convs):
            x = x + torch.relu(conv(F.pad(x, (2 << i, 0))))
        return x.mean(-1), x.std(-1), x.max(-1)[0]


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.bn, self.fc = nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.Linear(8, 9)

    def forward(self, x):
        y = torch.max(F.relu(self.bn(self.a(x))), 2, keepdim=True)[0].view(-1, 8)
        t = self.fc(y) + torch.eye(3).view(1, 9).repeat(x.size(0), 1)
        return torch.bmm(x.transpose(2, 1), t.view(-1, 3, 3))


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.mu, self.dec = nn.Sequential(nn.Linear(12, 8), nn.ELU()), nn.Linear(8, 3), nn.Sequential(nn.Linear(3, 12), nn.Softplus(), nn.Sigmoid())

    @torch.jit.export
    def encode(self, x):
        return self.mu(self.enc(x))

    def forward(self, x):
        z = self.encode(x)
        return self.dec(z), z


class VideoNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.up = nn.Conv3d(2, 4, 3, (1, 2, 2), 1), nn.BatchNorm3d(4), nn.ConvTranspose3d(4, 2, 2, 2)

    def forward(self, x):
        y = F.max_pool3d(F.relu(self.bn(self.conv(x))), 2)
        return F.interpolate(self.up(y), scale_factor=(1.0, 2.0, 2.0), mode='trilinear', align_corners=False), F.adaptive_avg_pool3d(y, 1)


class Detector(nn.Module):
    def forward(self, boxes, deltas):
        w, h = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
        cx, cy = boxes[:, 0] + 0.5 * w, boxes[:, 1] + 0.5 * h
        dx, dy, dw, dh = deltas[:, 0::4], deltas[:, 1::4], deltas[:, 2::4].clamp(max=4.135), deltas[:, 3::4].clamp(max=4.135)
        px, py = dx * w[:, None] + cx[:, None], dy * h[:, None] + cy[:, None]
        pw, ph = torch.exp(dw) * w[:, None], torch.exp(dh) * h[:, None]
        out = torch.stack([px - 0.5 * pw, py - 0.5 * ph, px + 0.5 * pw, py + 0.5 * ph], dim=2).flatten(1)
        scores, order = torch.topk(out.sum(1), 3)
        return out[order], scores, torch.sort(out[:, 0], descending=True)[1]


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.users, self.items, self.bag, self.bias = nn.Embedding(10, 6), nn.Embedding(12, 6), nn.EmbeddingBag(20, 6, mode='mean'), nn.Parameter(torch.zeros(1))

    def forward(self, u, i, tags, offsets):
        return torch.sigmoid((self.users(u) * self.items(i)).sum(1) + self.bag(tags, offsets).sum(1) + self.bias)


class GraphConv(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x, edges):
        h = self.fc(x)
        out = torch.zeros(x.size(0), 3)
        out = out.index_add(0, edges[1], h[edges[0]])
        degree = torch.zeros(x.size(0)).scatter_add(0, edges[1], torch.ones(edges.size(1)))
        return out / degree.clamp(min=1).unsqueeze(1), torch.einsum('ij,kj->ik', out, h)


# ------------------------------------------------------------------------------------ scripts with control flow


class Branches(nn.Module):
    def forward(self, x, scale: float = 2.0, flag: bool = True):
        if flag:
            x = x * scale
        if x.dim() == 2:
            y = x.sum(1)
        else:
            y = x.mean()
        if bool(x.sum() > 0):
            y = y + 1
        else:
            y = y - 1
        return y


class Loops(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        outputs: List[torch.Tensor] = []
        for i in range(x.size(0)):
            h = self.cell(x[i], h)
            if i % 2 == 0:
                outputs.append(h)
        return torch.stack(outputs), h


class While(nn.Module):
    def forward(self, x):
        n = 0
        while bool(x.norm() < 100.0):
            x = x * 1.5 + 0.1
            n += 1
        return x, n


class GreedyDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.cell, self.out = nn.Embedding(12, 6), nn.LSTMCell(6, 6), nn.Linear(6, 12)

    def forward(self, h, steps: int = 4):
        c = torch.zeros_like(h)
        token = torch.zeros(h.size(0), dtype=torch.long)
        found = torch.jit.annotate(List[torch.Tensor], [])
        for _ in range(steps):
            h, c = self.cell(self.embed(token), (h, c))
            token = self.out(h).argmax(1)
            found.append(token)
        return torch.stack(found, 1), h


class Writes(nn.Module):
    def forward(self, x):
        y = x.clone()
        y[:, 0] = 0.5
        y[1:, 1:3] += 1.0
        z = y[:, -1]
        z.mul_(2)
        y[y > 1.5] = 1.5
        t = y.t()
        t[0].add_(3)
        q = torch.zeros(4, 2)
        q[::2] = 1
        q[torch.tensor([1, 3]), torch.tensor([0, 1])] = torch.tensor([5.0, 6.0])
        return y, q, y.fill_diagonal_(7.0) if False else y.diagonal()


class Containers(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales: Dict[str, float] = {'a': 2.0, 'b': 3.0}
        self.order: List[str] = ['b', 'a']

    def forward(self, x, extra: Optional[torch.Tensor] = None):
        total: Dict[str, torch.Tensor] = {}
        for name in self.order:
            total[name] = x * self.scales[name]
        if extra is not None:
            total['extra'] = extra + x
        shape = [1] * x.dim()
        shape[-1] = x.size(-1)
        return total, x.sum(0).view(shape), len(total)


class Types(nn.Module):
    def forward(self, x, i):
        a = i / 2
        b = i // 2 + i % 3
        c = (x > 0).float() + (i > 1)
        d = (x * i).to(torch.float64).sum()
        e = torch.floor_divide(i, 2).type_as(x) - x.round().int()
        return a, b, c, d, e, -i, i.float().mean(), i.sum(), x.long().to(torch.bool).any()


def image(*shape):
    return torch.randn(*shape)


def ids(most, *shape):
    return torch.randint(1, most, shape)


MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
# name: (module, inputs)
MODELS = {
    'resnet': (ResNet, [image(2, 3, 32, 32)]), 'mobilenet_v2': (MobileNetV2, [image(2, 3, 32, 32)]), 'mobilenet_v3': (MobileNetV3, [image(2, 3, 16, 16)]),
    'efficientnet': (EfficientNet, [image(2, 3, 32, 32)]), 'squeezenet': (SqueezeNet, [image(2, 3, 33, 33)]), 'vgg': (VGG, [image(2, 3, 20, 20)]),
    'densenet': (DenseNet, [image(2, 3, 16, 16)]), 'shufflenet': (ShuffleNet, [image(2, 3, 16, 16)]), 'inception': (Inception, [image(2, 3, 12, 12)]),
    'unet': (lambda: UNet(True), [image(1, 3, 17, 18)]), 'unet_bilinear': (lambda: UNet(False), [image(1, 3, 17, 18)]), 'fpn': (FPN, [image(1, 3, 20, 24)]),
    'convnext': (ConvNeXt, [image(2, 3, 16, 16)]), 'generator': (Generator, [image(1, 3, 8, 8)]), 'super_resolution': (SuperResolution, [image(1, 1, 7, 9)]),
    'vit': (ViT, [image(2, 3, 16, 16)]), 'swin': (Swin, [image(1, 8, 8, 4)]), 'bert': (Bert, [ids(50, 2, 5), MASK]), 'gpt': (GPT, [ids(40, 2, 7)]),
    'llama': (Llama, [ids(40, 2, 6)]), 't5_bias': (T5Bias, [image(1, 6, 3)]), 'tagger': (Tagger, [ids(30, 2, 7)]),
    'lstm_state': (LSTMState, [image(5, 2, 4), image(1, 2, 3), image(1, 2, 6)]), 'gru': (GRUNet, [image(2, 6, 5)]), 'wav2vec': (Wav2Vec, [image(2, 120)]),
    'transformer': (Transformer, [image(2, 5, 8), image(2, 4, 8)]), 'mha': (MHA, [image(4, 2, 8), image(5, 2, 8), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])]),
    'temporal': (TemporalNet, [image(2, 4, 11)]), 'pointnet': (PointNet, [image(2, 3, 9)]), 'autoencoder': (Autoencoder, [image(3, 12)]),
    'video': (VideoNet, [image(1, 2, 4, 12, 12)]), 'detector': (Detector, [torch.rand(5, 4).cumsum(1), image(5, 8)]),
    'recommender': (Recommender, [ids(10, 3), ids(12, 3), ids(20, 8), torch.tensor([0, 3, 5])]), 'graph_conv': (GraphConv, [image(5, 4), torch.tensor([[0, 1, 2, 4], [1, 2, 2, 0]])]),
    'branches': (Branches, [image(3, 4)]), 'loops': (Loops, [image(5, 2, 4)]), 'while': (While, [image(3)]), 'greedy': (GreedyDecoder, [image(2, 6)]),
    'writes': (Writes, [image(3, 4)]), 'containers': (Containers, [image(2, 3)]), 'types': (Types, [image(2, 3), torch.tensor([[1, 2, -3], [4, 5, 7]])]),
}
# What tracing would not see is scripted only; what scripting refuses, traced only.
SCRIPTED_ONLY = {'branches', 'loops', 'while', 'greedy', 'containers'}
TRACED_ONLY = {'swin', 'gpt', 'wav2vec', 'recommender'}
RECORDED = ('^(branches-scripted|containers-scripted|detector-scripted|graph_conv-traced|greedy-scripted|gru-traced|loops-scripted|lstm_state-traced|mha-traced|'
            'super_resolution-traced|swin-traced|t5_bias-scripted|types-traced|video-traced|while-scripted|writes-scripted)$')


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [leaf for key in value for leaf in leaves(value[key])]
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in leaves(each)]
    return [] if value is None or isinstance(value, str) else [torch.tensor(value)]


def settle(module):
    """Statistics that are none of 0 and 1, and weights that keep results apart."""
    for name, buffer in module.named_buffers():
        if 'running_mean' in name:
            buffer.copy_(torch.randn_like(buffer) * 0.1)
        if 'running_var' in name:
            buffer.copy_(torch.rand_like(buffer) + 0.5)
    return module.eval()


def record(path, inputs, result):
    arrays = {f'in{i}': each.numpy() for i, each in enumerate(inputs)}
    arrays.update({f'out{i}': each.numpy() for i, each in enumerate(leaves(result))})
    numpy.savez(path, **arrays)


def save_checkpoint(path):
    """State of a module and its optimiser, views of one storage, and what lies beside tensors."""
    with torch.enable_grad():
        net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
        optimiser = torch.optim.Adam(net.parameters())
        net(torch.randn(4, 3)).square().sum().backward()
        optimiser.step()
    base = torch.arange(12, dtype=torch.float32).reshape(3, 4) / 8
    data = {
        'model': net.state_dict(), 'optimiser': optimiser.state_dict(), 'views': [base.t(), base[1], base[:, 1:3], base, base[:1].expand(5, 4)],
        'types': (base.half(), base.bfloat16(), base.double(), base.to(torch.int8), base > 0.5, torch.tensor(5)), 'empty': torch.zeros(0, 3),
        'epoch': 3, 'rate': 1e-3, 'name': 'a', 'nothing': None, 'parameter': nn.Parameter(base), 'size': torch.Size([1, 2]),
    }
    torch.save(data, f'{path}.pt')
    numpy.savez(path, **{f'out{i}': (each.float() if each.dtype == torch.bfloat16 else each).detach().numpy() for i, each in enumerate(leaves(data)) if each.ndim > 0})


def main(folder, pattern='.'):
    if pattern == 'recorded':
        pattern = RECORDED
        save_checkpoint(f'{folder}/checkpoint')
    for name, (make, inputs) in MODELS.items():
        for kind in ('traced', 'scripted'):
            if not re.search(pattern, f'{name}-{kind}') or name in (SCRIPTED_ONLY if kind == 'traced' else TRACED_ONLY):
                continue
            torch.manual_seed(1)
            module = settle(make())
            copies = [each.clone() for each in inputs]
            made = torch.jit.trace(module, copies, check_trace=False, strict=False) if kind == 'traced' else torch.jit.script(module)
            made.save(f'{folder}/{name}-{kind}.pt')
            record(f'{folder}/{name}-{kind}.npz', inputs, module(*[each.clone() for each in inputs]))


if __name__ == '__main__':
    main(*sys.argv[1:])
