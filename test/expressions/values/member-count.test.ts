/** How often the members of an object are counted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileExpression } from '../../../runtime/expressions/expression.ts';
import { DYN } from '../../../runtime/expressions/types/type.ts';
import { jsonValue } from '../../../runtime/expressions/values/json-values.ts';
import { schemaValue } from '../../../runtime/structural-schema/rules/schema-values.ts';

const test = suite('sizes of maps');
const MANY = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, index]));
const list = Array.from({ length: 200 }, (_, index) => index);

/** An object that tells how often its members were listed. */
function watched(members: Record<string, unknown>) {
  const told = { times: 0 };
  const json = new Proxy(members, {
    ownKeys(of) {
      told.times++;
      return Reflect.ownKeys(of);
    },
  });
  return { json, told };
}

const schema = {
  type: 'object',
  properties: {
    list: { type: 'array', items: { type: 'integer' } },
    map: { type: 'object', additionalProperties: { type: 'integer' } },
    object: { type: 'object', properties: { k1: { type: 'integer' } } },
  },
} as const;
const { evaluate } = compileExpression('self.list.all(x, size(self.map) > x) && self.list.all(x, size(self.object) > 0)', {
  variables: { self: DYN },
  otherType: () => undefined,
  budget: 1_000_000,
});

for (const [name, made] of [
  ['values without a schema', (json: object) => jsonValue(json)],
  ['values with a schema', (json: object) => schemaValue(json, schema)],
] as const)
  test(`of ${name} are counted once in an evaluation, and again in the next`, () => {
    const map = watched({ ...MANY });
    const object = watched({ ...MANY });
    const self = made({ list, map: map.json, object: object.json });
    assert.is(evaluate({ self }), true);
    assert.equal([map.told.times, object.told.times], [1, 1]);
    for (const key of Object.keys(MANY)) delete (map.json as Record<string, unknown>)[key];
    assert.is(evaluate({ self }), false, 'objects change between evaluations');
  });

test.run();
