import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { PatchError, type PatchFault } from '../../../runtime/schema/patch/error.ts';
import { applyStrategicMergePatch } from '../../../runtime/schema/patch/strategic-merge-patch.ts';
import { widget } from '../types.ts';

const patching = suite('strategic merge patch');

const spec = (members: string) => `{"spec":{${members}}}`;
const names = (...list: string[]) => spec(`"containers":[${list.map((name) => `{"name":"${name}"}`).join(',')}]`);
const containers = (text: string) => spec(`"containers":[${text}]`);
const finalizers = (...list: string[]) => `{"metadata":{"finalizers":${JSON.stringify(list)}}}`;

const applied: readonly [name: string, document: string, patch: string, result: string][] = [
  ['members are merged', spec('"replicas":1,"paused":true'), spec('"replicas":2'), spec('"replicas":2,"paused":true')],
  ['whole numbers are integers', '{}', spec('"a":2.0,"b":1e3,"c":-0.0'), spec('"a":2,"b":1000,"c":0')],
  [
    'other numbers are written as doubles are',
    '{}',
    spec('"a":1.50,"b":1e-3,"c":1e20'),
    spec('"a":1.5,"b":0.001,"c":100000000000000000000'),
  ],
  [
    'integers of 64 bits are exact',
    '{}',
    spec('"a":9223372036854775807,"b":9223372036854775808'),
    spec('"a":9223372036854775807,"b":9223372036854776000'),
  ],
  ['null removes', spec('"replicas":1,"paused":true'), spec('"replicas":null,"weight":null'), spec('"paused":true')],
  ['null is not brought in', '{}', spec('"paused":null,"weight":1'), spec('"weight":1')],
  ['maps are merged', spec('"selector":{"a":"1","b":"2"}'), spec('"selector":{"b":null,"c":"3"}'), spec('"selector":{"a":"1","c":"3"}')],
  ['a value of another type replaces', spec('"containers":[]'), spec('"containers":"none"'), spec('"containers":"none"')],
  [
    'a null value is replaced',
    '{"metadata":{"creationTimestamp":null}}',
    '{"metadata":{"creationTimestamp":"x"}}',
    '{"metadata":{"creationTimestamp":"x"}}',
  ],
  [
    'lists without a strategy are replaced',
    spec('"tolerations":[{"name":"a"}]'),
    spec('"tolerations":[{"name":"b"}]'),
    spec('"tolerations":[{"name":"b"}]'),
  ],
  [
    'a replaced list keeps what looks like a directive',
    spec('"tolerations":[{"name":"a"}]'),
    spec('"tolerations":[{"$patch":"delete","name":"a"}]'),
    spec('"tolerations":[{"$patch":"delete","name":"a"}]'),
  ],

  [
    'lists are merged by key',
    containers('{"name":"a","image":"1"},{"name":"b"}'),
    containers('{"name":"a","image":"2"}'),
    containers('{"name":"a","image":"2"},{"name":"b"}'),
  ],
  ['new elements stand in front of later ones', names('a', 'b'), names('c'), names('c', 'a', 'b')],
  ['the order of the patch wins', names('a', 'b', 'c'), names('c', 'a'), names('b', 'c', 'a')],
  ['a list that was not there', '{}', names('b', 'a'), names('b', 'a')],
  [
    'keys may be numbers',
    containers('{"name":"a","ports":[{"containerPort":80},{"containerPort":53,"protocol":"UDP"}]}'),
    containers('{"name":"a","ports":[{"containerPort":53,"name":"dns"}]}'),
    containers('{"name":"a","ports":[{"containerPort":80},{"containerPort":53,"protocol":"UDP","name":"dns"}]}'),
  ],
  [
    'lists within elements',
    containers('{"name":"a","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}'),
    containers('{"name":"a","env":[{"name":"B","value":"3"},{"name":"C","value":"4"}]}'),
    containers('{"name":"a","env":[{"name":"A","value":"1"},{"name":"B","value":"3"},{"name":"C","value":"4"}]}'),
  ],
  ['scalars are united', finalizers('a', 'b'), finalizers('b', 'c'), finalizers('a', 'b', 'c')],
  ['an empty list changes nothing', names('a'), names(), names('a')],

  [
    '$patch: delete empties a map',
    spec('"selector":{"a":"1"},"paused":true'),
    spec('"selector":{"$patch":"delete"}'),
    spec('"selector":{},"paused":true'),
  ],
  [
    '$patch: replace replaces a map',
    spec('"selector":{"a":"1"}'),
    spec('"selector":{"$patch":"replace","b":"2"}'),
    spec('"selector":{"b":"2"}'),
  ],
  ['$patch: replace at the root', spec('"paused":true'), '{"$patch":"replace","metadata":{"name":"n"}}', '{"metadata":{"name":"n"}}'],
  ['$patch where there is nothing brings nothing', '{"metadata":{}}', '{"metadata":{"labels":{"$patch":"explode"}}}', '{"metadata":{}}'],
  ['$patch: delete of an element', names('a', 'b'), containers('{"$patch":"delete","name":"a"}'), names('b')],
  ['$patch: delete of an absent element', names('a'), containers('{"$patch":"delete","name":"x"}'), names('a')],
  ['$patch: delete in a list that was not there', '{"spec":{}}', containers('{"$patch":"delete","name":"x"},{"name":"a"}'), names('a')],
  ['$patch: replace of a list', names('a', 'b'), containers('{"$patch":"replace"},{"name":"z"}'), names('z')],

  [
    '$deleteFromPrimitiveList',
    finalizers('a', 'b', 'c'),
    '{"metadata":{"$deleteFromPrimitiveList/finalizers":["b","x"]}}',
    finalizers('a', 'c'),
  ],
  [
    '$deleteFromPrimitiveList of a list that patches replace',
    spec('"rules":["a","b"]'),
    spec('"$deleteFromPrimitiveList/rules":["b"]'),
    spec('"rules":["a"]'),
  ],
  ['a new element with a directive that is null', '{"spec":{}}', containers('{"name":"a","$patch":null}'), names('a')],
  [
    '$deleteFromPrimitiveList of an absent list',
    '{"metadata":{}}',
    '{"metadata":{"$deleteFromPrimitiveList/finalizers":["b"]}}',
    '{"metadata":{}}',
  ],
  [
    '$setElementOrder of maps',
    names('a', 'b', 'c'),
    spec('"$setElementOrder/containers":[{"name":"c"},{"name":"a"}]'),
    names('b', 'c', 'a'),
  ],
  [
    '$setElementOrder with new elements',
    names('a', 'b'),
    spec('"$setElementOrder/containers":[{"name":"b"},{"name":"x"},{"name":"a"}],"containers":[{"name":"x"}]'),
    names('b', 'x', 'a'),
  ],
  [
    '$setElementOrder with a deletion',
    names('a', 'b'),
    spec('"$setElementOrder/containers":[{"name":"b"}],"containers":[{"$patch":"delete","name":"a"}]'),
    names('b'),
  ],
  [
    '$setElementOrder of scalars',
    finalizers('a', 'b'),
    '{"metadata":{"$setElementOrder/finalizers":["c","b","a"],"finalizers":["c"]}}',
    finalizers('c', 'b', 'a'),
  ],
  [
    '$setElementOrder of a list that was not there',
    '{"metadata":{}}',
    '{"metadata":{"$setElementOrder/finalizers":["b","a"],"finalizers":["b","a"]}}',
    finalizers('b', 'a'),
  ],
  [
    '$setElementOrder with a deletion: a new element comes after what is only on the server',
    names('gone', 'a', 'server'),
    spec('"$setElementOrder/containers":[{"name":"a"},{"name":"new"}],"containers":[{"name":"new"},{"name":"gone","$patch":"delete"}]'),
    names('a', 'server', 'new'),
  ],
  [
    '$setElementOrder with a deletion: as many new elements as were deleted do so',
    names('gone', 'server'),
    spec(
      '"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],"containers":[{"name":"a"},{"name":"b"},{"name":"gone","$patch":"delete"}]',
    ),
    names('server', 'a', 'b'),
  ],
  [
    '$setElementOrder with a deletion of what is not there: new elements come first',
    names('gone', 'server'),
    spec(
      '"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"b"},{"name":"a"},{"name":"absent","$patch":"delete"}]',
    ),
    names('b', 'a', 'gone', 'server'),
  ],
  ['$setElementOrder of no list at all', '{"metadata":{}}', '{"metadata":{"$setElementOrder/finalizers":["b"]}}', '{"metadata":{}}'],
  [
    '$retainKeys',
    spec('"strategy":{"type":"Rolling","rolling":{"path":"/"}}'),
    spec('"strategy":{"$retainKeys":["type"],"type":"Recreate"}'),
    spec('"strategy":{"type":"Recreate"}'),
  ],
  [
    '$retainKeys keeps what it names',
    spec('"strategy":{"type":"Rolling","rolling":{"path":"/","port":1}}'),
    spec('"strategy":{"$retainKeys":["rolling","type"],"rolling":{"port":2}}'),
    spec('"strategy":{"type":"Rolling","rolling":{"path":"/","port":2}}'),
  ],
  [
    '$retainKeys in an element',
    containers('{"name":"a","image":"1","args":["x"]}'),
    containers('{"$retainKeys":["name","args"],"name":"a"}'),
    containers('{"name":"a","args":["x"]}'),
  ],
  [
    '__proto__ in a map',
    spec('"selector":{"a":"1"}'),
    spec('"selector":{"__proto__":{"x":"1"},"constructor":"2"}'),
    spec('"selector":{"a":"1","__proto__":{"x":"1"},"constructor":"2"}'),
  ],
];
for (const [name, document, patch, result] of applied) {
  patching(name, () => {
    const [before, change] = [parseJson(document).value, parseJson(patch).value];
    assert.is(JSON.stringify(applyStrategicMergePatch(before, change, widget)), result);
    assert.is(JSON.stringify(before), document);
    assert.is(JSON.stringify(change), patch);
  });
}

