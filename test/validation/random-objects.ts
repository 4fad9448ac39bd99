/** Random objects of a kind that are near what its constraints speak of: values of closed sets, limits and their neighbours, absent members. */
import type { Steps, StructConstraints } from '../../runtime/contract/constraint.ts';
import type { Field, StructType, Type } from '../../runtime/contract/descriptor.ts';

/** Numbers from 0 to 1, the same for each seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TEXTS = [
  '',
  'a',
  'Bad_Name!',
  'a..b',
  '10.0.0.1',
  '::1',
  '2001:db8::/64',
  'x'.repeat(300),
  'example.com/x',
  '1Gi',
  '/abs',
  '../up',
  '*',
  'é',
];
const NUMBERS = [-1, 0, 1, 2, 65535, 65536, 100, 101, 2147483647];
const SCALARS: Readonly<Record<string, readonly unknown[]>> = {
  bytes: ['', 'YQ=='],
  time: [null, '2024-01-02T03:04:05Z'],
  microTime: [null, '2024-01-02T03:04:05.000006Z'],
  duration: ['0s', '1h', '-1s'],
  quantity: ['0', '1', '-1', '1500m', '2Gi'],
  intOrString: [0, 1, -1, 80, '25%', '101%', 'http', 'x'],
  double: [0, 1.5, -1],
  rawExtension: [{}, { kind: 'X' }],
  fieldsV1: [{}],
  json: [null, {}, 'x', 7],
};

/** Values that conditions and closed sets name, by the name of the member. */
export function namedValues(constraints: Iterable<StructConstraints>): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  const add = (name: string | undefined, values: readonly unknown[]): void => {
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), ...values]);
  };
  const visit = (steps: Steps, name?: string): void => {
    for (const step of steps) {
      if (step.do === 'check' && step.test.name === 'enum') add(name, step.test.values);
      if (step.do === 'check' && (step.test.name === 'equals' || step.test.name === 'neq')) add(name, [step.test.value]);
      if (step.do === 'check' && 'limit' in step.test && typeof step.test.limit === 'number')
        add(name, [step.test.limit - 1, step.test.limit, step.test.limit + 1]);
      if (step.do === 'when')
        for (const [path, test] of [step.when ?? {}].flat().flatMap((condition) => Object.entries(condition)))
          if (typeof test !== 'object' || Array.isArray(test)) add(path.split('.').at(-1), [test].flat());
      if (step.do === 'member') visit(step.steps, step.path.at(-1));
      if (step.do === 'items' || step.do === 'first' || step.do === 'within') visit(step.steps, name);
      if (step.do === 'entries') visit([...step.keys, ...step.values], name);
      if (step.do === 'when') visit([...step.steps, ...step.otherwise], name);
      if (step.do === 'union') visit(step.members, name);
      if (step.do === 'form') visit([...step.text, ...step.number], name);
    }
  };
  for (const { object, changes, status } of constraints) for (const steps of [object, changes, status]) visit(steps);
  return found;
}

export class ObjectMaker {
  readonly #random: () => number;
  readonly #named: ReadonlyMap<string, readonly unknown[]>;

  constructor(seed: number, named: ReadonlyMap<string, readonly unknown[]>) {
    this.#random = randomOf(seed);
    this.#named = named;
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T;
  }

  /** @param depth levels of structs that are still made */
  struct(type: StructType, depth: number): Record<string, unknown> {
    const density = 0.15 + this.#random() * 0.7;
    const members: Record<string, unknown> = {};
    for (const field of type.fields) {
      if (field.go?.inline && field.type.kind === 'struct') Object.assign(members, this.struct(field.type, depth));
      else if (this.#random() < density) {
        const value = this.#value(field.type, field, depth);
        if (value !== undefined) members[field.name] = value;
      }
    }
    return members;
  }

  /** The object with some of its members made anew. */
  changed(object: Record<string, unknown>, type: StructType, depth: number): Record<string, unknown> {
    const other = this.struct(type, depth);
    return Object.fromEntries(
      type.fields.flatMap(({ name, type: use }) => {
        const [value, another] = [object[name], other[name]];
        const inner =
          use.kind === 'struct' && value !== undefined && this.#random() < 0.6 ? this.changed(value as never, use, depth - 1) : undefined;
        const chosen = inner ?? (this.#random() < 0.7 ? value : another);
        return chosen === undefined ? [] : [[name, chosen]];
      }),
    );
  }

  #value(type: Type, field: Field, depth: number): unknown {
    switch (type.kind) {
      case 'struct':
        return depth <= 0 ? undefined : this.struct(type, depth - 1);
      case 'list':
        return Array.from({ length: Math.floor(this.#random() * 4) }, () => this.#value(type.element, field, depth - 1)).filter(
          (each) => each !== undefined,
        );
      case 'map':
        return Object.fromEntries(
          Array.from({ length: Math.floor(this.#random() * 3) }, () => [
            this.pick(TEXTS),
            this.#value(type.value, field, depth - 1),
          ]).filter(([, value]) => value !== undefined),
        );
      case 'scalar':
        return this.#scalar(type.scalar, field.name);
    }
  }

  #scalar(scalar: string, name: string): unknown {
    const known = (this.#named.get(name) ?? []).filter((value) => isOf(scalar, value));
    if (known.length > 0 && this.#random() < 0.6) return this.pick(known);
    if (scalar === 'string') return this.pick(TEXTS);
    if (scalar === 'boolean') return this.pick([true, false]);
    if (scalar === 'int32' || scalar === 'int64') return this.pick(NUMBERS);
    return SCALARS[scalar] === undefined ? undefined : this.pick(SCALARS[scalar]);
  }
}

/** Members of one name are of several widths. */
function isOf(scalar: string, value: unknown): boolean {
  if (scalar === 'int32') return typeof value === 'number' && (value | 0) === value;
  return typeof value === (scalar === 'int64' ? 'number' : scalar);
}
