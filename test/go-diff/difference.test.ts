import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { difference } from '../../runtime/go-diff/difference.ts';
import type { GoType } from '../../runtime/go-diff/go-type.ts';
import { flag, map, mode, number, pointer, slice, struct, text } from './types.ts';

const leaf = struct('toy.Leaf', { Name: text, Size: number });
const part = struct('toy.Part', { Name: text, Color: text, Size: number, Note: pointer(text), Tags: slice(text), Leaf: pointer(leaf) });
const toy = struct('toy.Toy', {
  Name: text,
  Mode: mode,
  Loud: flag,
  Count: number,
  Owner: pointer(text),
  Parts: slice(part),
  Labels: map(text),
  Main: part,
});

/** Lines of a report, without the indentation of the first. */
const report = (...lines: readonly string[]): string => `  ${lines.join('\n')}\n`;

const quantity: GoType = {
  ...struct('toy.Amount', { value: number, text: text }),
  equals: (x, y) => (x as { value: number }).value === (y as { value: number }).value,
};
const stamp: GoType = { ...struct('toy.Stamp', { seconds: number }), text: (value) => `at ${(value as { seconds: number }).seconds}` };
const named = struct('toy.Named', { Stamps: { ...map(stamp), name: 'toy.Stamps', namedKeys: true } });

