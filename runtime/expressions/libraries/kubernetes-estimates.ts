/** The estimated costs of library functions in 1.32, by the sizes of their arguments. */
import { byFactor, exactly, NOTHING, ONE, plus, times, UNKNOWN } from '../costs/ranges.ts';
import type { CallEstimate, EstimatedArgument, FunctionDeclaration, Library, Range } from '../environment/declarations.ts';
import { PATTERN, TRAVERSAL } from './standard/costs.ts';

type Estimate = NonNullable<FunctionDeclaration['estimate']>;

const sizeOf = (arg: EstimatedArgument | undefined): Range => arg?.size ?? UNKNOWN;
const traversal = (arg: EstimatedArgument | undefined, times = 1): Range => byFactor(sizeOf(arg), times * TRAVERSAL);
const upTo = (max: bigint): Range => ({ min: 0n, max });

/** the cost limit of an expression allows two checks */
const CHECK: Estimate = () => ({ cost: exactly(350_000n) });
const NOMINAL: Estimate = () => ({ cost: ONE });
const first: Estimate = ([text]) => ({ cost: traversal(text) });

/** Each item of a list is compared; items that are texts are also traversed. */
const search: Estimate = ([target]) => {
  if (target?.type.kind !== 'list') return { cost: traversal(target) };
  const { kind } = target.type.element;
  const item = kind === 'string' || kind === 'bytes' ? plus(ONE, byFactor(target.itemSize ?? UNKNOWN, TRAVERSAL)) : ONE;
  return { cost: times(target.size, item) };
};

/**
 * The result has two quotes, and every character may be escaped. The sizes overflow 64 bits as in 1.32, so that an unbounded text gives a
 * small size.
 */
const quoted: Estimate = ([text]) => {
  const { min, max } = sizeOf(text);
  return { cost: traversal(text), resultSize: { min: BigInt.asUintN(64, min + 2n), max: BigInt.asUintN(64, max * 2n + 2n) } };
};

const sameSize: Estimate = ([text]) => ({ cost: traversal(text), resultSize: sizeOf(text) });

const replacement: Estimate = ([text, part, other]) => {
  const [size, replaced, by] = [sizeOf(text), sizeOf(part), sizeOf(other)];
  const [most, least] = [longest(size.max, replaced.min, by.max), shortest(size.min, replaced.max, by.min)];
  const count = { min: least.count, max: most.count };
  const resultSize = plus(times(count, by), { min: least.kept, max: most.kept });
  return { cost: traversal(text, 2), resultSize };
};

interface Replaced {
  readonly count: bigint;
  /** characters of the original text that remain */
  readonly kept: bigint;
}

const ceilingOf = (size: bigint, part: bigint): bigint => (size + part - 1n) / part;

/** An empty text is found around every character. */
function longest(size: bigint, replaced: bigint, by: bigint): Replaced {
  if (replaced === 0n) return { count: size === UNKNOWN.max ? size : size + 1n, kept: size };
  return by <= replaced ? { count: 0n, kept: size } : { count: ceilingOf(size, replaced), kept: 0n };
}

function shortest(size: bigint, replaced: bigint, by: bigint): Replaced {
  if (replaced === 0n) return { count: size === UNKNOWN.max ? size : size + 1n, kept: size };
  return replaced <= by ? { count: 0n, kept: size } : { count: ceilingOf(size, replaced), kept: 0n };
}

/** Every character may become an item. If the limit is a constant, 1.32 uses it as an unsigned number, whatever the size of the text. */
const split: Estimate = ([text, , limit]) => {
  const stated = limit?.node.kind === 'literal' && typeof limit.node.value === 'bigint' ? BigInt.asUintN(64, limit.node.value) : undefined;
  return { cost: traversal(text, 2), resultSize: upTo(stated ?? sizeOf(text).max) };
};

const join: Estimate = ([list, separator]) => {
  const count = sizeOf(list);
  // 1.32 counts no items of a list whose type is not known
  const items = list?.itemSize === undefined ? NOTHING : times(count, list.itemSize);
  const lessOne = (value: bigint): bigint => (value > 0n ? value - 1n : 0n);
  const separators = separator === undefined ? NOTHING : times(separator.size, { min: lessOne(count.min), max: lessOne(count.max) });
  const resultSize = plus(items, separators);
  return { cost: byFactor(resultSize, TRAVERSAL), resultSize };
};

