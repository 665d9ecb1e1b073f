"""The programs of programs.js for Numba, as one writes them in Python; imported by the bench where Numba is installed."""
from math import sqrt

import numpy as np
from numba import njit, prange


@njit
def sum_to(last):
    total = 0
    i = 0
    while i <= last:
        total += i
        i += 1
    return total


@njit(parallel=True)
def mandelbrot(image, width, height, limit):
    for row in prange(height):
        ci = 2 * row / height - 1
        for column in range(width):
            cr = 3 * column / width - 2
            zr = zi = 0.0
            rounds = 0
            while rounds < limit and zr * zr + zi * zi <= 4:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                rounds += 1
            image[row * width + column] = rounds


@njit
def nbody(bodies, steps, dt):
    count = len(bodies) // 7
    for _ in range(steps):
        for i in range(count):
            a = 7 * i
            for j in range(i + 1, count):
                b = 7 * j
                dx = bodies[a] - bodies[b]
                dy = bodies[a + 1] - bodies[b + 1]
                dz = bodies[a + 2] - bodies[b + 2]
                square = dx * dx + dy * dy + dz * dz
                pull = dt / (square * sqrt(square))
                of_b = bodies[b + 6] * pull
                of_a = bodies[a + 6] * pull
                bodies[a + 3] -= dx * of_b
                bodies[a + 4] -= dy * of_b
                bodies[a + 5] -= dz * of_b
                bodies[b + 3] += dx * of_a
                bodies[b + 4] += dy * of_a
                bodies[b + 5] += dz * of_a
        for i in range(count):
            a = 7 * i
            for k in range(3):
                bodies[a + k] += dt * bodies[a + 3 + k]


@njit
def element(i, j):
    return 1 / ((i + j) * (i + j + 1) / 2 + i + 1)


@njit(parallel=True)
def times(n, transposed, source, target):
    for i in prange(n):
        total = 0.0
        for j in range(n):
            total += (element(j, i) if transposed else element(i, j)) * source[j]
        target[i] = total


@njit
def spectral_norm(n, rounds):
    u, v, w = np.ones(n), np.zeros(n), np.zeros(n)
    for _ in range(rounds):
        times(n, False, u, w)
        times(n, True, w, v)
        times(n, False, v, w)
        times(n, True, w, u)
    return sqrt(np.dot(u, v) / np.dot(v, v))


@njit
def fannkuch(n):
    start = np.arange(n)
    order = np.zeros(n, np.int64)
    count = np.zeros(n, np.int64)
    most = checksum = 0
    sign = 1
    r = n
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        order[:] = start
        flips = 0
        while order[0] != 0:
            i, j = 0, order[0]
            while i < j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
            flips += 1
        most = max(most, flips)
        checksum += sign * flips
        sign = -sign
        while True:
            if r == n:
                return checksum * 100 + most
            first = start[0]
            for i in range(r):
                start[i] = start[i + 1]
            start[r] = first
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1


@njit
def sieve(n):
    composite = np.zeros(n + 1, np.uint8)
    found = 0
    for i in range(2, n + 1):
        if composite[i] == 0:
            found += 1
            for j in range(i * i, n + 1, i):
                composite[j] = 1
    return found


@njit(parallel=True)
def matmul(a, b, c, n):
    for i in prange(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i * n + k] * b[k * n + j]
            c[i * n + j] = total


@njit
def collatz(n):
    longest = at = 0
    for start in range(1, n):
        x = start
        steps = 0
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        if steps > longest:
            longest = steps
            at = start
    return at


@njit
def moving_median(data, medians, width):
    window = np.zeros(width)
    filled = 0
    for i in range(len(data)):
        if filled == width:
            gone = data[i - width]
            at = 0
            while window[at] != gone:
                at += 1
            while at + 1 < width:
                window[at] = window[at + 1]
                at += 1
            filled -= 1
        at = filled
        while at > 0 and window[at - 1] > data[i]:
            window[at] = window[at - 1]
            at -= 1
        window[at] = data[i]
        filled += 1
        if filled == width:
            medians[i - width + 1] = window[width // 2]
