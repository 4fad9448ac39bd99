import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { yamlText } from '../../runtime/go-yaml/yaml.ts';
import { rawNumber } from '../../runtime/schema/scalar/raw-number.ts';
import { parseYaml } from '../../runtime/schema/yaml/parse-yaml.ts';

const test = suite('YAML as 1.32 writes it');

const WORDS = 'word '.repeat(20).trimEnd();
const KEY = 'k'.repeat(128);

const rows: readonly [name: string, value: unknown, text: readonly string[]][] = [
  ['members in their order', { b: 1, a10: 2, a2: { z: true, y: null } }, ['a2:', '  "y": null', '  z: true', 'a10: 2', 'b: 1']],
  [
    'lists at the column of their key',
    { a: [1, [2, [3]], { b: [4], c: 5 }] },
    ['a:', '- 1', '- - 2', '  - - 3', '- b:', '  - 4', '  c: 5'],
  ],
  ['a list alone', [{ a: 1 }, {}, []], ['- a: 1', '- {}', '- []']],
  ['collections without content', { a: {}, b: [], c: { d: undefined } }, ['a: {}', 'b: []', 'c: {}']],
  ['nothing at all', {}, ['{}']],
  [
    'numbers',
    [0, -1.5, 1e-5, 0.0001, 123456.5, 1234567.5, 1e20, 2 ** 63],
    ['- 0', '- -1.5', '- 1e-05', '- 0.0001', '- 123456.5', '- 1.2345675e+06', '- 1e+20', '- 9223372036854776000'],
  ],
  [
    'numbers with all their digits',
    [rawNumber('18446744073709551615'), rawNumber('18446744073709551616'), rawNumber('2.0')],
    ['- 18446744073709551615', '- 1.8446744073709552e+19', '- 2'],
  ],
  ['texts that would be none', ['true', '12', '', '1:30', '2024-01-02'], ['- "true"', '- "12"', '- ""', '- "1:30"', '- "2024-01-02"']],
  [
    'texts that would break the syntax',
    ['a: b', 'a #b', '- a', '#a', ' a', 'a ', '---', '?', "'a", '{}', '@a', ':'],
    ["- 'a: b'", "- 'a #b'", "- '- a'", "- '#a'", "- ' a'", "- 'a '", "- '---'", "- '?'", "- '''a'", "- '{}'", "- '@a'", "- ':'"],
  ],
  [
    'texts that need nothing',
    ['a:b', 'a#b', '-a', ':a', '?a', '.', "it's", 'a, b', '<<', '=', 'é中', 'a\u00a0#b'],
    ['- a:b', '- a#b', '- -a', '- :a', '- ?a', '- .', "- it's", '- a, b', '- <<', '- =', '- é中', '- a\u00a0#b'],
  ],
  [
    'characters that are escaped',
    ['\ta', 'a\r', '\0\x07\x1b\x7f', '"\\\ufeff', '\u0085\ufffe', '😀'],
    ['- "\\ta"', '- "a\\r"', '- "\\0\\a\\e\\x7F"', '- "\\"\\\\\\uFEFF"', '- "\\N\\uFFFE"', '- "\\U0001F600"'],
  ],
  ['a text that begins with a byte order mark', ['\ufeffab'], ['- "\\uFEFF\\x61\\x62"']],
  [
    'lines',
    { a: 'x\ny\n', b: 'x\n\n y', c: ' x\n', d: 'x\n\n', e: '\n' },
    ['a: |', '  x', '  y', 'b: |-', '  x', '', '   y', 'c: |2', '   x', 'd: |+', '  x', '', 'e: |2+', ''],
  ],
  ['lines in lists', [['a\nb']], ['- - |-', '    a', '    b']],
  ['lines that end with a space', ['a \nb', 'a\nb '], ['- "a \\nb"', '- "a\\nb "']],
  ['long lines of a text stay', { a: `x: y\n${WORDS}\n` }, ['a: |', '  x: y', `  ${WORDS}`]],
  ['a long text goes on at a single space', { a: WORDS }, [`a: ${'word '.repeat(16).trimEnd()}`, '  word word word word']],
  ['in single quotes as well', { a: `# ${WORDS}` }, [`a: '# ${'word '.repeat(16).trimEnd()}`, "  word word word word'"]],
  ['in double quotes, where spaces in front are kept', { a: `\t${'a'.repeat(80)}  b` }, [`a: "\\t${'a'.repeat(80)}`, '  \\ b"']],
  ['two spaces are no place to go on', { a: `${'a'.repeat(90)}  b` }, [`a: ${'a'.repeat(90)}  b`]],
  ['separators of lines', ['a\u2028b'], ["- 'a\u2028  b'"]],
  ['keys that would be none', { true: 1, '': 2, 'a: b': 3, 'f:.': 4, '.': 5 }, ['"": 2', '.: 5', "'a: b': 3", 'f:.: 4', '"true": 1']],
  ['a key of 128 bytes', { [KEY]: 1 }, [`${KEY}: 1`]],
  [
    'a longer one',
    { [`${KEY}k`]: { a: 1 }, [`${KEY}l`]: [1], [`${KEY}m`]: 'x' },
    [`? ${KEY}k`, ': a: 1', `? ${KEY}l`, ': - 1', `? ${KEY}m`, ': x'],
  ],
  ['a key of lines', { 'a\nb': 1 }, ['? |-', '  a', '  b', ': 1']],
];
for (const [name, value, text] of rows) test(name, () => assert.is(yamlText(value), `${text.join('\n')}\n`));

test('what is written is read again', () => {
  const texts = [
    'x\n\n',
    '\n',
    ' \n',
    'a\n b',
    '\ta',
    'a\r\nb',
    `${WORDS}  ${WORDS}`,
    `${WORDS}\n\n ${WORDS}`,
    `"${WORDS}\\`,
    `'${WORDS}'`,
    '# a',
    'null',
    '1_0',
  ];
  const value = { texts, map: Object.fromEntries(texts.map((text, i) => [`${i}${text}`, text])) };
  assert.equal(parseYaml(yamlText(value)).value, value);
});

test('a value nested too deeply is refused', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 1_000_000; i++) deep = [deep];
  assert.throws(
    () => yamlText(deep),
    (error: unknown) => error instanceof RangeError,
  );
});

test.run();
