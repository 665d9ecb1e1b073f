// What graphjit has of the Python array-API standard and of NumPy, from which scripts/docs.js writes
// docs/standard.md.
//
// A line is `name = expression | note`, where the names in the expression that stand in front of "(" or
// alone are looked up among what graphjit exports, or `name - reason` for what it does not have. The
// generator believes no line: where a name is not there the page says so.
'use strict';

const COMPLEX = 'there are no complex dtypes';
const DYNAMIC = 'the rank of results depends on data';
const PARTS = 'parts of complex values lie along a last axis of size 2';
const LITERAL = 'a number of JavaScript';
const TEXT = 'formatting and files of text are left to JavaScript';
const OBJECTS = 'strings, dates, records and objects are no dtypes';

/** The array-API standard, 2023.12, and what 2024.12 adds. */
const arrayApi = {
  'Creation functions': `
arange = arange
asarray = asTensor, tensor
empty = empty
empty_like = empty(x.shape) | no function of its own
eye = eye
from_dlpack - JavaScript has no DLPack; typed arrays are taken without a copy
full = full
full_like = fullLike
linspace = linspace
meshgrid = meshgrid
ones = ones
ones_like = onesLike
tril = tril
triu = triu
zeros = zeros
zeros_like = zerosLike`,
  'Data types': `
astype = astype
can_cast - \`convert\` always works, and says in docs/numerics.md what it gives
finfo = dtypes | kind, size and range of each
iinfo = dtypes
isdtype = dtypes | \`dtypes[x.dtype].kind\`
result_type = add | the dtype of a result`,
  Constants: `
e - ${LITERAL}: \`Math.E\`
inf - ${LITERAL}: \`Infinity\`
nan - ${LITERAL}: \`NaN\`
newaxis = expandDims
pi - ${LITERAL}: \`Math.PI\``,
  'Elementwise functions': `
abs = abs
acos = acos
acosh = acosh
add = add
asin = asin
asinh = asinh
atan = atan
atan2 = atan2
atanh = atanh
bitwise_and = and
bitwise_invert = not
bitwise_left_shift = shl
bitwise_or = or
bitwise_right_shift = shr
bitwise_xor = xor
ceil = ceil
clip = clip
conj = conj | ${PARTS}
copysign = copySign
cos = cos
cosh = cosh
divide = div | integers truncate; convert them for a quotient with a fraction
equal = eq
exp = exp
expm1 = expm1
floor = floor
floor_divide = floorDivide
greater = gt
greater_equal = ge
hypot = hypot
imag = imag | ${PARTS}
isfinite = isFinite
isinf = isInf
isnan = isNan
less = lt
less_equal = le
log = log
log10 = log10
log1p = log1p
log2 = log2
logaddexp = logAddExp
logical_and = logicalAnd
logical_not = logicalNot
logical_or = logicalOr
logical_xor = logicalXor
maximum = max
minimum = min
multiply = mul
negative = neg
nextafter = nextAfter
not_equal = ne
positive - it does nothing
pow = pow
real = real | ${PARTS}
reciprocal = reciprocal
remainder = remainder
round = round
sign = sign
signbit = signBit
sin = sin
sinh = sinh
sqrt = sqrt
square = square
subtract = sub
tan = tan
tanh = tanh
trunc = trunc`,
  'Indexing functions': `
take = take
take_along_axis = takeAlongAxis`,
  'Linear algebra': `
matmul = matmul
matrix_transpose = matrixTranspose
tensordot = tensordot
vecdot = vecdot
cholesky = cholesky
cross = cross
det = det
diagonal = diagonal
eigh = eigh
eigvalsh = eigvalsh
inv = inv
matrix_norm = matrixNorm
matrix_power = matrixPower
matrix_rank = matrixRank
outer = outer
pinv = pinv
qr = qr
slogdet = slogdet
solve = solve
svd = svd
svdvals = svdvals
trace = trace
vector_norm = vectorNorm`,
  'Manipulation functions': `
broadcast_arrays = broadcastTo
broadcast_to = broadcastTo
concat = concat
expand_dims = expandDims
flip = flip
moveaxis = moveaxis
permute_dims = permute
repeat = repeat
reshape = reshape
roll = roll
squeeze = squeeze
stack = stack
tile = tile
unstack = unstack`,
  'Searching functions': `
argmax = argmax
argmin = argmin
count_nonzero = countNonzero
nonzero = nonzero
searchsorted = searchsorted
where = where`,
  'Set functions': `
unique_all = uniqueAll
unique_counts = uniqueCounts
unique_inverse = uniqueInverse
unique_values = uniqueValues`,
  'Sorting functions': `
argsort = argsort
sort = sort`,
  'Statistical functions': `
cumulative_prod = cumulativeProd
cumulative_sum = cumulativeSum
max = max
mean = mean
min = min
prod = prod
std = std
sum = sum
var = var`,
  'Utility functions': `
all = all
any = any
diff = diff`,
  'Fourier transforms': `
fft, ifft, fftn, ifftn, rfft, irfft, rfftn, irfftn = fft, ifft, fftn, ifftn, rfft, irfft, rfftn, irfftn | ${PARTS}
hfft, ihfft = irfft(conj(x)), conj(rfft(x)) | scaled the other way, by \`norm\`
fftfreq, rfftfreq = arange
fftshift, ifftshift = fftshift, ifftshift`,
};

