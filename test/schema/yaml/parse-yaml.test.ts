/** YAML as 1.32 reads it, and within bounds: what would take a parser far too long is refused before it begins. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { JsonSyntaxError } from '../../../runtime/schema/json/json-walk.ts';
import { parseYaml, YamlSyntaxError } from '../../../runtime/schema/yaml/parse-yaml.ts';

const parsing = suite('YAML');

const values: [name: string, text: string, value: unknown][] = [
  ['nothing', '', null],
  ['comments alone', '# a\n'.repeat(1_000), null],
  ['lines with nothing', '\n'.repeat(2_000_000), null],
  ['the first of several documents', 'a: 1\n---\nb: 2\n', { a: 1 }],
  ['the first document where the second one is wrong', '# x\n---\na: 1\n--- ]\n', { a: 1 }],
  ['a document that is ended', 'a: 1\n... ]\n]', { a: 1 }],
  ['a document with directives', '%YAML 1.1\n%TAG !y! tag:yaml.org,2002:\n---\na: !y!str 1\n', { a: '1' }],
  ['many directives', `${Array.from({ length: 100_000 }, (_, i) => `%TAG !y${i}! tag:yaml.org,2002:\n`).join('')}---\na: 1\n`, { a: 1 }],
  ['a byte order mark', '\uFEFFa: 1\n', { a: 1 }],
  ['other line breaks', 'a: |\r\n  x\r\n  y\r\nb: 1\rc: 2', { a: 'x\ny\n', b: 1, c: 2 }],
  ['JSON with tabs', '{\n\t"a": [\n\t\t1\n\t]\n}', { a: [1] }],
  ['brackets that go on in any column', 'a: {\n  b: [\n1,\n  2\n],\nc: d\n}\ne: "x\ny"\n', { a: { b: [1, 2], c: 'd' }, e: 'x y' }],
  ['names that objects have', '__proto__: {a: 1}\nconstructor: 2\n', JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
  ['texts in blocks', 'a: |\n  x\n\n   y\n\nb: >-\n  x\n  y\n\n  z\nc: |+\n  x\n\n', { a: 'x\n\n y\n', b: 'x y\nz', c: 'x\n\n' }],
  ['a text in a block whose last line has no end', 'a: |\n  x\n  y', { a: 'x\ny' }],
  ['escapes', 'a: "\\x41\\u00e9\\U0001F600\\n\\\n   b"\n', { a: 'A\u00e9\u{1F600}\nb' }],
  ['an anchor that is set again', 'a: &x 1\nb: *x\nc: &x 2\nd: *x\n', { a: 1, b: 1, c: 2, d: 2 }],
  ['the same map merged again and again', `a: &a {}\n${'<<: *a\n'.repeat(50_000)}`, { a: {} }],
  ['aliases of many nodes', Array.from({ length: 16_000 }, (_, i) => `- &a${i} x\n- *a${i}\n`).join(''), Array(32_000).fill('x')],
  ['nesting that people write', `a: ${'['.repeat(100)}${']'.repeat(100)}`, { a: JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) }],
  ['brackets within texts', `a: "${'['.repeat(1000)}"\nb: |\n  ${'{'.repeat(1000)}\n`, { a: '['.repeat(1000), b: `${'{'.repeat(1000)}\n` }],
  [
    'many lists one after the other',
    '- [a]\n- - b\n'.repeat(600),
    Array.from({ length: 1200 }, (_, index) => [index % 2 === 0 ? 'a' : 'b']),
  ],
];
for (const [name, text, value] of values) parsing(name, () => assert.equal(parseYaml(text).value, value));

const words: [word: string, value: unknown][] = [
  ['12:30', '12:30'],
  ['0xFFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFFF'],
  ['190:20:30', '190:20:30'],
  ['190:20:30.5', '190:20:30.5'],
  ['2001-01-01', '2001-01-01'],
  ['2001-12-14t21:59:43.10-05:00', '2001-12-14t21:59:43.10-05:00'],
  ['.', '.'],
  ['._', '._'],
  ['-.', '-.'],
  ['..', '..'],
  ['.5', 0.5],
  ['1.', 1],
  ['1e3', 1000],
  ['1e', '1e'],
  ['1_000', 1000],
  ['1_000.5', 1000.5],
  ['0644', 420],
  ['0o17', 15],
  ['089', 89],
  ['0x1F', 31],
  ['0XfF', 255],
  ['0B11', 3],
  ['0O17', 15],
  ['0x_', '0x_'],
  ['0b101', 5],
  ['-0b101', -5],
  ['-0x10', -16],
  ['+7', 7],
  ['0', 0],
  ['1.2.3', '1.2.3'],
  ['yes', true],
  ['n', false],
  ['Off', false],
  ['~', null],
  ['Null', null],
  ['!!str 5', '5'],
  ['!!binary aGk=', 'hi'],
  ['!!timestamp 2001-01-01', '2001-01-01'],
  ['!!set {a, b}', { a: null, b: null }],
  ['!!omap [a: 1]', [{ a: 1 }]],
  ['!own x', 'x'],
  ['! "5"', '5'],
  ['! 5', '5'],
  ['!!int "5"', 5],
  ['!!float 5', 5],
  ['!<tag:yaml.org,2002:bool> yes', true],
  ['"5"', '5'],
  ['1e999', '1e999'],
  ['<<', '<<'],
];
for (const [word, value] of words) parsing(`the word ${word}`, () => assert.equal(parseYaml(`a: ${word}\n`).value, { a: value }));

parsing('maps are merged', () => assert.equal(parseYaml('a: &a {x: 1}\nb: {<<: *a, z: 2}\n').value, { a: { x: 1 }, b: { x: 1, z: 2 } }));
parsing('of merged maps the first counts, and what is set after them more', () => {
  const maps = 'a: &a {x: 1, w: 1}\nb: &b {x: 2, z: 2}\n';
  const { value, problems } = parseYaml(`${maps}c:\n  x: 0\n  <<: [*a, *b]\n  z: 3\n  "<<": 4\n`);
  assert.equal((value as { c: unknown }).c, { x: 1, w: 1, z: 3, '<<': 4 });
  assert.equal(problems, [
    'line 2: key "x" already set in map',
    'line 1: key "x" already set in map',
    'line 6: key "z" already set in map',
  ]);
});
parsing('keys that stand twice are told with the lines of their values', () => {
  const { value, problems } = parseYaml('a: 1\na:\n  b: {c: 1, c: 2}\n"a": |\n  x\n');
  assert.equal(value, { a: 'x\n' });
  assert.equal(
    problems,
    [3, 3, 4].map((line, i) => `line ${line}: key "${i === 0 ? 'c' : 'a'}" already set in map`),
  );
  assert.is(parseYaml('a: 1\n'.repeat(1_000)).problems.length, 100);
});
parsing('keys that stand twice are shown as what they are', () => {
  const { problems } = parseYaml('y: 1\non: 2\n1: a\n0x1: b\n1.5: c\n1.5: d\n"n": e\n"n": f\n');
  assert.equal(problems, [
    'line 2: key true already set in map',
    'line 4: key 1 already set in map',
    'line 6: key 1.5 already set in map',
    'line 8: key "n" already set in map',
  ]);
});
for (const [word, message] of [
  ['.inf', 'json: unsupported value: +Inf'],
  ['-.Inf', 'json: unsupported value: -Inf'],
  ['.nan', 'json: unsupported value: NaN'],
  ['!!binary a', '!!binary value contains invalid base64 data'],
  ['!!int x', 'cannot decode !!str `x` as a !!int'],
  ['!!bool 1', 'cannot decode !!int `1` as a !!bool'],
  ['!!null 1.5', 'cannot decode !!float `1.5` as a !!null'],
  ['!!float yes', 'cannot decode !!bool `yes` as a !!float'],
  ['!!int ~', 'cannot decode !!null `~` as a !!int'],
] as const)
  parsing(`${word} is refused`, () =>
    assert.throws(
      () => parseYaml(`a: ${word}\n`),
      (error: Error) => error.message === message,
    ),
  );
parsing('aliases that are deeper than JSON may be are refused', () => {
  const level = (i: number) => `- &a${i + 1} ${'['.repeat(490)}*a${i}${']'.repeat(490)}\n`;
  const text = `- &a0 []\n${Array.from({ length: 30 }, (_, i) => level(i)).join('')}`;
  assert.throws(
    () => parseYaml(text),
    (error: Error) => error instanceof JsonSyntaxError && error.message === 'exceeded max depth',
  );
});
parsing('a word of many digits takes no time', () => {
  for (const word of [
    `.${'1'.repeat(500_000)}x`,
    `1${'_'.repeat(500_000)}x`,
    `0x${'_'.repeat(500_000)}x`,
    `1e${'_'.repeat(500_000)}`,
    `0x${'f'.repeat(500_000)}`,
  ])
    assert.is((parseYaml(`a: ${word}\n`).value as { a: unknown }).a, word);
});

parsing('a long prefix of many tags takes no time', () => {
  const text = `%TAG !own! ${'x'.repeat(1_000_000)}\n---\n[${'!own!tag 1, '.repeat(100_000)}]\n`;
  assert.equal(new Set(parseYaml(text).value as string[]), new Set(['1']));
});

parsing('every digit of an integer survives', () => {
  assert.is(JSON.stringify(parseYaml('a: 9007199254740993').value), '{"a":9007199254740993}');
  assert.is(JSON.stringify(parseYaml('a: 18446744073709551615').value), '{"a":18446744073709551615}');
  assert.is(JSON.stringify(parseYaml('a: 18446744073709551616').value), '{"a":18446744073709552000}');
});
parsing('documents are counted up to two', () => {
  assert.is(parseYaml('---\n---\n').documents, 0);
  assert.is(parseYaml('---\na: 1\n').documents, 1);
  assert.is(parseYaml('a: 1\n---\nb: 1\n---\nc: 1\n').documents, 2);
});

const LINE = 'some text of a file, as long as lines are\n';
/** 2 MB. */
const FILE = LINE.repeat(50_000);
/** As generators of definitions write them, 50 bytes in a line: 1 MB. */
const definition = (fields: number): string =>
  Array.from(
    { length: fields },
    (_, i) => `            field${i}:
              description: |-
                What the field of number ${i} holds, in a sentence that
                goes on in a second line.
              type: object
              properties:
                name: {type: string}
`,
  ).join('');
