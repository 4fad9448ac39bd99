import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { PatchError } from '../../../runtime/schema/patch/error.ts';
import { applyJsonPatch, MAX_OPERATIONS } from '../../../runtime/schema/patch/json-patch.ts';

const patching = suite('JSON patch');

const applied: readonly [name: string, document: string, operations: string, result: string][] = [
  ['add a member', '{"a":1}', '[{"op":"add","path":"/b","value":2}]', '{"a":1,"b":2}'],
  ['add replaces a member', '{"a":1}', '[{"op":"add","path":"/a","value":{"x":1}}]', '{"a":{"x":1}}'],
  ['add without a value is null', '{}', '[{"op":"add","path":"/a"}]', '{"a":null}'],
  ['add into a list', '{"l":[1,3]}', '[{"op":"add","path":"/l/1","value":2}]', '{"l":[1,2,3]}'],
  ['add behind a list', '{"l":[1]}', '[{"op":"add","path":"/l/-","value":2},{"op":"add","path":"/l/2","value":3}]', '{"l":[1,2,3]}'],
  ['add counted from the end', '{"l":[1,2]}', '[{"op":"add","path":"/l/-1","value":3}]', '{"l":[1,2,3]}'],
  ['an index with a plus', '{"l":[1,2]}', '[{"op":"replace","path":"/l/+1","value":3}]', '{"l":[1,3]}'],
  ['remove', '{"a":1,"l":[1,2]}', '[{"op":"remove","path":"/a"},{"op":"remove","path":"/l/0"}]', '{"l":[2]}'],
  ['remove counted from the end', '{"l":[1,2,3]}', '[{"op":"remove","path":"/l/-3"}]', '{"l":[2,3]}'],
  ['replace', '{"a":1,"l":[1]}', '[{"op":"replace","path":"/a","value":2},{"op":"replace","path":"/l/-1","value":9}]', '{"a":2,"l":[9]}'],
  ['replace of an absent member adds it', '{}', '[{"op":"replace","path":"/a","value":2}]', '{"a":2}'],
  ['replace of the whole', '{"a":1}', '[{"op":"replace","path":"","value":{"b":1}},{"op":"add","path":"/c","value":2}]', '{"b":1,"c":2}'],
  [
    'replace of the whole by a scalar does nothing',
    '{"a":1}',
    '[{"op":"replace","path":"","value":1},{"op":"add","path":"/b","value":2}]',
    '{"a":1,"b":2}',
  ],
  ['move', '{"a":{"x":1},"b":{}}', '[{"op":"move","from":"/a/x","path":"/b/y"}]', '{"a":{},"b":{"y":1}}'],
  [
    'copy',
    '{"a":{"x":[1]}}',
    '[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/x/-","value":2}]',
    '{"a":{"x":[1]},"b":{"x":[1,2]}}',
  ],
  [
    'copy, then change the original',
    '{"a":{"x":1}}',
    '[{"op":"replace","path":"/a/x","value":2},{"op":"copy","from":"/a","path":"/b"},{"op":"replace","path":"/a/x","value":3}]',
    '{"a":{"x":3},"b":{"x":2}}',
  ],
  [
    'copy into itself',
    '{"a":{"x":1}}',
    '[{"op":"copy","from":"/a","path":"/a/b"},{"op":"replace","path":"/a/b/x","value":2}]',
    '{"a":{"x":1,"b":{"x":2}}}',
  ],
  ['copy of an absent member is null', '{"a":{}}', '[{"op":"copy","from":"/a/x","path":"/b"}]', '{"a":{},"b":null}'],
  ['test', '{"a":{"x":[1,{"y":null}]}}', '[{"op":"test","path":"/a","value":{"x":[1,{"y":null}]}}]', '{"a":{"x":[1,{"y":null}]}}'],
  ['test of the whole, in any order', '{"a":1,"b":2}', '[{"op":"test","path":"","value":{"b":2,"a":1}}]', '{"a":1,"b":2}'],
  ['test of an absent member against null', '{}', '[{"op":"test","path":"/a","value":null}]', '{}'],
  ['test of a large integer', '{"a":9007199254740993}', '[{"op":"test","path":"/a","value":9007199254740993}]', '{"a":9007199254740993}'],
  [
    'escapes',
    '{"a/b":1,"m~n":2,"~1":3}',
    '[{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/m~0n"},{"op":"replace","path":"/~01","value":4}]',
    '{"~1":4}',
  ],
  ['the empty name', '{"":1}', '[{"op":"replace","path":"/","value":2}]', '{"":2}'],
  [
    '__proto__ and constructor',
    '{"a":{}}',
    '[{"op":"add","path":"/a/__proto__","value":{"x":1}},{"op":"add","path":"/a/constructor","value":1}]',
    '{"a":{"__proto__":{"x":1},"constructor":1}}',
  ],
  ['no operations', '{"a":1}', '[]', '{"a":1}'],
];
for (const [name, document, operations, result] of applied) {
  patching(name, () => {
    const { value } = parseJson(document);
    const patch = parseJson(operations).value;
    assert.is(JSON.stringify(applyJsonPatch(value, patch)), result);
    assert.is(JSON.stringify(value), document);
    assert.is(JSON.stringify(patch), operations);
  });
}

