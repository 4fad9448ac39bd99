/** The checks of a run find what they are for. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Acknowledgement,
  type Change,
  checkChanges,
  checkHistory,
  checkLists,
  checkObjects,
  type SeenList,
  type Unanswered,
  type Version,
} from './history.ts';
import type { Selection } from './selections.ts';

const version = (name: string, revision: number, tier = ''): Version => ({
  namespace: 'n',
  name,
  revision,
  value: `v${revision}`,
  tier,
  type: 't',
});
const HISTORY: readonly Change[] = [
  { type: 'ADDED', version: version('a', 1, 'x') },
  { type: 'ADDED', version: version('b', 3) },
  { type: 'MODIFIED', version: version('a', 4) },
  { type: 'MODIFIED', version: version('a', 6, 'x') },
  { type: 'DELETED', version: { ...version('b', 3), revision: 7 } },
];
const ACKNOWLEDGED: readonly Acknowledgement[] = [
  ...HISTORY.slice(0, 4).map((change) => ({ kind: 'stored', version: change.version }) as const),
  { kind: 'deleted', namespace: 'n', name: 'b' },
];
const everything: Selection = { namespace: '', query: {}, matches: () => true };
const tiered: Selection = { namespace: '', query: { labelSelector: 'tier=x' }, matches: ({ tier }) => tier === 'x' };
const change = (index: number): Change => HISTORY[index] as Change;

const histories = suite('history');
const historyRows: [name: string, history: readonly Change[], acknowledged: readonly Acknowledgement[], problems: number][] = [
  ['whole', HISTORY, ACKNOWLEDGED, 0],
  ['an event is missing', HISTORY.filter((_, i) => i !== 2), ACKNOWLEDGED, 1],
  ['an event came twice', [...HISTORY.slice(0, 4), change(3), change(4)], ACKNOWLEDGED, 1],
  ['events came in another order', [change(0), change(1), change(3), change(2), change(4)], ACKNOWLEDGED, 1],
  ['an event of nothing', HISTORY, ACKNOWLEDGED.slice(1), 1],
  ['a delete is missing', HISTORY.slice(0, 4), ACKNOWLEDGED, 1],
  [
    'another value',
    [...HISTORY.slice(0, 3), { ...change(3), version: { ...change(3).version, value: 'else' } }, change(4)],
    ACKNOWLEDGED,
    1,
  ],
  ['the wrong type', [change(0), change(1), { ...change(2), type: 'ADDED' }, change(3), change(4)], ACKNOWLEDGED, 1],
];
for (const [name, history, acknowledged, problems] of historyRows)
  histories(name, () => assert.is(checkHistory(history, acknowledged).length, problems, checkHistory(history, acknowledged).join('\n')));
const unansweredRows: [name: string, unanswered: readonly Unanswered[], problems: number][] = [
  ['a write that was not answered', [{ namespace: 'n', name: 'a', value: 'v6' }], 1],
  ['a delete that was not answered', [{ namespace: 'n', name: 'b', value: undefined }], 1],
  [
    'both',
    [
      { namespace: 'n', name: 'a', value: 'v6' },
      { namespace: 'n', name: 'b', value: undefined },
    ],
    0,
  ],
  [
    'writes of something else',
    [
      { namespace: 'n', name: 'b', value: 'v6' },
      { namespace: 'n', name: 'a', value: undefined },
    ],
    2,
  ],
];
for (const [name, unanswered, problems] of unansweredRows)
  histories(name, () => {
    const found = checkHistory(HISTORY, ACKNOWLEDGED.slice(0, 3), unanswered);
    assert.is(found.length, problems, found.join('\n'));
  });
histories.run();

const objects = suite('objects');
const objectRows: [name: string, seen: Version | undefined, atLeast: number, problems: number][] = [
  ['the newest', version('a', 6, 'x'), 6, 0],
  ['one that was there then', version('a', 4), 4, 0],
  ['one that is there since then', version('a', 6, 'x'), 4, 0],
  ['one that was there until later', version('a', 1, 'x'), 3, 0],
  ['an older one', version('a', 1, 'x'), 4, 1],
  ['one that never was', version('a', 5), 0, 1],
  ['one that was written otherwise', version('a', 4, 'x'), 0, 1],
  ['one that was not there yet', undefined, 0, 0],
  ['one that was there', undefined, 1, 1],
];
for (const [name, seen, atLeast, problems] of objectRows)
  objects(name, () => {
    const found = checkObjects(HISTORY, [{ request: '', namespace: 'n', name: 'a', version: seen, atLeast }]);
    assert.is(found.length, problems, found.join('\n'));
  });
objects('a deleted one', () => {
  const gone = { request: '', namespace: 'n', name: 'b', atLeast: 4 };
  assert.is(checkObjects(HISTORY, [{ ...gone, version: undefined }]).length, 0);
  assert.is(checkObjects(HISTORY, [{ ...gone, atLeast: 7, version: version('b', 3) }]).length, 1);
});
objects.run();

const lists = suite('lists');
const listRows: [name: string, list: Partial<SeenList>, problems: number][] = [
  ['at a revision', { revision: 5, items: [version('a', 4), version('b', 3)] }, 0],
  ['selected', { revision: 6, selection: tiered, items: [version('a', 6, 'x')] }, 0],
  ['selected, with an object that left', { revision: 4, selection: tiered, items: [version('a', 1, 'x')] }, 1],
  ['an item is missing', { revision: 5, items: [version('a', 4)] }, 1],
  ['an item is from before', { revision: 5, items: [version('a', 1, 'x'), version('b', 3)] }, 1],
  ['an item is gone', { revision: 7, items: [version('a', 6, 'x'), version('b', 3)] }, 1],
  ['in another order', { revision: 5, items: [version('b', 3), version('a', 4)] }, 1],
  ['older than it may be', { revision: 2, atLeast: 3, items: [version('a', 1, 'x')] }, 1],
  ['newer than was asked for', { revision: 2, exactly: 1, items: [version('a', 1, 'x')] }, 1],
];
for (const [name, list, problems] of listRows)
  lists(name, () => {
    const seen = { request: '', selection: everything, revision: 0, items: [], atLeast: 0, ...list };
    assert.is(checkLists(HISTORY, [seen]).length, problems);
  });
lists.run();

const watches = suite('watches');
const left: Change = { type: 'DELETED', version: { ...version('a', 1, 'x'), revision: 4 } };
const entered: Change = { type: 'ADDED', version: version('a', 6, 'x') };
const watchRows: [name: string, selection: Selection, from: number, to: number, changes: readonly Change[], problems: number][] = [
  ['everything', everything, 0, 7, HISTORY, 0],
  ['a part', everything, 1, 4, [change(1), change(2)], 0],
  ['objects leave and enter', tiered, 1, 7, [left, entered], 0],
  ['one that left is told as it is now', tiered, 1, 5, [{ type: 'DELETED', version: version('a', 4) }], 1],
  ['an event is missing', everything, 0, 7, HISTORY.slice(0, 4), 1],
  ['an event came twice', everything, 0, 1, [change(0), change(0)], 1],
  ['one more at the end', everything, 0, 3, HISTORY.slice(0, 3), 1],
];
for (const [name, selection, from, to, changes, problems] of watchRows)
  watches(name, () => assert.is(checkChanges(HISTORY, [{ request: '', selection, from, to, changes }]).length, problems));
watches.run();
