# Writes what optimisers.test.js compares with: python3 pytorch.py > pytorch.json (PyTorch 1.13).
import json, torch
torch.set_default_dtype(torch.float64)
def run(make, steps=6, dtype=torch.float64, sched=None):
    w = torch.tensor([[0.5, -1.25, 2.0], [0.0, 3.0, -0.75]], dtype=dtype, requires_grad=True)
    b = torch.tensor([1.0, -2.0], dtype=dtype, requires_grad=True)
    o = make([w, b])
    s = sched(o) if sched else None
    for t in range(steps):
        o.zero_grad()
        w.grad = torch.sin(w.detach() * 3 + t)
        b.grad = torch.cos(b.detach() * 2 - t)
        o.step()
        if s: s.step()
    return { 'w': w.detach().double().flatten().tolist(), 'b': b.detach().double().tolist() }
O = torch.optim
L = O.lr_scheduler
cases = [
 ('sgd', {'learningRate': 0.1}, lambda p: O.SGD(p, lr=0.1)),
 ('sgd', {'learningRate': 0.1, 'weightDecay': 0.05}, lambda p: O.SGD(p, lr=0.1, weight_decay=0.05)),
 ('sgd', {'learningRate': 0.1, 'momentum': 0.9}, lambda p: O.SGD(p, lr=0.1, momentum=0.9)),
 ('sgd', {'learningRate': 0.1, 'momentum': 0.9, 'nesterov': True, 'weightDecay': 0.01}, lambda p: O.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)),
 ('adam', {}, lambda p: O.Adam(p)),
 ('adam', {'learningRate': 0.02, 'betas': [0.8, 0.95], 'epsilon': 1e-3, 'weightDecay': 0.1}, lambda p: O.Adam(p, lr=0.02, betas=(0.8,0.95), eps=1e-3, weight_decay=0.1)),
 ('adamW', {}, lambda p: O.AdamW(p)),
 ('adamW', {'learningRate': 0.05, 'weightDecay': 0.2}, lambda p: O.AdamW(p, lr=0.05, weight_decay=0.2)),
 ('rmsprop', {}, lambda p: O.RMSprop(p)),
 ('rmsprop', {'learningRate': 0.03, 'alpha': 0.9, 'weightDecay': 0.1}, lambda p: O.RMSprop(p, lr=0.03, alpha=0.9, weight_decay=0.1)),
 ('rmsprop', {'momentum': 0.5}, lambda p: O.RMSprop(p, momentum=0.5)),
 ('rmsprop', {'centered': True}, lambda p: O.RMSprop(p, centered=True)),
 ('rmsprop', {'momentum': 0.9, 'centered': True, 'epsilon': 1e-4}, lambda p: O.RMSprop(p, momentum=0.9, centered=True, eps=1e-4)),
]
out = { 'cases': [ {'name': n, 'options': o, **run(f)} for n, o, f in cases ] }
out['f32'] = [ {'name': n, 'options': o, **run(f, dtype=torch.float32)} for n, o, f in cases]
def lrs(make):
    w = torch.zeros(1, requires_grad=True)
    o = O.SGD([w], lr=0.5)
    s = make(o); r = []
    for t in range(12):
        r.append(o.param_groups[0]['lr']); w.grad = torch.zeros(1); o.step(); s.step()
    return r
out['schedules'] = {
 'cosineDecay': lrs(lambda o: L.CosineAnnealingLR(o, T_max=11, eta_min=0.05)),
 'linear': lrs(lambda o: L.LinearLR(o, start_factor=0.2, end_factor=1.0, total_iters=5)),
 'exponentialDecay': lrs(lambda o: L.ExponentialLR(o, gamma=0.7)),
 'staircase': lrs(lambda o: L.StepLR(o, step_size=3, gamma=0.1)),
 'piecewise': lrs(lambda o: L.MultiStepLR(o, milestones=[2, 7], gamma=0.1)),
}
out['clip'] = []
for most in (0.5, 100.0):
    w = torch.zeros(2,3); w.grad = torch.tensor([[0.5, -1.25, 2.0], [0.0, 3.0, -0.75]])
    b = torch.zeros(2); b.grad = torch.tensor([1.0, -2.0])
    n = torch.nn.utils.clip_grad_norm_([w,b], most)
    out['clip'].append({'most': most, 'norm': float(n), 'w': w.grad.flatten().tolist(), 'b': b.grad.tolist()})
out['scheduled'] = run(lambda p: O.Adam(p, lr=0.1), sched=lambda o: L.ExponentialLR(o, gamma=0.7))
d = json.dumps
print("{")
for k in ("cases", "f32", "clip"): print(f" {d(k)}: [\n  " + ",\n  ".join(d(c) for c in out[k]) + "\n ],")
print(f" \"scheduled\": {d(out['scheduled'])},")
print(" \"schedules\": {\n  " + ",\n  ".join(f"{d(k)}: {d(v)}" for k, v in out["schedules"].items()) + "\n }\n}")
