/** Applies and updates by several managers: what comes of the object, who owns what, and which fields they quarrel about. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conflictMessage } from '../../runtime/apply/conflict-text.ts';
import { capped, type Manager, type Managers, readSentManagers } from '../../runtime/apply/managers.ts';
import { Owned } from './types.ts';

type Step =
  | { readonly apply: string; readonly spec: object; readonly force?: true; readonly conflicts?: readonly string[] }
  | { readonly update: string; readonly spec: object };

interface Row {
  readonly steps: readonly Step[];
  /** of the object in the end, without its defaults */
  readonly spec?: object;
  /** `f:spec` of each owner by apply in the end; `NAME by update` of the others */
  readonly owners?: Readonly<Record<string, object>>;
}

const test = suite('ownership');

function row(name: string, { steps, spec, owners }: Row): void {
  test(name, () => {
    const owned = new Owned();
    for (const step of steps) {
      const object = { kind: 'Widget', apiVersion: 'v1', metadata: { name: 'w' }, spec: step.spec };
      if ('update' in step) owned.update(step.update, object);
      else assert.equal(owned.apply(step.apply, object, step.force === true), step.conflicts ?? []);
    }
    if (spec !== undefined) assert.equal((owned.object as { spec: object }).spec, { count: 1, ...spec });
    if (owners === undefined) return;
    const found = Object.fromEntries(
      [...owned.managers.values()].map(({ name: manager, operation, fields }) => [
        operation === 'Apply' ? manager : `${manager} by update`,
        fields['f:spec'] ?? {},
      ]),
    );
    assert.equal(found, owners);
  });
}

const item = (name: string, rest: object = {}) => ({ name, ...rest });
const LEAF = {};

