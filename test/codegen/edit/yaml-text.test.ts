import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { flowText, YamlText } from '../../../codegen/edit/yaml-text.ts';

const text = `# what this is
group: { name: toys, since: "1.0" } # beside
list:
  - name: a   # first
    more: 1
  - { name: b }
schemas:
  Toy:
    type: object

    # of the toy
    lifecycle: { introduced: "1.0" }
    table:
      columns:
        - { name: Name }
        - { name: Age }
  Doll: { $ref: "x#/y", lifecycle: { introduced: "1.0" } }
  Text:
    description: |
      Two
      lines.
# the end
`;

const edits = suite('edits of YAML');
const rows: [name: string, edit: (yaml: YamlText) => void, from: string, to: string][] = [
  ['a value in one line', (y) => y.set(['group', 'since'], '1.1'), 'since: "1.0" }', 'since: "1.1" }'],
  ['a value in a line of its own', (y) => y.set(['schemas', 'Toy', 'type'], 'array'), 'type: object', 'type: array'],
  [
    'a new member in one line',
    (y) => y.set(['schemas', 'Toy', 'lifecycle', 'deprecated'], '1.2'),
    '{ introduced: "1.0" }\n    table',
    '{ introduced: "1.0", deprecated: "1.2" }\n    table',
  ],
  [
    'a new member in a line of its own',
    (y) => y.set(['schemas', 'Toy', 'kind'], true),
    '        - { name: Age }\n',
    '        - { name: Age }\n    kind: true\n',
  ],
  [
    'a new member of an element',
    (y) => y.set(['list', 'a', 'storage'], { version: 'v2' }),
    '    more: 1\n',
    '    more: 1\n    storage: { version: v2 }\n',
  ],
  [
    'a new member of an element in one line',
    (y) => y.set(['list', 'b', 'storage'], { version: 'v2' }),
    '{ name: b }',
    '{ name: b, storage: { version: v2 } }',
  ],
  [
    'a member behind a text in a block',
    (y) => y.set(['schemas', 'Text', 'kind'], true),
    '      lines.\n',
    '      lines.\n    kind: true\n',
  ],
  [
    'a map',
    (y) => y.set(['schemas', 'Toy', 'lifecycle'], { introduced: '1.0', replacement: { group: '', version: 'v1' } }),
    'lifecycle: { introduced: "1.0" }\n',
    'lifecycle: { introduced: "1.0", replacement: { group: "", version: v1 } }\n',
  ],
  ['a member that goes from one line', (y) => y.remove(['group', 'name']), '{ name: toys, since: "1.0" }', '{ since: "1.0" }'],
  ['the last member that goes from one line', (y) => y.remove(['group', 'since']), '{ name: toys, since: "1.0" }', '{ name: toys }'],
  ['the only member of one line', (y) => y.remove(['list', 'b', 'name']), '{ name: b }', '{ }'],
  [
    'a member that goes with its lines',
    (y) => y.remove(['schemas', 'Toy', 'table']),
    '    table:\n      columns:\n        - { name: Name }\n        - { name: Age }\n',
    '',
  ],
  ['a member that is not there', (y) => y.remove(['schemas', 'Toy', 'none']), '', ''],
  [
    'a member that goes from one map to another',
    (y) => y.paste(['schemas', 'Doll'], y.cut(['schemas', 'Toy', 'table']) as string),
    '    table:\n      columns:\n        - { name: Name }\n        - { name: Age }\n  Doll: { $ref: "x#/y", lifecycle: { introduced: "1.0" } }\n',
    '  Doll:\n    $ref: "x#/y"\n    lifecycle: { introduced: "1.0" }\n    table:\n      columns:\n        - { name: Name }\n        - { name: Age }\n',
  ],
];
for (const [name, edit, from, to] of rows)
  edits(name, () => {
    const yaml = new YamlText(text);
    edit(yaml);
    assert.ok(text.includes(from));
    assert.is(
      yaml.text,
      text.replace(from, () => to),
    );
    parse(yaml.text);
  });
edits('read what is there', () => {
  const yaml = new YamlText(text);
  assert.equal(yaml.get(['list', 'b']), { name: 'b' });
  assert.equal(yaml.get(['schemas', 'Toy', 'table', 'columns', 1, 'name']), 'Age');
  assert.is(yaml.get(['list', 'c']), undefined);
});
edits('refuse what is no map, and what is no YAML', () => {
  assert.throws(() => new YamlText(text).set(['schemas', 'Toy', 'type', 'a'], 1), /schemas\.Toy\.type is no map/);
  assert.throws(() => new YamlText('a: ['));
});
edits('write any value so that it is read as it was', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.constantFrom('1.30', 'true', 'no', '- a', 'a: b', '# c', '', ' ', '${groupDomain}', 'v1'),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any')),
      fc.dictionary(
        fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
        tie('any'),
        { noNullPrototype: true },
      ),
    ),
  })).any;
  // the library's own comparison holds two maps for different that have a member `constructor` each
  const isKept = (each: unknown): void => deepStrictEqual(parse(`a: ${flowText(each)}`), { a: each });
  fc.assert(fc.property(value, isKept), { examples: [[[{ constructor: {} }]]] });
});
edits('leave all other values as they were', () => {
  const paths = [
    ['group', 'since'],
    ['schemas', 'Toy', 'lifecycle', 'removed'],
    ['list', 'a', 'x'],
    ['schemas', 'Text', 'description'],
    ['new'],
  ];
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...paths), fc.string()), { maxLength: 6 }), (changes) => {
      const yaml = new YamlText(text);
      const expected = parse(text);
      for (const [path, value] of changes) {
        yaml.set(path, value);
        const holder = path
          .slice(0, -1)
          .reduce((at, step) => (Array.isArray(at) ? at.find(({ name }) => name === step) : at[step]), expected);
        holder[path.at(-1) as string] = value;
      }
      assert.equal(parse(yaml.text), expected);
    }),
  );
});
edits.run();