/** One is added to the size of the text, so that a long pattern costs something even for an empty text. */
const find: Estimate = ([text, pattern]) => ({
  cost: times(byFactor(plus(sizeOf(text), ONE), TRAVERSAL), byFactor(sizeOf(pattern), PATTERN)),
  resultSize: upTo(sizeOf(text).max),
});

/** length of the longest pattern of a named format */
const FORMAT_PATTERN = 128;
const validate: Estimate = ([, text]) => ({ cost: byFactor(traversal(text), FORMAT_PATTERN * PATTERN) });

/** bytes of an address of either family */
const ADDRESS: Range = { min: 4n, max: 16n };
const comparedAddresses = byFactor(plus(ADDRESS, ADDRESS), TRAVERSAL);
const parsed = (overload: string, arg: EstimatedArgument | undefined): Range => (overload.endsWith('_string') ? traversal(arg) : NOTHING);
const containsIp: Estimate = ([, ip], overload) => ({ cost: plus(comparedAddresses, parsed(overload, ip)) });
const containsCidr: Estimate = ([, cidr], overload) => {
  const masked = plus(byFactor(ADDRESS, TRAVERSAL), ONE);
  return { cost: plus(plus(comparedAddresses, masked), parsed(overload, cidr)) };
};
const ip: Estimate = ([text], overload) => ({ cost: overload === 'cidr_ip' ? ONE : traversal(text) });

const sets =
  (factor: number): Estimate =>
  ([a, b]) => ({ cost: plus(byFactor(times(sizeOf(a), sizeOf(b)), factor), ONE) });

/**
 * A selector costs a list of requirements, each with a list of values. The shortest requirement that can be repeated has two characters.
 */
const selection: Estimate = ([, selector]) => ({
  cost: plus(exactly(10n), plus(traversal(selector), times(byFactor(sizeOf(selector), 0.5), exactly(50n)))),
});

/** length of the longest name of a format */
const FORMAT_NAME = 64n;
const URL_TYPE = 'kubernetes.URL';
const FORMAT_TYPE = 'kubernetes.NamedFormat';
const LIBRARY_TYPE = /^(?:kubernetes|net)\./;

/** Comparing two values of the same library type costs one unit, except for URLs and formats. 1.32 only uses the size of the second URL. */
const comparison: Estimate = ([a, b]): CallEstimate | undefined => {
  if (a === undefined || b === undefined || !('name' in a.type) || !('name' in b.type)) return undefined;
  const { name } = a.type;
  if (name !== b.type.name || !LIBRARY_TYPE.test(name)) return undefined;
  const walked = name === FORMAT_TYPE ? FORMAT_NAME : name === URL_TYPE ? (b.madeSize?.max ?? 1n) : 1n;
  return { cost: byFactor({ min: 1n, max: walked }, TRAVERSAL) };
};

const BY_NAME: readonly (readonly [names: string, estimate: Estimate])[] = [
  ['check', CHECK],
  ['serviceAccount path group resource subresource namespace name allowed reason error errored', NOMINAL],
  ['fieldSelector labelSelector', selection],
  ['isSorted sum max min indexOf lastIndexOf', search],
  ['url', sameSize],
  ['cidr isIP isCIDR quantity isQuantity', first],
  ['getScheme getHost getHostname getPort getEscapedPath getQuery', NOMINAL],
  ['sign isInteger asInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub', NOMINAL],
  ['lowerAscii upperAscii substring trim', sameSize],
  ['replace', replacement],
  ['split', split],
  ['join', join],
  ['find findAll', find],
  ['ip', ip],
  ['ip.isCanonical', ([text]) => ({ cost: traversal(text, 2) })],
  ['masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast', NOMINAL],
  ['containsIP', containsIp],
  ['containsCIDR', containsCidr],
  ['format.named', NOMINAL],
  ['validate', validate],
  ['format', first],
  ['strings.quote', quoted],
  ['sets.contains sets.intersects', sets(1)],
  ['sets.equivalent', sets(2)],
  ['_==_', comparison],
];

export const estimatesLibrary: Library = {
  name: 'estimates of 1.32',
  since: 0,
  functions: BY_NAME.flatMap(([names, estimate]) => names.split(' ').map((name) => ({ name, overloads: [], estimate }))),
};