row('an applier owns what it sends', {
  steps: [{ apply: 'a', spec: { text: 'x', part: { color: 'red' }, list: ['1'], raw: { a: [1] } } }],
  spec: { text: 'x', part: { color: 'red' }, list: ['1'], raw: { a: [1] } },
  owners: { a: { 'f:list': LEAF, 'f:part': { 'f:color': LEAF }, 'f:raw': { 'f:a': LEAF }, 'f:text': LEAF } },
});
row('an updater owns containers too', {
  steps: [{ update: 'u', spec: { part: { color: 'red' }, map: { k: 'v' } } }],
  owners: { 'u by update': { 'f:count': LEAF, 'f:map': { '.': LEAF, 'f:k': LEAF }, 'f:part': { '.': LEAF, 'f:color': LEAF } } },
});
row('another value is a conflict', {
  steps: [
    { apply: 'a', spec: { text: 'x' } },
    { apply: 'b', spec: { text: 'y' }, conflicts: ['a: .spec.text'] },
  ],
  spec: { text: 'x' },
});
row('force takes it over', {
  steps: [
    { apply: 'a', spec: { text: 'x', map: { k: 'v' } } },
    { apply: 'b', spec: { text: 'y' }, force: true },
  ],
  spec: { text: 'y', map: { k: 'v' } },
  owners: { a: { 'f:map': { 'f:k': LEAF } }, b: { 'f:text': LEAF } },
});
row('conflicts are sorted by the JSON that Go makes of managers', {
  steps: [
    { apply: 'a<', spec: { text: 'x' } },
    { apply: 'aB', spec: { text: 'x' } },
    { apply: '\u{1f600}', spec: { text: 'x' } },
    { apply: '\uff71', spec: { text: 'x' } },
    {
      apply: 'b',
      spec: { text: 'y' },
      conflicts: ['aB: .spec.text', 'a<: .spec.text', '\uff71: .spec.text', '\u{1f600}: .spec.text'],
    },
  ],
});
row('the same value is shared', {
  steps: [
    { apply: 'a', spec: { text: 'x' } },
    { apply: 'b', spec: { text: 'x' } },
    { apply: 'a', spec: { text: 'y' }, conflicts: ['b: .spec.text'] },
  ],
  owners: { a: { 'f:text': LEAF }, b: { 'f:text': LEAF } },
});
row('what is shared stays when one gives it up, and goes with the last one', {
  steps: [
    { apply: 'a', spec: { map: { x: '1', y: '1' } } },
    { apply: 'b', spec: { map: { x: '1' } } },
    { apply: 'a', spec: { map: { y: '1' } } },
    { apply: 'b', spec: {} },
  ],
  spec: { map: { y: '1' } },
  // who applies an empty spec owns that it is there
  owners: { a: { 'f:map': { 'f:y': LEAF } }, b: LEAF },
});
row('what is left out goes, and a default comes back', {
  steps: [
    { apply: 'a', spec: { count: 5, text: 'x', part: { color: 'red', size: 1 } } },
    { apply: 'a', spec: { part: { size: 1 } } },
  ],
  spec: { part: { size: 1 } },
});
row('what an updater owns is not taken away', {
  steps: [
    { update: 'u', spec: { map: { x: '1' } } },
    { apply: 'a', spec: { map: { x: '1', y: '1' } } },
    { apply: 'a', spec: {} },
  ],
  spec: { map: { x: '1' } },
});
row('what others have added below stays where the item goes on being owned', {
  steps: [
    { apply: 'a', spec: { items: [item('i', { value: 'v' })] } },
    { update: 'u', spec: { items: [item('i', { value: 'v', ports: [{ port: 1 }] })] } },
    { apply: 'b', spec: { items: [item('i')] } },
    { apply: 'a', spec: {} },
  ],
  spec: { items: [item('i', { ports: [{ port: 1, protocol: 'TCP' }] })] },
});
row('an update takes fields from appliers without a conflict', {
  steps: [
    { apply: 'a', spec: { text: 'x', map: { k: '1', l: '1' } } },
    { update: 'u', spec: { text: 'x', map: { k: '2', l: '1' } } },
    { apply: 'a', spec: { text: 'x', map: { k: '1', l: '1' } }, conflicts: ['u: .spec.map.k'] },
  ],
  owners: { a: { 'f:map': { 'f:l': LEAF }, 'f:text': LEAF }, 'u by update': { 'f:map': { 'f:k': LEAF } } },
});
row('an update that changes nothing changes no owner', {
  steps: [
    { apply: 'a', spec: { text: 'x', count: 1 } },
    { update: 'u', spec: { text: 'x' } },
  ],
  owners: { a: { 'f:count': LEAF, 'f:text': LEAF } },
});
row('atomic lists, maps and structs have one owner', {
  steps: [
    { apply: 'a', spec: { list: ['1'], wholeMap: { k: 'v' }, whole: { color: 'red' } } },
    {
      apply: 'b',
      spec: { list: ['1', '2'], wholeMap: { l: 'v' }, whole: { size: 1 } },
      conflicts: ['a: .spec.list', 'a: .spec.whole', 'a: .spec.wholeMap'],
    },
    { apply: 'b', spec: { list: ['1', '2'], wholeMap: { l: 'v' }, whole: { size: 1 } }, force: true },
  ],
  spec: { whole: { size: 1 }, wholeMap: { l: 'v' }, list: ['1', '2'] },
  owners: { b: { 'f:list': LEAF, 'f:whole': LEAF, 'f:wholeMap': LEAF } },
});
row('elements of sets in a map are owned one by one', {
  steps: [
    { apply: 'a', spec: { sets: { k: ['x', 'y'] } } },
    { apply: 'b', spec: { sets: { k: ['z'], l: ['x'] } } },
    { apply: 'a', spec: { sets: { k: ['y'] } } },
  ],
  spec: { sets: { k: ['y', 'z'], l: ['x'] } },
  owners: {
    a: { 'f:sets': { 'f:k': { '.': LEAF, 'v:"y"': LEAF } } },
    b: { 'f:sets': { 'f:k': { '.': LEAF, 'v:"z"': LEAF }, 'f:l': { '.': LEAF, 'v:"x"': LEAF } } },
  },
});
row('elements of keyed lists in a map are owned member by member', {
  steps: [
    { apply: 'a', spec: { groups: { k: [item('i', { value: 'v' })] } } },
    { apply: 'b', spec: { groups: { k: [item('i', { ports: [{ port: 1 }] }), item('j')] } } },
    { apply: 'b', spec: { groups: { k: [item('i', { value: 'w' })] } }, conflicts: ['a: .spec.groups.k[name="i"].value'] },
    { apply: 'a', spec: {} },
  ],
  spec: { groups: { k: [item('i', { ports: [{ port: 1, protocol: 'TCP' }] }), item('j')] } },
});
row('a use of an atomic type is owned member by member where it says so', {
  steps: [
    { apply: 'a', spec: { wider: { name: 'n' }, labels: [item('n')] } },
    { apply: 'b', spec: { wider: { name: 'n' } } },
  ],
  owners: { a: { 'f:labels': { 'k:{"name":"n"}': LEAF }, 'f:wider': { 'f:name': LEAF } }, b: { 'f:wider': { 'f:name': LEAF } } },
});
row('elements of sets are owned one by one', {
  steps: [
    { apply: 'a', spec: { set: ['x', 'y'], numbers: [10, 9] } },
    { apply: 'b', spec: { set: ['z', 'y'] } },
    { apply: 'a', spec: { set: ['x'] } },
  ],
  spec: { set: ['x', 'z', 'y'] },
  owners: { a: { 'f:set': { 'v:"x"': LEAF } }, b: { 'f:set': { 'v:"y"': LEAF, 'v:"z"': LEAF } } },
});
row('a set of numbers is in the order of the numbers', {
  steps: [{ apply: 'a', spec: { numbers: [10, 9] } }],
  owners: { a: { 'f:numbers': { 'v:9': LEAF, 'v:10': LEAF } } },
});
row('elements of keyed lists are told apart by their keys, a default among them', {
  steps: [
    { apply: 'a', spec: { items: [item('i', { ports: [{ port: 80, name: 'web' }] })] } },
    { apply: 'b', spec: { items: [item('i', { ports: [{ port: 80, protocol: 'UDP' }] }), item('j')] } },
    {
      apply: 'c',
      spec: { items: [item('i', { ports: [{ port: 80, protocol: 'TCP', name: 'other' }] })] },
      conflicts: ['a: .spec.items[name="i"].ports[port=80,protocol="TCP"].name'],
    },
  ],
  spec: {
    items: [
      item('i', {
        ports: [
          { port: 80, protocol: 'TCP', name: 'web' },
          { port: 80, protocol: 'UDP' },
        ],
      }),
      item('j'),
    ],
  },
});
row('elements that are atomic have one owner', {
  steps: [{ apply: 'a', spec: { labels: [{ name: 'x' }] } }],
  owners: { a: { 'f:labels': { 'k:{"name":"x"}': LEAF } } },
});
row('the order of a list is that of the last applier, around what only others have', {
  steps: [
    { apply: 'a', spec: { items: [item('c'), item('x'), item('b')] } },
    { apply: 'b', spec: { items: [item('b'), item('new'), item('c')] } },
  ],
  spec: { items: [item('x'), item('b'), item('new'), item('c')] },
});
row('elements that an update has stored twice are one field', {
  steps: [
    { update: 'u', spec: { items: [item('i', { value: '1' }), item('i', { value: '2' })] } },
    { apply: 'a', spec: { text: 'x' } },
  ],
  spec: { text: 'x', items: [item('i', { value: '1' }), item('i', { value: '2' })] },
  owners: { a: { 'f:text': LEAF }, 'u by update': { 'f:count': LEAF, 'f:items': { '.': LEAF, 'k:{"name":"i"}': LEAF } } },
});
row('an empty map is a field of its own', {
  steps: [
    { apply: 'a', spec: { map: {} } },
    { apply: 'b', spec: { map: { k: 'v' } }, conflicts: ['a: .spec.map'] },
  ],
  owners: { a: { 'f:map': LEAF } },
});
row('of a map of structs every key is owned', {
  steps: [
    { apply: 'a', spec: { parts: { p: { color: 'red' } } } },
    { apply: 'b', spec: { parts: { p: { size: 1 }, q: {} } } },
    { apply: 'a', spec: {} },
  ],
  spec: { parts: { p: { size: 1 }, q: {} } },
  owners: { a: LEAF, b: { 'f:parts': { 'f:p': { '.': LEAF, 'f:size': LEAF }, 'f:q': LEAF } } },
});
row('JSON without a type: objects by member, lists as a whole', {
  steps: [
    { apply: 'a', spec: { raw: { o: { x: 1 }, l: [1] } } },
    { apply: 'b', spec: { raw: { o: { y: 1 }, l: [2] } }, conflicts: ['a: .spec.raw.l'] },
    { apply: 'b', spec: { raw: { o: { y: 1 } } } },
    { apply: 'a', spec: { raw: { o: 'text' } }, conflicts: ['b: .spec.raw.o'] },
  ],
  spec: { raw: { o: { x: 1, y: 1 }, l: [1] } },
});

