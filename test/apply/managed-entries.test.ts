import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entriesOfText, entryText, textOfEntry } from '../../runtime/apply/managed-entries.ts';
import { setOfText, textOfSet } from '../../runtime/apply/set-text.ts';

const test = suite('managed entries');

const entriesText = (entries: readonly object[]): string => `[${entries.map(entryText).join(',')}]`;

const entry = (rest: object = {}) => ({
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2030-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { '.': {}, 'f:x': {} } },
  ...rest,
});
const { manager: _none, ...nameless } = entry();

const rows: readonly [name: string, entries: readonly object[]][] = [
  ['none', []],
  ['one', [entry()]],
  ['several', [entry(), entry({ manager: 'n' }), entry({ manager: 'o' })]],
  ['without fields', [{ manager: 'm' }, entry(), { manager: 'n', operation: 'Apply' }]],
  ['through a subresource', [entry({ subresource: 'status' }), entry({ subresource: 'a"b' })]],
  ['without a name', [nameless, entry()]],
  ['with a name that looks like what stands between entries', [entry({ manager: '},{"manager":"x' }), entry({ manager: ',"fieldsV1":' })]],
  [
    'with fields that look like members',
    [entry({ fieldsV1: { 'f:a},{"manager":"': {}, 'k:{"subresource":"x"}': {}, 'f:,"subresource":"': {} } })],
  ],
];
for (const [name, entries] of rows)
  test(`are read as they were written: ${name}`, () => {
    const text = entriesText(entries);
    assert.is(text, JSON.stringify(entries));
    const read = entriesOfText(text);
    assert.equal(JSON.parse(JSON.stringify(read)), JSON.parse(text));
    assert.is(entriesText(read), text);
    assert.equal(
      read.map((each) => Object.keys(each)),
      entries.map((each) => Object.keys(each)),
    );
    for (const [index, each] of read.entries()) if ('fieldsV1' in each) assert.is(textOfEntry(each), JSON.stringify(entries[index]));
  });

test('the same text is the same set, and a set has one text', () => {
  const text = '{"f:data":{"f:x":{}}}';
  assert.is(setOfText(text), setOfText(text));
  assert.is(textOfSet(setOfText(text)), text);
  assert.is(textOfSet({ 'f:y': {} }), '{"f:y":{}}');
});

test.run();
