import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Cell } from '../../../runtime/contract/table.ts';
import { compileCell } from '../../../runtime/registry/cells/cell.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';

const test = suite('cells');
const now = Date.parse('2026-01-01T00:01:00Z');
const object = {
  name: 'web',
  kind: 'Deployment',
  empty: '',
  text: ' Some Text ',
  big: rawNumber('9007199254740993'),
  zero: 0,
  no: false,
  yes: true,
  none: null,
  begun: '2026-01-01T00:00:00Z',
  ended: '2026-01-01T00:00:20.000000Z',
  list: ['b', 'a', '', 'b'],
  nothing: [],
  map: { z: '1', a: '2' },
  selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
  parts: [{ name: 'p', port: 80 }, { name: 'q' }, { port: 8080 }, { name: 's' }],
  conditions: [
    { type: 'Ready', status: 'True' },
    { type: 'Ready', status: 'Unknown' },
  ],
};

/** `undefined`: the cell has nothing. */
const rows: [name: string, cell: Cell, expected: unknown][] = [
  ['a text', 'Local', 'Local'],
  ['a number', 7, 7],
  ['a boolean', false, false],
  ['a path', '.name', 'web'],
  ['a path to a number keeps its digits', '.big', object.big],
  ['a path to zero', '.zero', 0],
  ['a path to false', '.no', false],
  ['a path to nothing', '.missing', undefined],
  ['a path to null', '.none', undefined],
  ['a path to an empty text', '.empty', undefined],
  ['an empty text that counts', { path: '.empty', allowEmpty: true, absent: 'x' }, ''],
  ['nothing, with something else instead', { path: '.missing', absent: '<none>' }, '<none>'],
  ['an empty text, with something else instead', { path: '.empty', absent: '<none>' }, '<none>'],
  ['zero is something', { path: '.zero', absent: '<none>' }, 0],
  ['of several values the first', { path: '.conditions[?(@.type=="Ready")].status' }, 'True'],
  ['of several values the last', { path: '.conditions[?(@.type=="Ready")].status', last: true }, 'Unknown'],

  ['a template', '{.kind}/{.name}', 'Deployment/web'],
  ['a template with nothing in it', { text: '{.missing}/{.none}' }, '/'],
  ['a template of nothing', '{.missing}', undefined],
  ['a template of values of other types', '{.big} {.zero} {.no} {.map}', '9007199254740993 0 false {"z":"1","a":"2"}'],
  ['a fixed text under a condition', { when: '.yes', text: 'A' }, 'A'],

  ['a count of a list', { count: '.list' }, 4],
  ['a count of a map', { count: '.map' }, 2],
  ['a count of values', { count: '.parts[*].name' }, 3],
  ['a count of two places', { count: ['.list', '.map', '.missing'] }, 6],
  ['a count of nothing', { count: '.missing' }, 0],

  ['a ratio', { ratio: ['.zero', '.big'] }, '0/9007199254740993'],
  ['a ratio of nothing', { ratio: ['.missing', '.none'] }, '0/0'],

  ['an age', { age: '.begun' }, '60s'],
  ['an age of the first that is set', { age: ['.missing', '.empty', '.ended'] }, '40s'],
  ['an age until then', { age: '.begun', end: '.ended' }, '20s'],
  ['an age until something that is not set', { age: '.begun', end: '.missing' }, '60s'],
  ['an age of nothing', { age: '.missing' }, '<unknown>'],
  ['an age of nothing, with something else instead', { age: '.missing', absent: '<none>' }, '<none>'],
  ['an age of what is no time', { age: '.name' }, '<invalid>'],
  ['a duration', { duration: '.parts[0].port' }, '80s'],
  ['a duration of nothing', { duration: '.missing' }, undefined],
  ['a duration of what is no number', { duration: '.name' }, '<invalid>'],

  ['labels', { labels: '.map' }, 'a=2,z=1'],
  ['no labels', { labels: '.missing' }, '<none>'],
  ['no labels, with something else instead', { labels: '.missing', absent: '' }, ''],
  ['a selector', { selector: '.selector' }, 'a,app=web'],
  ['no selector', { selector: '.missing' }, undefined],

  ['a join of texts', { join: '.list' }, 'b,a,,b'],
  ['a join with another separator', { join: '.list', separator: ', ' }, 'b, a, , b'],
  ['a join of texts, each once', { join: '.list', set: true }, 'a,b'],
  ['a join of an empty list', { join: '.nothing' }, undefined],
  ['a join of what is no list', { join: '.name' }, undefined],
  ['a join of values', { join: '.parts[*].name' }, 'p,q,s'],
  ['a join of elements', { join: '.parts', as: '{.name}:{.port}' }, 'p:80,q:,:8080,s:'],
  ['a join of elements that may have nothing', { join: '.parts', as: '.name' }, 'p,q,,s'],
  ['a join of so many as there are', { join: '.parts', as: '{.name}', limit: 4 }, 'p,q,,s'],
  ['a join of the first', { join: '.parts', as: '{.name}', limit: 2 }, 'p,q + 2 more...'],
  ['a join of cells', { join: ['.name', '.missing', '.empty', { path: '.missing', absent: 0 }, '.kind'] }, 'web,0,Deployment'],
  ['a join of cells that have nothing', { join: ['.missing', '.empty'], absent: '<none>' }, '<none>'],
  ['a join of cells without separator', { join: ['.name', { path: '.kind', as: '/{@}' }], separator: '' }, 'web/Deployment'],

  ['the first cell that has something', { first: ['.missing', '.empty', { when: '.no', text: 'A' }, '.zero', '.name'] }, 0],
  ['the first of none', { first: ['.missing', '.empty'] }, undefined],

  ['a value shown as a text', { path: '.zero', as: '{@}' }, '0'],
  ['a struct shown by its members', { path: '.parts[0]', as: '{.name}:{.port}' }, 'p:80'],
  ['a cell within what is shown', { path: '.parts[1]', as: { first: ['.port', '.name'] } }, 'q'],
  ['nothing is not shown', { path: '.missing', as: 'A{@}' }, undefined],
  ['an empty text is not shown', { path: '.empty', as: 'A{@}' }, undefined],
  ['an empty text that is shown counts', { path: '.parts[2]', as: '{.name}', allowEmpty: true, absent: '?' }, ''],
  ['a value mapped', { path: '.yes', map: { true: 'True', false: 'False' } }, 'True'],
  ['a value mapped to a cell of the object', { path: '.kind', map: { Deployment: '{.name} (default)' } }, 'web (default)'],
  ['a value that is not mapped', { path: '.name', map: { constructor: 'A' } }, undefined],
  ['a value mapped otherwise', { path: '.name', map: { a: 'A' }, otherwise: 'B' }, 'B'],
  ['nothing is not mapped', { path: '.missing', map: { undefined: 'A' }, otherwise: 'B', absent: 'C' }, 'C'],

  ['a condition that holds', { when: '.list', text: 'A' }, 'A'],
  ['a condition that holds for an empty struct', { when: '.map', text: 'A' }, 'A'],
  ['a condition that holds for zero', { when: '.zero', text: 'A' }, 'A'],
  ['a condition of an empty list', { when: '.nothing', text: 'A' }, undefined],
  ['a condition that is false', { when: '.no', text: 'A', absent: 'B' }, 'B'],
  ['a condition of an empty text', { when: '.empty', text: 'A' }, undefined],
  ['two conditions of which one does not hold', { when: ['.yes', '.missing'], text: 'A' }, undefined],
  ['two conditions', { when: ['.yes', '.list'], text: 'A' }, 'A'],
  ['an age under a condition that does not hold', { when: '.no', age: '.begun' }, undefined],

  ['small letters', { path: '.text', transform: 'lower' }, ' some text '],
  ['a text without white space around it', { path: '.text', transform: 'trim' }, 'Some Text'],
  ['small letters of nothing', { path: '.missing', transform: 'lower', absent: 'x' }, 'x'],
];
for (const [name, cell, expected] of rows) test(name, () => assert.equal(compileCell(cell)(object, now), expected));

test('times may be filled in later', () => {
  const marks = { mark: (since: number) => `<${since}>` };
  assert.is(compileCell({ age: '.begun' })(object, marks), `<${Date.parse(object.begun)}>`);
  assert.is(compileCell({ age: '.begun', end: '.ended' })(object, marks), '20s');
});

test.run();