row('an extension has one owner and one value as a whole', {
  steps: [
    { apply: 'a', spec: { extension: { o: { x: 1 } } } },
    { apply: 'b', spec: { extension: { o: { y: 1 } } }, conflicts: ['a: .spec.extension'] },
    { apply: 'a', spec: { extension: { o: { y: 1 } } } },
  ],
  spec: { extension: { o: { y: 1 } } },
  owners: { a: { 'f:extension': LEAF } },
});

test('what is reset belongs to nobody', () => {
  const owned = new Owned();
  const object = { kind: 'Widget', apiVersion: 'v1', metadata: { name: 'w' }, status: { color: 'red' } };
  owned.apply('a', object);
  owned.update('u', { ...object, status: { color: 'blue' } });
  assert.is(owned.fields('a'), undefined);
  assert.is(owned.fields('u', 'Update'), undefined);
});

test('times move with changes alone', () => {
  const owned = new Owned();
  const object = (text: string) => ({ kind: 'Widget', apiVersion: 'v1', metadata: { name: 'w' }, spec: { text } });
  const times = () => owned.managedFields.map((entry) => `${(entry as { manager: string }).manager} ${(entry as { time?: string }).time}`);
  owned.apply('a', object('x'));
  owned.apply('a', object('x'));
  owned.apply('b', object('x'));
  // who shares a field without having changed it has no time, and comes first
  assert.equal(times(), ['b undefined', 'a 2030-01-01T00:00:00Z']);
});

