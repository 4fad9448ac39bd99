import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ConversionData, ConversionFunctions, ConversionStep } from '../../runtime/contract/kind.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { convertFromHub, convertToHub } from '../../runtime/schema/convert.ts';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { identity } from './types.ts';

const conversion = suite('conversion');

function data(...steps: ConversionStep[]): ConversionData {
  return { group: 'example.com', version: 'v2', kind: 'Widget', steps };
}

function object(members: string): ApiObject {
  return parseJson(`{"kind":"Widget","apiVersion":"example.com/v1",${members}}`).value as ApiObject;
}

function members({ kind: _kind, apiVersion: _apiVersion, ...rest }: ApiObject): string {
  return JSON.stringify(rest).slice(1, -1);
}

const KEEP: ConversionStep = { op: 'keepInAnnotation', path: 'spec.extra', annotation: '${labelDomain}/extra' };

/** Both ways; `back` where the way back gives something else than it started from. */
const rows: readonly [name: string, steps: ConversionStep[], version: string, hub: string, back?: string][] = [
  ['rename', [{ op: 'rename', from: 'spec.old', to: 'spec.new' }], '"metadata":{},"spec":{"old":5}', '"metadata":{},"spec":{"new":5}'],
  [
    'rename into another struct',
    [{ op: 'rename', from: 'spec.old', to: 'status.deep.new' }],
    '"metadata":{},"spec":{"old":{"a":1}}',
    '"metadata":{},"spec":{},"status":{"deep":{"new":{"a":1}}}',
    '"metadata":{},"spec":{"old":{"a":1}},"status":{"deep":{}}',
  ],
  ['rename of nothing', [{ op: 'rename', from: 'spec.old', to: 'spec.new' }], '"metadata":{},"spec":{}', '"metadata":{},"spec":{}'],
  [
    'mapped values',
    [{ op: 'mapValues', path: 'spec.mode', values: { on: 'Enabled', off: 'Disabled' } }],
    '"metadata":{},"spec":{"mode":"on"}',
    '"metadata":{},"spec":{"mode":"Enabled"}',
  ],
  [
    'a value that is not mapped',
    [{ op: 'mapValues', path: 'spec.mode', values: { on: 'Enabled' } }],
    '"metadata":{},"spec":{"mode":"constructor"}',
    '"metadata":{},"spec":{"mode":"constructor"}',
  ],
  [
    'default',
    [{ op: 'default', path: 'spec.mode', value: { a: [1] } }],
    '"metadata":{},"spec":{}',
    '"metadata":{},"spec":{"mode":{"a":[1]}}',
    '"metadata":{},"spec":{"mode":{"a":[1]}}',
  ],
  [
    'kept in an annotation',
    [KEEP],
    '"metadata":{"annotations":{"kubernetes.io/extra":"{\\"n\\":9007199254740993}"}},"spec":{}',
    '"metadata":{},"spec":{"extra":{"n":9007199254740993}}',
  ],
  [
    'other annotations stay',
    [KEEP],
    '"metadata":{"annotations":{"a":"b","kubernetes.io/extra":"1"}},"spec":{}',
    '"metadata":{"annotations":{"a":"b"}},"spec":{"extra":1}',
  ],
  [
    'an annotation that is no JSON',
    [KEEP],
    '"metadata":{"annotations":{"kubernetes.io/extra":"{"}},"spec":{}',
    '"metadata":{"annotations":{"kubernetes.io/extra":"{"}},"spec":{}',
  ],
  [
    'steps go back in reverse order',
    [
      { op: 'rename', from: 'spec.a', to: 'spec.b' },
      { op: 'rename', from: 'spec.b', to: 'spec.c' },
    ],
    '"metadata":{},"spec":{"a":1}',
    '"metadata":{},"spec":{"c":1}',
  ],
];
for (const [name, steps, version, hub, back = version] of rows) {
  conversion(name, () => {
    const converted = convertToHub(object(version), data(...steps), undefined, identity);
    assert.is(members(converted), hub);
    assert.is(members(convertFromHub(converted, data(...steps), undefined, identity)), back);
  });
}

conversion('a default is a copy of its own each time', () => {
  const steps = data({ op: 'default', path: 'spec.list', value: [] });
  const first = convertToHub(object('"metadata":{}'), steps, undefined, identity);
  (first.spec.list as unknown[]).push('changed');
  assert.is(members(convertToHub(object('"metadata":{}'), steps, undefined, identity)), '"metadata":{},"spec":{"list":[]}');
});

conversion('a function runs after the steps towards the hub, and before them on the way back', () => {
  const seen: string[] = [];
  const functions: ConversionFunctions = {
    toHub(one) {
      seen.push(`hub ${members(one)}`);
      return one;
    },
    fromHub(one) {
      seen.push(`back ${members(one)}`);
      return one;
    },
  };
  const steps = data({ op: 'rename', from: 'old', to: 'new' });
  convertFromHub(convertToHub(object('"metadata":{},"old":1'), steps, functions, identity), steps, functions, identity);
  assert.equal(seen, ['hub "metadata":{},"new":1', 'back "metadata":{},"new":1']);
});

conversion('what an annotation keeps comes back', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (extra) => {
      const hub = object(`"metadata":{},"spec":{"extra":${JSON.stringify(extra)}}`);
      const before = members(hub);
      const converted = convertFromHub(hub, data(KEEP), undefined, identity);
      assert.is(converted.spec.extra, undefined);
      assert.is(members(convertToHub(converted, data(KEEP), undefined, identity)), before);
    }),
  );
});

conversion.run();
