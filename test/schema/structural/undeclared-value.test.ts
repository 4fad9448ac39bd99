/** Values of which a structural type says nothing, however deep they are. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decode, type StructuralSchema } from '../../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { undeclaredValue } from '../../../runtime/schema/structural/undeclared-value.ts';
import { KEEPS, kindOfSpec, object, TEXT } from './types.ts';

const test = suite('undeclared values of structural types');

/** Nearly as deep as JSON may be. */
const LEVELS = 9_900;
const lists = `${'['.repeat(LEVELS)}2.0${']'.repeat(LEVELS)}`;
const objects = `${'{"b":1,"a":'.repeat(LEVELS)}2.0${'}'.repeat(LEVELS)}`;
const sorted = `${'{"a":'.repeat(LEVELS)}2.0${',"b":1}'.repeat(LEVELS)}`;

interface Row {
  readonly name: string;
  readonly spec: StructuralSchema;
  readonly given: string;
  readonly made: string;
  readonly unknown?: readonly string[];
}

const rows: readonly Row[] = [
  { name: 'lists that are kept', spec: { ...KEEPS }, given: `{"x":${lists}}`, made: `{"x":${lists}}` },
  { name: 'objects that are kept', spec: { ...KEEPS }, given: `{"x":${objects}}`, made: `{"x":${sorted}}` },
  {
    name: 'objects that are kept beside a member that is dropped',
    spec: object({ kept: { type: 'object', ...KEEPS }, closed: object({ a: TEXT }) }),
    given: `{"kept":{"x":[${objects}]},"closed":{"z":1}}`,
    made: `{"closed":{},"kept":{"x":[${sorted}]}}`,
    unknown: ['spec.closed.z'],
  },
  { name: 'lists in the place of an object', spec: object({ a: TEXT }), given: lists, made: lists },
  { name: 'objects that are dropped', spec: object({ a: TEXT }), given: `{"x":${objects}}`, made: '{}', unknown: ['spec.x'] },
];

for (const { name, spec, given, made, unknown = [] } of rows)
  for (const reuses of [false, true])
    test(`${LEVELS} levels of ${name}${reuses ? ', of its input' : ''}`, () => {
      const { value } = parseJson(`{"metadata":{},"spec":${given}}`);
      const { object: decoded, unknownFields } = decode(kindOfSpec(spec), value, { defaults: true, reuses });
      assert.equal(unknownFields, unknown);
      // raw numbers have become doubles
      assert.is(shallowText(decoded.spec), shallowText(JSON.parse(made.replaceAll('2.0', '2'))));
    });

/** JSON, without recursion. */
function shallowText(value: unknown): string {
  const pieces: string[] = [];
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) pieces.push(String(next));
    else {
      pieces.push(`${Array.isArray(next) ? 'list' : 'object'} of ${Object.keys(next).join()}`);
      pending.push(...Object.values(next));
    }
  }
  return pieces.join('\n');
}

test('what does not change is the same value, where it may be', () => {
  let dropped = 0;
  const drop = (count: number): void => {
    dropped += count;
  };
  const options = { reuses: true, drop };
  const kept = { a: [1, { b: null }], c: {} };
  assert.is(undeclaredValue(kept, { ...options, keeps: true }), kept);
  const changed = { a: [{ c: 1, b: 2 }], d: { e: 1 } };
  const made = undeclaredValue(changed, { ...options, keeps: true }) as typeof changed;
  assert.is(JSON.stringify(made), '{"a":[{"b":2,"c":1}],"d":{"e":1}}');
  assert.is(made.d, changed.d);
  assert.is(JSON.stringify(changed), '{"a":[{"c":1,"b":2}],"d":{"e":1}}');
  assert.is(dropped, 0);
  assert.equal(undeclaredValue([{ a: 1, b: 2 }, 3, {}], { ...options, keeps: false }), [{}, 3, {}]);
  assert.is(dropped, 2);
});

test('a member of the name of the prototype stays a member', () => {
  const { value } = parseJson('{"b":1,"__proto__":{"a":1}}');
  const made = undeclaredValue(value, { keeps: true, reuses: false, drop: () => {} }) as object;
  assert.equal(Object.keys(made), ['__proto__', 'b']);
  assert.is(Object.getPrototypeOf(made), Object.prototype);
});

test.run();