parsing('a long text in a block is read', () => {
  const text = `kind: ConfigMap\ndata:\n  file: |\n${FILE.replaceAll(/^(?=.)/gm, '    ')}`;
  assert.ok((parseYaml(text).value as { data: { file: string } }).data.file === FILE);
});
parsing('a long definition is read', () => {
  const { properties } = parseYaml(`          properties:\n${definition(4_500)}`).value as { properties: { field7: object } };
  assert.is(Object.keys(properties).length, 4_500);
  assert.equal(properties.field7, {
    description: 'What the field of number 7 holds, in a sentence that\ngoes on in a second line.',
    type: 'object',
    properties: { name: { type: 'string' } },
  });
});
parsing('what looks like an alias within a text is none', () => {
  const stars = Array.from({ length: 2_000 }, () => '- "*a"\n- x *b &c\n').join('');
  assert.is((parseYaml(stars).value as string[]).length, 4_000);
});

const NODES = /^exceeded max of 500000 nodes/;
const ALIASES = /^document contains excessive aliasing$/;
const levels = (leaf: string): string => {
  const level = (_: unknown, i: number): string => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`;
  return `a0: &a0 [${leaf.repeat(9)}]\n${Array.from({ length: 12 }, level).join('')}`;
};

const refused: [name: string, text: string, message: RegExp][] = [
  ['wrong syntax', 'a: 1\nb: [\n', /^line 2: did not find expected node content$/],
  ['a directive that is unknown', '%YAML 1.1\n%FOO x\n---\na: 1\n', /^line 2: found unknown directive name$/],
  ['many directives that are unknown', `${'%FOO x\n'.repeat(100_000)}---\na: 1\n`, /^found unknown directive name$/],
  ['another version of the language', '# a\n%YAML 1.2\n---\na: 1\n', /^line 1: found incompatible YAML document$/],
  ['a slash that is escaped', 'a: "x\\/"\n', /^found unknown escape character$/],
  ['half of a character', 'a: "\\ud83d\\ude00"\n', /^found invalid Unicode character escape code$/],
  ['brackets within each other', '['.repeat(1_000_000), /^exceeded max depth of 500$/],
  ['maps within each other', '{a: '.repeat(500_000), /^exceeded max depth of 500$/],
  ['lists within each other on one line', '- '.repeat(1_000_000), /^exceeded max depth of 500$/],
  ['keys within each other on one line', '? '.repeat(1_000_000), /^exceeded max depth of 500$/],
  [
    'aliases that multiply',
    `a: &a [${'x,'.repeat(9)}]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]`,
    /alias/i,
  ],
  ['a short value in each line', '- a\n'.repeat(500_001), NODES],
  ['a list of nothing', '-\n'.repeat(1_000_000), NODES],
  ['many values in one line', `[${'a,'.repeat(1_000_000)}]`, NODES],
  ['one error after the other', ']'.repeat(2_000_000), /^did not find expected node content$/],
  ['an alias of nothing', 'a: 1\nb: [*c]\n', /^unknown anchor 'c' referenced$/],
  ['a text that is merged', 'a: {<<: x}\n', /^map merge requires map or sequence of maps as the value$/],
  [
    'lists within each other in many lines',
    Array.from({ length: 600 }, (_, i) => `${' '.repeat(i)}-\n`).join(''),
    /^line 501: exceeded max depth of 500$/,
  ],
  ['empty lists that multiply', levels('[],'), /^document contains excessive aliasing$/],
  ['a long text that is repeated', `a: &a "${'x'.repeat(1_000_000)}"\nb: [${'*a,'.repeat(99)}]`, /^document contains excessive aliasing$/],
  [
    'a long map that is merged again and again',
    `a: &a {${Array.from({ length: 20_000 }, (_, i) => `k${i}: x,`).join('')}}\nb:\n${'- <<: *a\n'.repeat(99)}`,
    /^document contains excessive aliasing$/,
  ],
  [
    'maps each of which is merged into the next one',
    `- &a0 {}\n${Array.from({ length: 4_000 }, (_, i) => `- &a${i + 1} {<<: *a${i}, k${i}: 1}\n`).join('')}`,
    ALIASES,
  ],
  ['more than a million nodes', `- [${'a,'.repeat(300_000)}]\n- &a [${'a,'.repeat(199_000)}]\n${'- *a\n'.repeat(3)}`, ALIASES],
  [
    'lists that are deeper with each alias',
    `- &a0 []\n${Array.from({ length: 5_000 }, (_, i) => `- &a${i + 1} [*a${i}]\n`).join('')}`,
    ALIASES,
  ],
  ['no key at all', '{: b}\n', /^did not find expected node content$/],
  ['an alias of a list that is merged', 'a: &a [{}]\nb: {<<: *a}\n', /^map merge requires map or sequence of maps as the value$/],
  ['a key that is a list', '? [a]\n: b\n', /^invalid map key: \[\]interface \{\}\{"a"\}$/],
  ['a key that stands for a map', 'a: &a {b: c}\n*a : d\n', /^invalid map key: map\[interface \{\}\]interface \{\}\{"b":"c"\}$/],
  ['a list within itself', 'a: &a [*a]\n', /^anchor 'a' value contains itself$/],
  ['a map within itself', 'a: &a\n  b: {c: [*a]}\n', /^anchor 'a' value contains itself$/],
  ['a map merged into itself', '&a {<<: *a}\n', /^anchor 'a' value contains itself$/],
];
for (const [name, text, message] of refused)
  parsing(`${name} is refused`, () =>
    assert.throws(
      () => parseYaml(text),
      (error: Error) => error instanceof YamlSyntaxError && message.test(error.message),
    ),
  );
parsing('keys that are numbers or truths are texts', () => {
  assert.equal(
    parseYaml(
      'a: &a x\n1: a\n1.5: b\ntrue: c\n"": d\n*a : e\n+.Inf: f\n1234567890123456789: g\n1234567.5: h\n0.00001: i\n1e20: j\n123456789012345678901: k\n1e300: l\n',
    ).value,
    {
      a: 'x',
      1: 'a',
      '1.5': 'b',
      '.inf': 'l',
      '1234567890123456789': 'g',
      '1.2345675e+06': 'h',
      '1e-05': 'i',
      '1e+20': 'j',
      '1.2345679e+20': 'k',
      true: 'c',
      '': 'd',
      x: 'e',
    },
  );
});
parsing('a million documents are not made', () => assert.is(parseYaml('---\n'.repeat(700_000)).value, null));
parsing.run();
