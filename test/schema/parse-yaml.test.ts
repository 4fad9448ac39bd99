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

parsing('every digit of an integer survives', () => {
  assert.is(JSON.stringify(parseYaml('a: 9007199254740993').value), '{"a":9007199254740993}');
});
parsing('documents are counted up to two', () => {
  assert.is(parseYaml('---\n---\n').documents, 0);
  assert.is(parseYaml('---\na: 1\n').documents, 1);
  assert.is(parseYaml('a: 1\n---\nb: 1\n---\nc: 1\n').documents, 2);
});

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
];
for (const [name, text, message] of refused)
  parsing(`${name} is refused`, () =>
    assert.throws(
      () => parseYaml(text),
      (error: Error) => error instanceof YamlSyntaxError && message.test(error.message),
    ),
  );
parsing('a million documents are not made', () => assert.is(parseYaml('---\n'.repeat(700_000)).value, null));
parsing.run();
