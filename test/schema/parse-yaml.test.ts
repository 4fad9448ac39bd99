/** YAML within bounds: what would take a parser far too long is refused before it begins. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseYaml, YamlSyntaxError } from '../../runtime/schema/parse-yaml.ts';

const parsing = suite('YAML');

const values: [name: string, text: string, value: unknown][] = [
  ['nothing', '', null],
  ['the first of several documents', 'a: 1\n---\nb: 2\n', { a: 1 }],
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
];
for (const [word, value] of words) parsing(`the word ${word}`, () => assert.equal(parseYaml(`a: ${word}\n`).value, { a: value }));

parsing('maps are merged', () => assert.equal(parseYaml('a: &a {x: 1}\nb: {<<: *a, z: 2}\n').value, { a: { x: 1 }, b: { x: 1, z: 2 } }));
for (const word of ['.inf', '-.Inf', '.nan', '!!binary a'])
  parsing(`${word} is refused`, () => assert.throws(() => parseYaml(`a: ${word}\n`)));
parsing('a word of many digits takes no time', () => {
  for (const word of [`.${'1'.repeat(500_000)}x`, `1${'_'.repeat(500_000)}x`, `0x${'_'.repeat(500_000)}x`, `1e${'_'.repeat(500_000)}`])
    assert.is((parseYaml(`a: ${word}\n`).value as { a: unknown }).a, word);
});

parsing('every digit of an integer survives', () => {
  assert.is(JSON.stringify(parseYaml('a: 9007199254740993').value), '{"a":9007199254740993}');
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

const TOKENS = /^exceeded max of 500000 tokens/;
const ALIASES = /^exceeded max of 1000 anchors and aliases$/;
const levels = (leaf: string): string => {
  const level = (_: unknown, i: number): string => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`;
  return `a0: &a0 [${leaf.repeat(9)}]\n${Array.from({ length: 12 }, level).join('')}`;
};

const refused: [name: string, text: string, message: RegExp][] = [
  ['wrong syntax', 'a: 1\nb: [\n', / at line 3, column 1$/],
  ['brackets within each other', '['.repeat(1_000_000), /^exceeded max depth of 500$/],
  ['maps within each other', '{a: '.repeat(500_000), /^exceeded max depth of 500$/],
  ['lists within each other on one line', '- '.repeat(1_000_000), /^exceeded max depth of 500$/],
  ['keys within each other on one line', '? '.repeat(1_000_000), /^exceeded max depth of 500$/],
  [
    'aliases that multiply',
    `a: &a [${'x,'.repeat(9)}]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]`,
    /alias/i,
  ],
  ['a short value in each line', '- a\n'.repeat(500_000), TOKENS],
  ['lines with nothing', '\n'.repeat(2_000_000), TOKENS],
  ['many values in one line', `[${'a,'.repeat(1_000_000)}]`, TOKENS],
  ['one error after the other', ']'.repeat(2_000_000), /^Unexpected flow-seq-end token .* at line 1, column 1$/s],
  ['empty lists that multiply', levels('[],'), /^document contains excessive aliasing$/],
  ['a long text that is repeated', `a: &a "${'x'.repeat(1_000_000)}"\nb: [${'*a,'.repeat(99)}]`, /^document contains excessive aliasing$/],
  [
    'a long map that is merged again and again',
    `a: &a {${Array.from({ length: 20_000 }, (_, i) => `k${i}: x,`).join('')}}\nb:\n${'- <<: *a\n'.repeat(99)}`,
    /^document contains excessive aliasing$/,
  ],
  ['the same map merged again and again', `a: &a {}\n${'<<: *a\n'.repeat(50_000)}`, ALIASES],
  ['aliases of many nodes', Array.from({ length: 16_000 }, (_, i) => `- &a${i} x\n- *a${i}\n`).join(''), ALIASES],
  ['a key that is nothing', 'a: {null: b}\n', /^unsupported map key at line 1, column 5$/],
  ['no key at all', '{: b}\n', /^unsupported map key at line 1, column 2$/],
  ['a key that is a list', '? [a]\n: b\n', /^unsupported map key at line 1, column 3$/],
  ['a key that stands for a map', 'a: &a {b: c}\n*a : d\n', /^unsupported map key at line 2, column 1$/],
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
  assert.equal(parseYaml('a: &a x\n1: a\n1.5: b\ntrue: c\n"": d\n*a : e\n').value, {
    a: 'x',
    1: 'a',
    '1.5': 'b',
    true: 'c',
    '': 'd',
    x: 'e',
  });
});
parsing('a million documents are not made', () => assert.is(parseYaml('---\n'.repeat(700_000)).value, null));
parsing.run();