/** What people use of NumPy beyond it. */
const numpy = {
  Creation: `
array, asarray, ascontiguousarray = tensor
copy = copy
diag, diagflat = diag
frombuffer = asTensor
fromfunction = linspace | or arange, and functions of it
geomspace, logspace = pow(base, linspace)
identity = eye
indices, ogrid, mgrid = meshgrid
tri = tril
vander = vander`,
  'Shapes and joins': `
append, concatenate, hstack, vstack, dstack, column_stack, row_stack = concat
atleast_1d, atleast_2d, atleast_3d = atleast1d, atleast2d, atleast3d
array_split, dsplit, hsplit, split, vsplit = split
block = concat
delete, insert, resize = concat(slice)
fliplr, flipud = flip
pad = pad
ravel, ndarray.flatten = ravel, flatten
rollaxis, swapaxes = swapaxes
rot90 = rot90
transpose = transpose
trim_zeros - ${DYNAMIC}`,
  'Elementwise functions': `
absolute, fabs = abs
arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh = acos, acosh, asin, asinh, atan, atan2, atanh
around, rint, fix = round, roundEven, trunc
cbrt = cbrt
convolve, correlate = convolve, correlate
deg2rad, radians = radians
degrees, rad2deg = degrees
divmod = floorDivide, remainder
exp2 = exp2
float_power, power = pow
fmax = fmax
fmin = fmin
fmod = rem
frexp, ldexp, modf = trunc | with log2, exp2 and sub
gcd, lcm = gcd, lcm
heaviside = heaviside
i0 - Bessel functions are no primitives
interp = interp
invert, bitwise_not = not
isclose = isClose
isneginf, isposinf = eq(x, Infinity)
left_shift, right_shift = shl, shr
logaddexp2 = logAddExp2
mod = remainder
nan_to_num = nanToNum
sinc = sinc
true_divide = div(convert(x, 'f64'), y)
unwrap = cumulativeSum(remainder(diff(x)))
angle, conj, imag, real = angle, conj, imag, real | ${PARTS}
iscomplex - ${COMPLEX}
spacing = sub(nextAfter(x, Infinity), x)
polyval = polyval`,
  'Comparison and logic': `
allclose = allClose
array_equal, array_equiv = all(eq(x, y))
in1d, isin = isin
logical_and, logical_or, logical_not, logical_xor = logicalAnd, logicalOr, logicalNot, logicalXor
alltrue, sometrue = all, any`,
  'Sums and statistics': `
amax, amin = max, min
average = average
bincount = bincount
corrcoef = corrcoef
cov = cov
cumprod, cumsum = cumulativeProd, cumulativeSum
digitize = digitize
ediff1d, diff = diff
gradient = gradient | along one axis
histogram = histogram
histogram2d, histogramdd = bincount
max, min, mean, median, prod, std, sum, var = max, min, mean, median, prod, std, sum, var
maximum.accumulate, minimum.accumulate = cumulateMax, cumulateMin
nanargmax, nanargmin = argmax(where(isNan(x), -Infinity, x))
nancumsum, nancumprod = cumulativeSum(where(isNan(x), 0, x))
nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar = nanMax, nanMean, nanMin, nanProd, nanStd, nanSum, nanVar
nanmedian = nanMedian
nanquantile, nanpercentile = nanQuantile, nanPercentile
percentile, quantile = quantile, percentile
ptp = ptp
trapz, trapezoid = trapezoid`,
  'Sorting and searching': `
argpartition, partition = argpartition
argwhere, flatnonzero, nonzero = argwhere, flatnonzero, nonzero
compress = compress
extract = maskedSelect
lexsort = lexsort
msort, sort, sort_complex = sort
argsort = argsort
searchsorted = searchsorted
choose = choose
select, piecewise, where = where
setdiff1d = setdiff1d
setxor1d = setxor1d
intersect1d = intersect1d
union1d = union1d
unique = uniqueValues, uniqueAll | NaNs differ unless \`equalNaN\``,
  Indexing: `
place, putmask, copyto = where
put = indexUpdate
put_along_axis = putAlongAxis
take, take_along_axis = take, takeAlongAxis
ufunc.at = indexAdd, indexMul, indexMin, indexMax
diag_indices, tril_indices, triu_indices, unravel_index, ravel_multi_index = floorDivide, remainder | of positions
fill_diagonal = where`,
  'Products and linear algebra': `
cross = cross
dot = dot
einsum = einsum
inner = inner
kron = kron
linalg.det = det
linalg.matrix_power = matrixPower
linalg.multi_dot = einsum
linalg.norm = vectorNorm, matrixNorm
matmul = matmul
outer = outer
tensordot = tensordot
trace = trace
vdot = vecdot
linalg.cholesky, linalg.eigh, linalg.inv, linalg.lstsq, linalg.qr, linalg.solve, linalg.svd = cholesky, eigh, inv, lstsq, qr, solve, svd
linalg.eig - values of it are complex in general`,
  'Random numbers': `
random.beta, random.chisquare, random.dirichlet, random.gamma, random.standard_t = random.beta, random.chiSquare, random.dirichlet, random.gamma, random.studentT
random.binomial, random.geometric, random.multinomial, random.poisson = random.binomial, random.geometric, random.multinomial, random.poisson
random.bytes, random.SeedSequence = random.bits, random.split | keys are split, not states advanced
random.choice = random.choice
random.exponential, random.gumbel, random.laplace, random.logistic, random.standard_cauchy = random.exponential, random.gumbel, random.laplace, random.logistic, random.cauchy
random.integers, random.randint = random.randint
random.lognormal, random.pareto, random.rayleigh, random.weibull = random.logNormal, random.pareto, random.rayleigh, random.weibull | Pareto's from \`scale\` on, not from 0
random.normal, random.standard_normal = random.normal
random.multivariate_normal = add(mean, matmul(cholesky(c), random.normal))
random.permutation, random.permuted, random.shuffle = random.permutation
random.random, random.uniform = random.uniform
random.f, random.hypergeometric, random.logseries, random.negative_binomial, random.noncentral_chisquare, random.power, random.vonmises, random.wald, random.zipf - rarely used; several are functions of the above`,
  'Files and text': `
load, save = load, save | \`.npy\`
savez, savez_compressed = save | \`.npz\`
array2string, array_repr, array_str = toString
loadtxt, savetxt, genfromtxt, fromstring - ${TEXT}
memmap - files are read into memory`,
  'Not tensors of numbers': `
char.*, datetime64, timedelta64, recarray, object arrays - ${OBJECTS}
apply_along_axis, apply_over_axes, frompyfunc, vectorize - a JavaScript function per element is \`Array.prototype.map\`
ma.* - masks are tensors of bool, and \`where\``,
};

module.exports = { arrayApi, numpy };
