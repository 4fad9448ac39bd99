/** Random schemas of custom resources, nearly all of which a definition may have, and values that mostly fit them. */

import { type JsonObject, setMember } from '../../runtime/schema/json/member.ts';
import type { CustomSchema, ValidationRule } from '../../runtime/structural-schema/custom-schema.ts';
import type { Random } from './random.ts';
import { anyValue } from './values.ts';

const NAMES = ['a', 'b', 'name', 'size', 'list', 'x-y', 'in', '$ref', '__proto__', 'constructor', 'größe', 'a.b', 'a/b', '0'];
const KEYS = ['a', 'b', 'example.com/c', '', '__proto__', '😀'];
const FORMATS = ['date-time', 'date', 'duration', 'byte', 'ipv4', 'ipv6', 'cidr', 'uri', 'email', 'hostname', 'uuid', 'x'];
const PATTERNS = ['^[a-z]*$', '^(a+)+$', '(a|b)?x{0,20}', '\\d+', '(?i)é', '\\p{Greek}'];
const OF_FORMAT: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2024-02-29T23:59:59Z', '2024-02-30T25:61:61Z'],
  date: ['2024-02-29', '1'],
  duration: ['1h30m', 'x'],
  byte: ['AA==', '='],
  ipv4: ['10.0.0.1', '::1'],
  ipv6: ['::1', '1'],
  cidr: ['10.0.0.0/8', '10.0.0.0/33'],
};

/** Rules that may be said of values without a format. */
const RULES = {
  string: [
    'self.size() < 40',
    "self.matches('^[a-z]*$')",
    "self.split('').all(c, c != 'z')",
    "self.replace('a', 'aa').size() < 100",
    "url(self).getHost() != ''",
    "quantity(self).isGreaterThan(quantity('1'))",
    'ip(self).family() == 4 || cidr(self).ip().family() == 6',
    "format.dns1123Label().validate(self).hasValue() || self.startsWith('a')",
    "duration(self) > duration('1s')",
    'int(self) > 1',
    "self.charAt(3) == 'x'",
    "self.format([1]) != ''",
  ],
  integer: [
    'self > 0',
    'self / (self - 1) >= 0',
    'self * self >= 0',
    '10 / self > 1',
    'string(self).size() > 0',
    'self + 9223372036854775807 > 0',
  ],
  number: ['self > 0.0', 'int(self) > 1', '1.0 / self > 0.0', 'string(self).size() > 0'],
  boolean: ['self', 'self || !self'],
  array: [
    'self.size() < 4',
    'self.exists(x, x == x)',
    'self.all(x, self.exists_one(y, x == y))',
    'self.map(x, [x, x]).size() > 0',
    'self[3] == self[0]',
    'self.filter(x, true).size() > 1',
  ],
  object: ['self == self', 'optional.of(self).hasValue()', 'true'],
} as const;
const WRONG_RULES = ['self.nothing', 'self +', 'self.size() > "a"', 'oldSelf == self', 'nobody > 1', 'self.all(', '[', 'self.a.b.c == d'];

type Ruled = keyof typeof RULES;

/** Makes schemas. */
export class SchemaMaker {
  readonly #random: Random;
  readonly #wrong: boolean;

  /** @param wrong what it makes may be no schema that a definition can have */
  constructor(random: Random, wrong: boolean) {
    this.#random = random;
    this.#wrong = wrong;
  }

