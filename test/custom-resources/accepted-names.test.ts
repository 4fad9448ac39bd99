import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { acceptNames, NO_NAMES, sameNames } from '../../runtime/custom-resources/accepted-names.ts';

const test = suite('accepted names');

type Names = typeof NO_NAMES;
const WANTED: Names = { plural: 'as', singular: 'a', shortNames: ['x', 'y'], kind: 'A', listKind: 'AList', categories: ['all'] };
const used = (resources: string[], kinds: string[] = []) => ({ resources: new Set(resources), kinds: new Set(kinds) });

/** what was accepted before, what is in use, what is accepted now, the conflict */
const rows: readonly [string, Names, ReturnType<typeof used>, Names, [reason: string, message: string]?][] = [
  ['new ones', NO_NAMES, used([]), WANTED],
  ['its own', WANTED, used(['as', 'a', 'x', 'y'], ['A', 'AList']), WANTED],
  ['a plural in use', NO_NAMES, used(['as']), { ...WANTED, plural: '' }, ['PluralConflict', '"as" is already in use']],
  [
    'a singular in use: the one before stays',
    { ...WANTED, singular: 'old' },
    used(['a', 'old']),
    { ...WANTED, singular: 'old' },
    ['SingularConflict', '"a" is already in use'],
  ],
  [
    'one short name in use refuses all that are new',
    { ...WANTED, shortNames: ['x'] },
    used(['x', 'y']),
    { ...WANTED, shortNames: ['x'] },
    ['ShortNamesConflict', '"y" is already in use'],
  ],
  [
    'short names in use are told of together',
    { ...WANTED, shortNames: ['z'] },
    used(['x', 'y']),
    { ...WANTED, shortNames: ['z'] },
    ['ShortNamesConflict', '["x" is already in use, "y" is already in use]'],
  ],
  ['a kind in use', { ...WANTED, kind: '' }, used([], ['A']), { ...WANTED, kind: '' }, ['KindConflict', '"A" is already in use']],
  ['kinds and resources are apart', NO_NAMES, used(['A', 'AList'], ['as', 'a', 'x']), WANTED],
  [
    'of several conflicts the last is told of',
    { ...WANTED, plural: '', listKind: 'Old' },
    used(['as'], ['AList', 'Old']),
    { ...WANTED, plural: '', listKind: 'Old' },
    ['ListKindConflict', '"AList" is already in use'],
  ],
];
for (const [name, before, taken, accepted, [reason, message] = []] of rows)
  test(name, () => {
    const result = acceptNames(WANTED, before, taken);
    assert.equal(result.accepted, accepted);
    assert.is(JSON.stringify(Object.keys(result.accepted)), JSON.stringify(Object.keys(WANTED).filter((key) => key in result.accepted)));
    assert.equal(result.conflict, reason === undefined ? undefined : { reason, message });
  });

test('absent and empty names are the same', () => {
  assert.ok(sameNames({ plural: 'a', kind: 'A' }, { plural: 'a', singular: '', shortNames: [], kind: 'A', listKind: '', categories: [] }));
  assert.not.ok(sameNames({ plural: 'a', kind: 'A' }, { plural: 'a', kind: 'A', shortNames: ['b'] }));
});

test.run();