const rows: readonly (readonly [name: string, type: GoType, x: unknown, y: unknown, report: string])[] = [
  ['equal values have none', toy, { Name: 'a' }, { Name: 'a', Count: 0, Labels: undefined }, ''],
  [
    'a field is shown with two neighbours on either side, others are counted where there are several',
    toy,
    { Count: 1 },
    { Count: 2 },
    report(
      'toy.Toy{',
      '  \tName:  "",',
      '  \tMode:  "",',
      '  \tLoud:  false,',
      '- \tCount: 1,',
      '+ \tCount: 2,',
      '  \tOwner: nil,',
      '  \tParts: nil,',
      '  \t... // 2 identical fields',
      '  }',
    ),
  ],
  [
    'what a pointer leads to shows no type where it is a text or a number',
    struct('toy.Box', { Note: pointer(text), Size: pointer(number) }),
    { Note: 'a' },
    { Note: 'b', Size: 3 },
    report('toy.Box{', '- \tNote: &"a",', '+ \tNote: &"b",', '- \tSize: nil,', '+ \tSize: &3,', '  }'),
  ],
  [
    'a pointer to a struct shows its type where it is not equal',
    struct('toy.Box', { Leaf: pointer(leaf), Other: pointer(leaf) }),
    { Leaf: { Name: 'a' }, Other: {} },
    { Other: {} },
    report('toy.Box{', '- \tLeaf:  &toy.Leaf{Name: "a"},', '+ \tLeaf:  nil,', '  \tOther: &{},', '  }'),
  ],
  [
    'nil and empty are not the same',
    struct('toy.Box', { Tags: slice(text), Labels: map(text) }),
    {},
    { Tags: [], Labels: {} },
    report('toy.Box{', '- \tTags:   nil,', '+ \tTags:   []string{},', '- \tLabels: nil,', '+ \tLabels: map[string]string{},', '  }'),
  ],
  [
    'an element that is added or removed stands alone',
    struct('toy.Box', { Tags: slice(text) }),
    { Tags: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
    { Tags: ['a', 'b', 'c', 'd', 'x', 'e', 'f'] },
    report(
      'toy.Box{',
      '  \tTags: []string{',
      '  \t\t... // 2 identical elements',
      '  \t\t"c",',
      '  \t\t"d",',
      '+ \t\t"x",',
      '  \t\t"e",',
      '  \t\t"f",',
      '- \t\t"g",',
      '  \t},',
      '  }',
    ),
  ],
  [
    'an element that is modified shows what is not equal in it',
    struct('toy.Box', { Parts: slice(part) }),
    { Parts: [{ Name: 'a', Color: 'red', Size: 1, Tags: ['t'] }] },
    { Parts: [{ Name: 'a', Color: 'blue', Size: 1, Tags: ['t'] }] },
    report(
      'toy.Box{',
      '  \tParts: []toy.Part{',
      '  \t\t{',
      '  \t\t\tName:  "a",',
      '- \t\t\tColor: "red",',
      '+ \t\t\tColor: "blue",',
      '  \t\t\tSize:  1,',
      '  \t\t\tNote:  nil,',
      '  \t\t\t... // 2 identical fields',
      '  \t\t},',
      '  \t},',
      '  }',
    ),
  ],
  [
    'entries of maps come in the order of their keys',
    struct('toy.Box', { Labels: map(text) }),
    { Labels: { b: '1', a: '1', d: '1', c: '1', e: '1', f: '1' } },
    { Labels: { b: '1', a: '1', d: '2', c: '1', e: '1' } },
    report(
      'toy.Box{',
      '  \tLabels: map[string]string{',
      '  \t\t"a": "1",',
      '  \t\t"b": "1",',
      '  \t\t"c": "1",',
      '- \t\t"d": "1",',
      '+ \t\t"d": "2",',
      '  \t\t"e": "1",',
      '- \t\t"f": "1",',
      '  \t},',
      '  }',
    ),
  ],
  [
    'methods of types: keys that say what they are, and values that are not entered',
    named,
    { Stamps: { a: { seconds: 1 }, b: { seconds: 2 } } },
    { Stamps: { a: { seconds: 1 }, b: { seconds: 3 }, c: { seconds: 4 } } },
    report(
      'toy.Named{',
      '  \tStamps: toy.Stamps{',
      '  \t\ts"a": {seconds: 1},',
      '- \t\ts"b": {seconds: 2},',
      '+ \t\ts"b": {seconds: 3},',
      '+ \t\ts"c": s"at 4",',
      '  \t},',
      '  }',
    ),
  ],
  [
    'methods of types: values that are compared by one are shown whole',
    struct('toy.Box', { A: quantity, B: quantity }),
    { A: { value: 1, text: '1' }, B: { value: 2, text: '2' } },
    { A: { value: 1, text: 'one' }, B: { value: 3, text: '3' } },
    report(
      'toy.Box{',
      '  \tA: {value: 1, text: "1"},',
      '- \tB: toy.Amount{value: 2, text: "2"},',
      '+ \tB: toy.Amount{value: 3, text: "3"},',
      '  }',
    ),
  ],
  [
    'of an equal struct four members are shown that are not zero',
    struct('toy.Box', { Main: part, Name: text }),
    { Main: { Name: 'a', Color: 'red', Size: 1, Note: 'n', Tags: ['t'] }, Name: 'a' },
    { Main: { Name: 'a', Color: 'red', Size: 1, Note: 'n', Tags: ['t'] }, Name: 'b' },
    report('toy.Box{', '  \tMain: {Name: "a", Color: "red", Size: 1, Note: &"n", ...},', '- \tName: "a",', '+ \tName: "b",', '  }'),
  ],
  [
    'of an equal text 64 bytes are shown',
    struct('toy.Box', { Text: text, Name: text }),
    { Text: 'a'.repeat(80), Name: 'a' },
    { Text: 'a'.repeat(80), Name: 'b' },
    report('toy.Box{', `  \tText: "${'a'.repeat(64)}"...,`, '- \tName: "a",', '+ \tName: "b",', '  }'),
  ],
  [
    'a cut character shows its bytes',
    struct('toy.Box', { Text: text, Name: text }),
    { Text: `${'a'.repeat(62)}☃☃`, Name: 'a' },
    { Text: `${'a'.repeat(62)}☃☃`, Name: 'b' },
    report('toy.Box{', `  \tText: "${'a'.repeat(62)}\\xe2\\x98"...,`, '- \tName: "a",', '+ \tName: "b",', '  }'),
  ],
  [
    'quotes in a text make it stand between backquotes, unless it has one',
    struct('toy.Box', { A: text, B: text }),
    { A: 'say "a"', B: '`"' },
    { A: 'say\t', B: '\u0001' },
    report('toy.Box{', '- \tA: `say "a"`,', '+ \tA: `say\t`,', '- \tB: "`\\"",', '+ \tB: "\\x01",', '  }'),
  ],
  [
    'what is removed stands on several lines where one has more than 80 bytes',
    struct('toy.Box', { Leaf: pointer(leaf), Parts: slice(leaf) }),
    { Leaf: { Name: 'n'.repeat(70), Size: 123 }, Parts: [{ Name: 'a' }] },
    {},
    report(
      'toy.Box{',
      '- \tLeaf: &toy.Leaf{',
      `- \t\tName: "${'n'.repeat(70)}",`,
      '- \t\tSize: 123,',
      '- \t},',
      '+ \tLeaf:  nil,',
      '- \tParts: []toy.Leaf{{Name: "a"}},',
      '+ \tParts: nil,',
      '  }',
    ),
  ],
  [
    'a text of four lines that is inserted stands on them',
    struct('toy.Box', { Text: text }),
    {},
    { Text: 'a\nb\nc\nd' },
    report(
      'toy.Box{',
      '- \tText: "",',
      '+ \tText: (',
      '+ \t\t"""',
      '+ \t\ta',
      '+ \t\tb',
      '+ \t\tc',
      '+ \t\td',
      '+ \t\t"""',
      '+ \t),',
      '  }',
    ),
  ],
  [
    'of long texts only what is not equal is shown',
    struct('toy.Box', { Text: text }),
    { Text: `${'a'.repeat(40)}1${'b'.repeat(40)}` },
    { Text: `${'a'.repeat(40)}2${'b'.repeat(40)}` },
    report(
      'toy.Box{',
      '  \tText: strings.Join({',
      `  \t\t"${'a'.repeat(40)}",`,
      '- \t\t"1",',
      '+ \t\t"2",',
      `  \t\t"${'b'.repeat(40)}",`,
      '  \t}, ""),',
      '  }',
    ),
  ],
  [
    'of texts of many lines the lines',
    struct('toy.Box', { Text: text }),
    { Text: 'first line\nsecond line\nthird line\nfourth line\nfifth line\nsixth line' },
    { Text: 'first line\nsecond line\nthird line\nother line\nfifth line\nsixth line' },
    report(
      'toy.Box{',
      '  \tText: (',
      '  \t\t"""',
      '  \t\tfirst line',
      '  \t\tsecond line',
      '  \t\tthird line',
      '- \t\tfourth line',
      '+ \t\tother line',
      '  \t\tfifth line',
      '  \t\tsixth line',
      '  \t\t"""',
      '  \t),',
      '  }',
    ),
  ],
  [
    'of lists of numbers as many as stand on a line',
    struct('toy.Box', { Groups: slice(number) }),
    { Groups: [1, 2] },
    { Groups: [3, 4, 5] },
    report('toy.Box{', '  \tGroups: []int64{', '- \t\t1, 2,', '+ \t\t3, 4, 5,', '  \t},', '  }'),
  ],
  [
    'bytes that are no text',
    struct('toy.Box', { Text: text }),
    { Text: '\u0001'.repeat(32) },
    { Text: `${'\u0001'.repeat(31)}\u0002` },
    report(
      'toy.Box{',
      '  \tText: string{',
      `  \t\t${Array(16).fill('0x01').join(', ')}, //  |${'.'.repeat(16)}|`,
      `  \t\t${Array(15).fill('0x01').join(', ')},       //  |${'.'.repeat(15)}|`,
      '- \t\t0x01,                                                                                           // -|.|',
      '+ \t\t0x02,                                                                                           // +|.|',
      '  \t},',
      '  }',
    ),
  ],
];

const test = suite('differences');
for (const [name, type, x, y, expected] of rows) test(name, () => assert.is(difference(type, x, y), expected));

test('runs of changes after 16 changes of a list are counted', () => {
  const box = struct('toy.Box', { Labels: map(text), Name: text });
  const changed = difference(box, labels('a'), labels('b'))?.split('\n') ?? [];
  assert.is(changed.filter((line) => line.startsWith('+ ')).length, 16);
  assert.ok(changed.includes('  \t\t... // 5 identical and 4 modified entries'), changed.join('\n'));
});

/** Twenty entries that have another value each, with an equal one after every change. */
function labels(value: string): object {
  return { Labels: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${100 + i}`, i % 2 === 0 ? value : ''])) };
}

test('values that are too large are not compared', () => {
  const parts = (size: number) => ({ Parts: Array.from({ length: 2_000 }, (_, i) => ({ Name: `p${i}`, Size: size + i })) });
  assert.is(difference(toy, parts(0), parts(1)), undefined);
  assert.is(difference(toy, { Name: 'ab'.repeat(1_000_000) }, { Name: 'ba'.repeat(1_000_000) }), undefined);
});

test('a report ends at 64 KB', () => {
  const letters = [...'abcdefghijklmnop'];
  const inner = struct('toy.Inner', Object.fromEntries(letters.map((letter) => [letter, text])));
  const outer = struct('toy.Outer', Object.fromEntries(letters.map((letter) => [letter, inner])));
  const texts = (length: number) => Object.fromEntries(letters.map((letter) => [letter, letter.repeat(length)]));
  const all = (length: number) => Object.fromEntries(letters.map((letter) => [letter, texts(length)]));
  const found = difference(outer, all(31), all(250)) ?? '';
  assert.ok(found.length > 64 * 1024 - 300 && found.length <= 64 * 1024 + 5, String(found.length));
  assert.ok(found.endsWith('",\n...\n'));
});

test.run();