const refused: readonly [name: string, document: string, operations: string, message: string][] = [
  [
    'add below nothing',
    '{}',
    '[{"op":"add","path":"/a/b","value":1}]',
    'add operation does not apply: doc is missing path: "/a/b": missing value',
  ],
  [
    'add below a scalar',
    '{"a":1}',
    '[{"op":"add","path":"/a/b","value":1}]',
    'add operation does not apply: doc is missing path: "/a/b": missing value',
  ],
  ['add to the whole', '{}', '[{"op":"add","path":"","value":{}}]', 'add operation does not apply: doc is missing path: "": missing value'],
  [
    'add beyond a list',
    '{"l":[1]}',
    '[{"op":"add","path":"/l/2","value":1}]',
    "error in add for path: '/l/2': Unable to access invalid index: 2: invalid index referenced",
  ],
  [
    'add before a list',
    '{"l":[1]}',
    '[{"op":"add","path":"/l/-3","value":1}]',
    "error in add for path: '/l/-3': Unable to access invalid index: -3: invalid index referenced",
  ],
  [
    'add at no position',
    '{"l":[1]}',
    '[{"op":"add","path":"/l/x","value":1}]',
    `error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [
    'remove nothing',
    '{"a":1}',
    '[{"op":"remove","path":"/b"}]',
    "error in remove for path: '/b': Unable to remove nonexistent key: b: missing value",
  ],
  [
    'remove beyond a list',
    '{"l":[1]}',
    '[{"op":"remove","path":"/l/1"}]',
    "error in remove for path: '/l/1': Unable to access invalid index: 1: invalid index referenced",
  ],
  [
    'replace behind a list',
    '{"l":[1]}',
    '[{"op":"replace","path":"/l/-","value":1}]',
    'replace operation does not apply: doc is missing key: /l/-: missing value',
  ],
  [
    'move of nothing',
    '{}',
    '[{"op":"move","from":"/a","path":"/b"}]',
    "error in move for path: 'a': Unable to remove nonexistent key: a: missing value",
  ],
  [
    'move into itself',
    '{"a":{}}',
    '[{"op":"move","from":"/a","path":"/a/b"}]',
    'move operation does not apply: doc is missing destination path: /a/b: missing value',
  ],
  [
    'copy of nothing',
    '{"l":[]}',
    '[{"op":"copy","from":"/l/0","path":"/b"}]',
    "error in copy for from: '/l/0': Unable to access invalid index: 0: invalid index referenced",
  ],
  ['test fails', '{"a":1}', '[{"op":"test","path":"/a","value":2}]', 'testing value /a failed: test failed'],
  [
    'test tells large integers apart',
    '{"a":9007199254740993}',
    '[{"op":"test","path":"/a","value":9007199254740992}]',
    'testing value /a failed: test failed',
  ],
  ['test tells numbers from texts', '{"a":1}', '[{"op":"test","path":"/a","value":"1"}]', 'testing value /a failed: test failed'],
  ['an unknown operation', '{}', '[{"op":"merge","path":"/a"}]', 'Unexpected kind: merge'],
  ['no operation', '{}', '[{"path":"/a"}]', 'Unexpected kind: unknown'],
  ['no path', '{}', '[{"op":"add","value":1}]', 'add operation failed to decode path: missing value'],
  ['no from', '{}', '[{"op":"move","path":"/a"}]', 'move operation failed to decode from: operation, missing from field: missing value'],
  [
    'no path of a move',
    '{"a":1}',
    '[{"op":"move","from":"/a"}]',
    'move operation failed to decode path: operation missing path field: missing value',
  ],
  [
    'no path of a test',
    '{}',
    '[{"op":"test","value":1}]',
    'test operation failed to decode path: operation missing path field: missing value',
  ],
  ...(
    [
      ['move', 'from', 'json: cannot unmarshal number into Go value of type string', '1'],
      ['copy', 'from', 'json: cannot unmarshal object into Go value of type string', '{}'],
      ['test', 'path', 'json: cannot unmarshal array into Go value of type string', '[]'],
      ['replace', 'path', 'json: cannot unmarshal bool into Go value of type string', 'true'],
      ['replace', 'path', 'operation missing path field: missing value', 'null'],
      ['add', 'path', '', '1'],
      ['remove', 'path', '', '1'],
    ] as const
  ).map(([op, member, problem, value]): (typeof refused)[number] => [
    `${member} of ${op} is ${value}`,
    '{}',
    `[{"op":"${op}","${member}":${value}}]`,
    `${op} operation failed to decode ${member}: ${problem === '' ? 'missing value' : problem}`,
  ]),
  ['no path of a copy', '{"a":1}', '[{"op":"copy","from":"/a"}]', 'copy operation failed to decode path: missing value'],
  ['no path of a removal', '{}', '[{"op":"remove"}]', 'remove operation failed to decode path: missing value'],
  [
    'copy to no number',
    '{"l":[1]}',
    '[{"op":"copy","from":"/l","path":"/l/é\\u0007"}]',
    `error while adding value during copy: value was not a proper array index: 'é\u0007': strconv.Atoi: parsing "é\\a": invalid syntax`,
  ],
  [
    'removal at no number',
    '{"l":[1]}',
    '[{"op":"remove","path":"/l/ 1"}]',
    `error in remove for path: '/l/ 1': strconv.Atoi: parsing " 1": invalid syntax`,
  ],
  [
    'a position beyond 64 bits',
    '{"l":[1]}',
    '[{"op":"test","path":"/l/99999999999999999999","value":1}]',
    `error in test for path: '/l/99999999999999999999': strconv.Atoi: parsing "99999999999999999999": value out of range`,
  ],
  [
    'a large position',
    '{"l":[1]}',
    '[{"op":"add","path":"/l/9007199254740993","value":1}]',
    `error in add for path: '/l/9007199254740993': Unable to access invalid index: 9007199254740993: invalid index referenced`,
  ],
  [
    'through an inherited member',
    '{}',
    '[{"op":"add","path":"/constructor/x","value":1}]',
    'add operation does not apply: doc is missing path: "/constructor/x": missing value',
  ],
  [
    'through the prototype',
    '{}',
    '[{"op":"add","path":"/__proto__/x","value":1}]',
    'add operation does not apply: doc is missing path: "/__proto__/x": missing value',
  ],
];
for (const [name, document, operations, message] of refused) {
  patching(`refused: ${name}`, () => {
    assert.throws(
      () => applyJsonPatch(parseJson(document).value, parseJson(operations).value),
      (error: unknown) => error instanceof PatchError && error.reason === 'failed' && error.message === message,
    );
  });
}

const malformed: readonly [name: string, operations: unknown][] = [
  ['an object', {}],
  ['a text', 'x'],
  ['null', null],
  ['a list of texts', ['add']],
];
for (const [name, operations] of malformed) {
  patching(`malformed: ${name}`, () => {
    assert.throws(
      () => applyJsonPatch({}, operations),
      (error: unknown) => error instanceof PatchError && error.reason === 'malformed',
    );
  });
}

patching('so many operations, and no more', () => {
  const operations = (count: number) => Array.from({ length: count }, (_, i) => ({ op: 'add', path: '/l/-', value: i }));
  const { l } = applyJsonPatch({ l: [] }, operations(MAX_OPERATIONS)) as { l: number[] };
  assert.is(l.length, MAX_OPERATIONS);
  assert.throws(
    () => applyJsonPatch({ l: [] }, operations(MAX_OPERATIONS + 1)),
    (error: unknown) => error instanceof PatchError && error.reason === 'tooLarge',
  );
});

patching('copies are bounded', () => {
  const doubling = Array.from({ length: 30 }, () => ({ op: 'copy', from: '/l', path: '/l/-' }));
  assert.throws(
    () => applyJsonPatch({ l: ['x'.repeat(100)] }, doubling),
    /accumulated size increase of copy is \d+, exceeding the limit 3145728/,
  );
});

patching('nothing that was there is changed, whatever the operations', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', '0', '1', '-', '-1', '__proto__'), { maxLength: 3 })
    .map((parts) => parts.map((part) => `/${part}`).join(''));
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
    path,
    from: path,
    value: fc.jsonValue({ maxDepth: 2 }),
  });
  const document = fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue({ maxDepth: 2 }));
  fc.assert(
    fc.property(document, fc.array(operation, { maxLength: 5 }), (value, operations) => {
      const before = JSON.stringify([value, operations]);
      try {
        const result = applyJsonPatch(value, operations);
        assert.ok(JSON.stringify(result) !== undefined);
      } catch (error) {
        assert.ok(error instanceof PatchError, String(error));
      }
      assert.is(JSON.stringify([value, operations]), before);
    }),
    { numRuns: 1_000 },
  );
});

patching('what was added tests equal', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue({ maxDepth: 3 }), (name, value) => {
      const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const result = applyJsonPatch({}, [
        { op: 'add', path, value },
        { op: 'test', path, value },
      ]) as Record<string, unknown>;
      assert.ok(deepEqual(result[name], value) || name === '__proto__');
    }),
  );
});

patching.run();