  /** The schema of objects: with `spec` and `status`. */
  root(): CustomSchema {
    const random = this.#random;
    return {
      type: 'object',
      properties: { spec: this.#object(4), status: random.chance(0.7) ? this.#object(2) : FREE },
      ...(random.chance(0.3) && { required: ['spec'] }),
      ...(random.chance(0.3) && {
        'x-kubernetes-validations': [{ rule: random.oneOf(['self.metadata.name.size() < 9', 'has(self.spec)', 'self == oldSelf']) }],
      }),
    };
  }

  #object(depth: number): CustomSchema {
    const random = this.#random;
    if (random.chance(0.1)) return FREE;
    if (random.chance(0.2))
      return { type: 'object', additionalProperties: this.#schema(depth - 1), maxProperties: 5, ...this.#common('object') };
    const properties: Record<string, CustomSchema> = {};
    for (let count = 1 + random.below(4); count > 0; count--) setMember(properties, random.oneOf(NAMES), this.#schema(depth - 1));
    return {
      type: 'object',
      properties,
      ...(random.chance(0.15) && { required: [random.oneOf(Object.keys(properties))] }),
      ...(random.chance(0.1) && { 'x-kubernetes-map-type': random.oneOf(['atomic', 'granular']) }),
      ...(random.chance(0.1) && { maxProperties: random.below(5) }),
      ...(random.chance(0.1) && { 'x-kubernetes-preserve-unknown-fields': true }),
      ...this.#common('object'),
    };
  }

  #schema(depth: number): CustomSchema {
    const random = this.#random;
    const how = random.fraction();
    if (depth > 0 && how < 0.3) return this.#object(depth);
    if (depth > 0 && how < 0.5) return this.#list(depth);
    if (how < 0.55) return { 'x-kubernetes-int-or-string': true };
    if (how < 0.6) return { 'x-kubernetes-preserve-unknown-fields': true, ...(random.chance(0.3) && { nullable: true }) };
    if (how < 0.63) return { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
    return this.#scalar();
  }

  #list(depth: number): CustomSchema {
    const random = this.#random;
    const bounds = { ...this.#bounds({ maxItems: 1 + random.below(8) }), ...this.#common('array') };
    if (random.chance(0.3)) {
      const properties = { name: { type: 'string', maxLength: 20 }, a: this.#schema(depth - 2) } as const;
      const items = { type: 'object', properties, required: ['name'] } as const;
      return { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], ...bounds };
    }
    if (random.chance(0.3)) {
      const items = random.chance(0.5) ? ({ type: 'integer' } as const) : ({ type: 'string', maxLength: 20 } as const);
      return { type: 'array', items, 'x-kubernetes-list-type': 'set', ...bounds };
    }
    return { type: 'array', items: this.#schema(depth - 1), ...bounds };
  }

  #scalar(): CustomSchema {
    const random = this.#random;
    const type = random.oneOf(['string', 'string', 'integer', 'number', 'boolean'] as const);
    if (type === 'boolean') return { type, ...this.#common(type) };
    if (type === 'string' && random.chance(0.4)) return { type, format: random.oneOf(FORMATS), ...this.#bounds({ maxLength: 60 }) };
    const schema: CustomSchema = { type, ...this.#common(type) };
    if (type === 'string')
      return {
        ...schema,
        ...(random.chance(0.2) && { pattern: random.oneOf(PATTERNS) }),
        ...(random.chance(0.15) && { enum: ['a', 'b', ''] }),
        ...this.#bounds({ maxLength: 1 + random.below(60) }),
      };
    return {
      ...schema,
      ...(random.chance(0.2) && { minimum: -1 }),
      ...(random.chance(0.2) && { maximum: 2 ** 31, exclusiveMaximum: random.chance(0.5) }),
      ...(random.chance(0.1) && { multipleOf: random.oneOf([1, 2, 0.5]) }),
    };
  }

  /** What is not bounded costs too much for rules. */
  #bounds(bounds: CustomSchema): CustomSchema {
    return this.#wrong && this.#random.chance(0.5) ? {} : bounds;
  }

  /** What a schema of any type may say. */
  #common(type: Ruled): CustomSchema {
    const random = this.#random;
    const scalars: Readonly<Record<Ruled, unknown>> = { string: 'a', integer: 1, number: 0.5, boolean: false, array: [], object: {} };
    return {
      ...(random.chance(0.1) && { nullable: true }),
      ...((this.#wrong || (type !== 'object' && type !== 'array')) && random.chance(0.05) && { default: scalars[type] }),
      ...(random.chance(0.25) && { 'x-kubernetes-validations': random.list(2, () => this.#rule(type)) }),
      ...(random.chance(0.05) && { anyOf: [{ not: { enum: ['x'] } }, {}] }),
    } as CustomSchema;
  }

  #rule(type: Ruled): ValidationRule {
    const random = this.#random;
    return {
      rule: random.oneOf<string>(this.#wrong && random.chance(0.2) ? WRONG_RULES : RULES[type]),
      ...(random.chance(0.2) && { message: 'no' }),
      ...(random.chance(0.2) && { messageExpression: random.oneOf(["'no'", "'is ' + 'no'", "''"]) }),
      ...(random.chance(0.2) && { reason: random.oneOf(['FieldValueRequired', 'FieldValueDuplicate']) }),
    };
  }
}

const FREE: CustomSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A value that fits a schema, as a rule. */
export function randomValue(random: Random, schema: CustomSchema): unknown {
  if (random.chance(0.03)) return anyValue(random);
  if (schema.enum !== undefined) return random.oneOf(schema.enum);
  switch (schema.type) {
    case 'object':
      return objectOf(random, schema);
    case 'array':
      return random.list(3, () => randomValue(random, schema.items ?? {}));
    case 'string':
      return random.oneOf(OF_FORMAT[schema.format ?? ''] ?? ['a', 'b', 'abc', '1', '', 'x'.repeat(50)]);
    case 'integer':
      return random.oneOf([1, 0, 2, -1, 100, 2 ** 31, 2 ** 53]);
    case 'number':
      return random.oneOf([1, 0.5, -1, 1e300]);
    case 'boolean':
      return random.chance(0.5);
    default:
      return schema['x-kubernetes-int-or-string'] ? random.oneOf([1, 'a', '50%']) : anyValue(random);
  }
}

function objectOf(random: Random, { properties = {}, required = [], additionalProperties, ...schema }: CustomSchema): JsonObject {
  const object: JsonObject = schema['x-kubernetes-embedded-resource']
    ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
    : {};
  for (const [name, member] of Object.entries(properties))
    if (required.includes(name) || random.chance(0.6)) setMember(object, name, randomValue(random, member));
  if (typeof additionalProperties === 'object')
    for (let count = random.below(4); count > 0; count--) setMember(object, random.oneOf(KEYS), randomValue(random, additionalProperties));
  if (schema['x-kubernetes-preserve-unknown-fields'] === true && random.chance(0.5)) object.unknown = anyValue(random);
  return object;
}