const refused: readonly [name: string, document: string, patch: string, reason: PatchFault, message: RegExp][] = [
  ['a list', '{}', '[]', 'malformed', /cannot unmarshal array into Go value of type map\[string\]interface \{\}/],
  [
    'an unknown directive',
    spec('"selector":{"a":"1"}'),
    spec('"selector":{"$patch":"explode"}'),
    'internal',
    /^unknown patch type: explode in map: map\[\$patch:explode\]$/,
  ],
  [
    'merge is none for a map',
    spec('"selector":{"a":"1"}'),
    spec('"selector":{"$patch":"merge"}'),
    'internal',
    /^unknown patch type: merge in map:/,
  ],
  ...(
    [
      ['null', '%!s(<nil>)', '<nil>'],
      ['1', '%!s(int64=1)', '1'],
      ['1.5', '%!s(float64=1.5)', '1.5'],
      ['true', '%!s(bool=true)', 'true'],
      ['{"a":"b"}', 'map[a:b]', 'map[a:b]'],
    ] as const
  ).map(([directive, said, shown]): (typeof refused)[number] => [
    `the directive ${directive}`,
    spec('"selector":{"a":"1"}'),
    spec(`"selector":{"$patch":${directive}}`),
    'internal',
    new RegExp(`^${RegExp.escape(`unknown patch type: ${said} in map: map[$patch:${shown}]`)}$`),
  ]),
  [
    'merge is none for an element',
    names('a'),
    containers('{"$patch":"merge","name":"a"}'),
    'internal',
    /^merging lists cannot yet be specified in the patch$/,
  ],
  [
    'an element without its key',
    names('a'),
    containers('{"image":"x"}'),
    'internal',
    /^map: map\[image:x\] does not contain declared merge key: name$/,
  ],
  ['a deletion without its key', names('a'), containers('{"$patch":"delete"}'), 'internal', /does not contain declared merge key: name$/],
  [
    'elements of several kinds',
    names('a'),
    containers('"x"'),
    'internal',
    /^list element types are not identical: \[\[map\[name:a\]\] \[x\]\]$/,
  ],
  [
    'numbers with and without a fraction',
    finalizers(),
    '{"metadata":{"finalizers":[1,1.5]}}',
    'internal',
    /^list element types are not identical: \[\[\] \[1 1\.5\]\]$/,
  ],
  ['lists of lists', finalizers(), '{"metadata":{"finalizers":[["a"]]}}', 'failed', /^lists of lists are not supported$/],
  [
    'a list beside texts',
    finalizers('a'),
    '{"metadata":{"finalizers":[["a"]]}}',
    'internal',
    /^list element types are not identical: \[\[a\] \[\[a\]\]\]$/,
  ],
  [
    'a list in a map',
    spec('"extra":{"a":["x"]}'),
    spec('"extra":{"a":["y"]}'),
    'internal',
    /^merging an object in json but data type is not struct, instead is: map$/,
  ],
  [
    'a member that the type does not have',
    '{"x":{"a":1}}',
    '{"x":{"b":1}}',
    'internal',
    /^unable to find api field in struct Widget for the json field "x"$/,
  ],
  [
    'a member of what may hold anything',
    '{"spec":{"data":{"a":{}}}}',
    '{"spec":{"data":{"a":{}}}}',
    'internal',
    /^unable to find api field in struct RawExtension for the json field "a"$/,
  ],
  [
    '$retainKeys without what the patch brings',
    spec('"strategy":{"type":"A"}'),
    spec('"strategy":{"$retainKeys":["type"],"rolling":{}}'),
    'malformed',
    /^invalid patch format of retainKeys$/,
  ],
  [
    '$retainKeys that is no list',
    spec('"strategy":{"type":"A"}'),
    spec('"strategy":{"$retainKeys":"type"}'),
    'malformed',
    /^invalid patch format of retainKeys$/,
  ],
  [
    '$deleteFromPrimitiveList of nothing',
    '{"metadata":{}}',
    '{"metadata":{"$deleteFromPrimitiveList":["a"]}}',
    'malformed',
    /^invalid patch format of primitive list$/,
  ],
  [
    '$setElementOrder of nothing',
    '{"metadata":{}}',
    '{"metadata":{"$setElementOrder":["a"]}}',
    'malformed',
    /^invalid patch format of setElementOrder list$/,
  ],
  [
    '$setElementOrder that is no list',
    '{"metadata":{}}',
    '{"metadata":{"$setElementOrder/finalizers":"a"}}',
    'internal',
    /^expected a \[\]interface \{\}, but received a string$/,
  ],
  ...(
    [
      ['null', '%!s(<nil>)'],
      ['{}', 'map[string]interface {}'],
      ['1', 'int64'],
      ['1.5', 'float64'],
      ['true', 'bool'],
    ] as const
  ).map(([order, type]): (typeof refused)[number] => [
    `$setElementOrder that is ${order}`,
    '{"metadata":{}}',
    `{"metadata":{"$setElementOrder/finalizers":${order}}}`,
    'internal',
    new RegExp(`^${RegExp.escape(`expected a []interface {}, but received a ${type}`)}$`),
  ]),
  [
    '$setElementOrder in another order than the list',
    names('a', 'b'),
    spec('"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"a"},{"name":"b"}]'),
    'internal',
    /^The order in patch list:\n\[map\[name:a\] map\[name:b\]\]\n doesn't match \$setElementOrder list:\n\[map\[name:b\] map\[name:a\]\]\n$/,
  ],
];
for (const [name, document, patch, reason, message] of refused) {
  patching(`refused: ${name}`, () => {
    assert.throws(
      () => applyStrategicMergePatch(parseJson(document).value, parseJson(patch).value, widget),
      (error: unknown) => error instanceof PatchError && error.reason === reason && message.test(error.message),
    );
  });
}

patching('without directives and nulls applying twice is applying once', () => {
  const container = fc.record({ name: fc.constantFrom('a', 'b', 'c'), image: fc.string({ maxLength: 3 }) });
  const list = fc.uniqueArray(container, { selector: ({ name }) => name });
  const object = fc.record({
    metadata: fc.record({
      finalizers: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')),
      labels: fc.dictionary(fc.constantFrom('l', 'm'), fc.string()),
    }),
    spec: fc.record({ containers: list, rules: fc.array(fc.string({ maxLength: 2 })) }),
  });
  fc.assert(
    fc.property(object, object, (document, patch) => {
      const before = JSON.stringify([document, patch]);
      const once = applyStrategicMergePatch(document, patch, widget);
      assert.ok(deepEqual(applyStrategicMergePatch(once, patch, widget), once));
      assert.is(JSON.stringify([document, patch]), before);
    }),
  );
});

patching.run();
