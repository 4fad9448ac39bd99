import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { JsonSyntaxError, parseJson } from '../../../runtime/schema/json/json-text.ts';
import { isRawNumber } from '../../../runtime/schema/scalar/raw-number.ts';

const text = suite('parseJson');

const refused: readonly [text: string, message: string][] = [
  ['', 'unexpected end of JSON input'],
  ['   ', 'unexpected end of JSON input'],
  ['{"a":', 'unexpected end of JSON input'],
  ['{"a":1', 'unexpected end of JSON input'],
  ['[1,', 'unexpected end of JSON input'],
  ['"abc', 'unexpected end of JSON input'],
  ['tru', "invalid character ' ' in literal true (expecting 'e')"],
  ['{"a":-', "invalid character ' ' in numeric literal"],
  ['[1.', "invalid character ' ' after decimal point in numeric literal"],
  ['1e+', "invalid character ' ' in exponent of numeric literal"],
  ['"a\\', "invalid character ' ' in string escape code"],
  ['"\\u12', "invalid character ' ' in \\u hexadecimal character escape"],
  ['x', "invalid character 'x' looking for beginning of value"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['{}{}', "invalid character '{' after top-level value"],
  ['01', "invalid character '1' after top-level value"],
  ['-a', "invalid character 'a' in numeric literal"],
  ['1.a', "invalid character 'a' after decimal point in numeric literal"],
  ['1ea', "invalid character 'a' in exponent of numeric literal"],
  ['trux', "invalid character 'x' in literal true (expecting 'e')"],
  ['nul1', "invalid character '1' in literal null (expecting 'l')"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"a\u0001"', "invalid character '\\x01' in string literal"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
  ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
  ['é', "invalid character 'Ã' looking for beginning of value"],
];
for (const [source, message] of refused) {
  text(`refuses ${JSON.stringify(source)}`, () => {
    assert.throws(
      () => parseJson(source),
      (error: unknown) => error instanceof JsonSyntaxError && error.message === message,
    );
  });
}

const merged: readonly [name: string, text: string, value: unknown, duplicates: string[]][] = [
  ['a scalar replaces', '{"a":1,"a":2}', { a: 2 }, ['a']],
  ['an object adds', '{"a":{"x":1},"a":{"y":2}}', { a: { x: 1, y: 2 } }, ['a']],
  ['an object adds again and again', '{"a":{"x":1},"a":{"x":2,"x":3},"a":{"z":4}}', { a: { x: 3, z: 4 } }, ['a', 'a.x']],
  ['a list replaces', '{"a":[1],"a":[2,3]}', { a: [2, 3] }, ['a']],
  ['an object replaces a list', '{"a":[1],"a":{"b":1}}', { a: { b: 1 } }, ['a']],
  ['null replaces', '{"a":{"b":1},"a":null}', { a: null }, ['a']],
  [
    'paths go through lists',
    '{"spec":{"containers":[{},{"name":"a","name":"b"}]}}',
    { spec: { containers: [{}, { name: 'b' }] } },
    ['spec.containers[1].name'],
  ],
  ['paths from a list', '[{"op":"x","value":1,"value":2}]', [{ op: 'x', value: 2 }], ['[0].value']],
  ['each path once', '{"a":1,"a":2,"a":3}', { a: 3 }, ['a']],
  ['names of Object.prototype', '{"toString":1,"toString":2,"constructor":3}', { toString: 2, constructor: 3 }, ['toString']],
  ['escapes make names equal', '{"a":1,"\\u0061":2}', { a: 2 }, ['a']],
];
for (const [name, source, value, duplicates] of merged) {
  text(`duplicates: ${name}`, () => {
    const parsed = parseJson(source);
    assert.equal(parsed.value, value);
    assert.equal(parsed.duplicates, duplicates);
  });
}

text('the first hundred are reported', () => {
  const members = Array.from({ length: 150 }, (_, index) => `"x${index}":1,"x${index}":2`).join();
  assert.equal(
    parseJson(`{${members}}`).duplicates,
    Array.from({ length: 100 }, (_, index) => `x${index}`),
  );
});

text('many duplicates in a deep object take linear time', () => {
  const within = (content: string): string => `${'{"a":'.repeat(9_000)}${content}${'}'.repeat(9_000)}`;
  const path = 'a.'.repeat(9_000);
  for (const member of ['"b":1,"b":1', '"c":{"b":1,"b":1}', '"d":[{"b":1,"b":1}]']) {
    const { duplicates } = parseJson(within(`{${`${member},`.repeat(60_000)}"e":1}`));
    assert.ok(duplicates[0]?.startsWith(path));
  }
});

text('an object replaces an earlier one where objects have no Go type', () => {
  const source = '{"a":{"x":1,"l":{"p":1,"p":2}},"a":{"y":2,"y":3},"b":[{"c":{"d":1},"c":{"e":1}}]}';
  const parsed = parseJson(source, undefined, 'replaces');
  assert.equal(parsed.value, { a: { y: 3 }, b: [{ c: { e: 1 } }] });
  assert.equal(parsed.duplicates, ['a.l.p', 'a', 'a.y', 'b[0].c']);
});

text('__proto__ is a member like any other', () => {
  const { value, duplicates } = parseJson('{"__proto__":{"a":1},"__proto__":{"b":2},"c":1.0}') as { value: object; duplicates: string[] };
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(JSON.stringify(value), '{"__proto__":{"a":1,"b":2},"c":1.0}');
  assert.equal(duplicates, ['__proto__']);
});

const numbers: readonly [text: string, raw: boolean][] = [
  ['0', false],
  ['-1', false],
  ['1.5', false],
  ['9007199254740991', false],
  ['9007199254740992', true],
  ['9007199254740993', true],
  ['-9223372036854775808', true],
  ['18446744073709551616', true],
  ['2.0', true],
  ['1e3', true],
  ['1E400', true],
  ['1.10', true],
];
for (const [source, raw] of numbers) {
  text(`${source} keeps its spelling`, () => {
    const { value } = parseJson(`[${source}]`) as { value: unknown[] };
    assert.is(isRawNumber(value[0]), raw);
    assert.is(JSON.stringify(value), `[${source}]`);
  });
}

text('lone surrogates are replaced, pairs are not', () => {
  assert.equal(parseJson('["\\ud83d\\ude00","\\ud800","x\\udc00y"]').value, ['😀', '\ufffd', 'x\ufffdy']);
});

text('nesting ends at 10,000 and never overflows the stack', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.ok(Array.isArray(parseJson(nested(10_000)).value));
  assert.throws(() => parseJson(nested(10_001)), /exceeded max depth/);
  assert.throws(() => parseJson('{"a":'.repeat(1_000_000)), /exceeded max depth/);
  assert.throws(() => parseJson('['.repeat(9_999)), /unexpected end of JSON input/);
});

text('equals JSON.parse wherever that is exact', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const source = JSON.stringify(value, null, space);
      const parsed = parseJson(source);
      assert.is(JSON.stringify(parsed.value), JSON.stringify(JSON.parse(source)));
      assert.equal(parsed.duplicates, []);
    }),
  );
});

text('accepts what JSON.parse accepts, and nothing else', () => {
  const character = fc.constantFrom(...'{}[],:"\\ue01-.+ntrufalse \n', 'é');
  fc.assert(
    fc.property(fc.array(character, { maxLength: 12 }), (characters) => {
      const source = characters.join('');
      assert.is(
        outcome(() => parseJson(source)),
        outcome(() => JSON.parse(source)),
      );
    }),
    { numRuns: 2_000 },
  );
});

function outcome(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

for (const [bytes, message] of [
  [[0xff, 0xfe], "invalid character 'ÿ' looking for beginning of value"],
  [[0x81], "invalid character '\\u0081' looking for beginning of value"],
  [[0xad], "invalid character '\\u00ad' looking for beginning of value"],
  [[0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0xc0], "invalid character 'À' after object key:value pair"],
] as const)
  text(`of bytes that are no UTF-8 the one at fault is named: ${message}`, () => {
    const buffer = Buffer.from(bytes);
    try {
      parseJson(buffer.toString(), buffer);
      assert.unreachable('it is refused');
    } catch (error) {
      assert.is((error as Error).message, message);
    }
  });

text.run();