test('of eleven updaters the two oldest become one', () => {
  const owned = new Owned();
  const map: Record<string, string> = {};
  for (let i = 0; i < 11; i++) {
    map[`k${i}`] = '1';
    owned.update(`u${i}`, { kind: 'Widget', apiVersion: 'v1', metadata: { name: 'w' }, spec: { map: { ...map } } });
  }
  assert.is(owned.managers.size, 10);
  assert.equal(owned.fields('ancient-changes', 'Update'), {
    'f:spec': { 'f:count': {}, 'f:map': { '.': {}, 'f:k0': {}, 'f:k1': {} } },
  });
});

/** Milliseconds of processor time, the shortest of three. */
function processorTime(action: () => void): number {
  const taken = [0, 1, 2].map(() => {
    const before = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...taken);
}

/** Owners of one field each, as a client may send them. */
const ownersOf = (count: number, operation: string): Managers =>
  readSentManagers(
    Array.from({ length: count }, (_, i) => {
      const fieldsV1 = { 'f:spec': { 'f:map': { [`f:k${i}`]: {} } } };
      return { manager: `m${i}`, operation, apiVersion: 'v1', time: '2020-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1 };
    }),
  ) as Managers;

test('conflicts name managers and subresources as Go quotes them', () => {
  const managers = readSentManagers([
    {
      manager: 'a"b',
      subresource: '\u007f\u00a0',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2020-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': {} },
    },
  ]) as Managers;
  const [manager] = managers.values();
  assert.is(
    conflictMessage([{ manager: manager as Manager, path: ['f:spec'] }]),
    'Apply failed with 1 conflict: conflict with "a\\"b" with subresource "\\x7f\\u00a0" using v1: .spec',
  );
});

test('twenty times as many updaters take about twenty times as long to become ten', () => {
  const few = ownersOf(2_000, 'Update');
  const many = ownersOf(40_000, 'Update');
  assert.is(capped(many).size, 10);
  assert.ok(
    processorTime(() => capped(many)) <
      100 *
        Math.max(
          1,
          processorTime(() => capped(few)),
        ),
  );
});

test('twenty times as many owners make an apply that gives up a field take about twenty times as long', () => {
  const giveUp = (count: number) => {
    const owned = new Owned();
    const object = (map: object) => ({ kind: 'Widget', apiVersion: 'v1', metadata: { name: 'w' }, spec: { map } });
    owned.apply('a', object(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, '1']))));
    const managers = new Map([...owned.managers, ...ownersOf(count, 'Apply')]);
    const before = owned.object;
    return () => {
      [owned.object, owned.managers] = [before, managers];
      owned.apply('a', object({}), true);
    };
  };
  assert.ok(processorTime(giveUp(30_000)) < 100 * Math.max(1, processorTime(giveUp(1_500))));
});

test.run();
