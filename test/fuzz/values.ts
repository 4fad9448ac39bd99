/** Values that are wrong, and ways to make right ones wrong. */
import { isObject, type JsonObject, setMember } from '../../runtime/schema/json/member.ts';
import { isRawNumber, rawNumber } from '../../runtime/schema/scalar/raw-number.ts';
import type { Random } from './random.ts';

export const TEXTS = [
  '',
  ' ',
  'a',
  'x.y',
  '-',
  '..',
  '/',
  '\u0000',
  '\ud800',
  'é😀',
  '*',
  '$ref',
  '__proto__',
  'constructor',
  'toString',
  'a'.repeat(300),
  '1',
  '-1',
  '9007199254740993',
  '1e400',
  'NaN',
  'true',
  'null',
  '2024-02-30T25:61:61Z',
  '10.0.0.0/33',
  '::ffff:1.2.3.4',
  '%00',
  '%zz',
  'a=b,c in (d),!e',
  'a in (',
  'metadata.name=a',
  '{"a":',
  '(((((((((((((((((((((((((((((a+)+)+)+)+)+)+)+',
  '\n- a: &b [*b]',
];

const LEAVES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 31,
  1e300,
  ...['9007199254740993', '-9223372036854775808', '9223372036854775808', '1e400', '2.0', '123456789012345678901234567890'].map(rawNumber),
  [],
  {},
  [null],
  [{}],
  [[]],
  { '': null },
  { a: { a: {} } },
  ...TEXTS,
];

/** A value that fits nowhere in particular. */
export function anyValue(random: Random): unknown {
  if (random.chance(0.03)) return JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
  if (random.chance(0.03)) return JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`);
  const leaf = random.oneOf(LEAVES);
  return isRawNumber(leaf) || typeof leaf !== 'object' ? leaf : structuredClone(leaf);
}

/** A copy with some of its parts replaced, removed, repeated or renamed. */
export function spoiled(random: Random, value: unknown): unknown {
  if (random.chance(0.08)) return anyValue(random);
  if (Array.isArray(value)) return spoiledList(random, value);
  if (!isObject(value) || isRawNumber(value)) return value;
  const names = Object.keys(value);
  if (names.length === 0) return random.chance(0.3) ? { [random.oneOf(TEXTS)]: anyValue(random) } : value;
  const chosen = random.oneOf(names);
  const copy: JsonObject = {};
  for (const name of names) setMember(copy, name, value[name]);
  const how = random.fraction();
  if (how < 0.08) delete copy[chosen];
  else if (how < 0.14) setMember(copy, random.oneOf(TEXTS), copy[chosen]);
  else setMember(copy, chosen, spoiled(random, copy[chosen]));
  return copy;
}

/** A copy of which one list is much longer, or one text: large bodies go another way through the server than small ones. */
export function enlarged(random: Random, value: unknown): unknown {
  if (typeof value === 'string') return value + 'ä<"\n'.repeat(random.below(20_000));
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.5)) {
      const repeated = value.length === 0 ? anyValue(random) : random.oneOf(value);
      return [...value, ...Array<unknown>(random.below(3_000)).fill(repeated)];
    }
    const index = random.below(value.length);
    return value.map((item, at) => (at === index ? enlarged(random, item) : item));
  }
  if (!isObject(value) || isRawNumber(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) setMember(copy, name, value[name]);
  const names = Object.keys(copy);
  if (names.length === 0 || random.chance(0.1))
    for (let count = random.below(3_000); count > 0; count--) copy[`k${count}`] = anyValue(random);
  else {
    const chosen = random.oneOf(names);
    setMember(copy, chosen, enlarged(random, copy[chosen]));
  }
  return copy;
}

function spoiledList(random: Random, list: readonly unknown[]): unknown[] {
  if (list.length === 0) return [anyValue(random)];
  const index = random.below(list.length);
  const how = random.fraction();
  if (how < 0.1) return list.filter((_, at) => at !== index);
  if (how < 0.2) return [...list, list[index]];
  return list.map((item, at) => (at === index ? spoiled(random, item) : item));
}

/** A copy with some of its bytes changed, cut off, or repeated. */
export function spoiledBytes(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const how = random.fraction();
  if (how < 0.2) return copy.subarray(0, random.below(copy.length + 1));
  if (how < 0.3) return Buffer.concat([copy, random.bytes(20)]);
  if (how < 0.4) return Buffer.concat([copy, copy]);
  for (let count = 1 + random.below(4); count > 0 && copy.length > 0; count--) copy[random.below(copy.length)] = random.below(256);
  return copy;
}
