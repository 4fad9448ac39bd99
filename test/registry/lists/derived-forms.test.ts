import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DerivedForms } from '../../../runtime/registry/lists/derived-forms.ts';

const test = suite('derived forms');
const KIND = {};
/** with what an entry costs besides, about 1,000 bytes */
const run = (name: string, ...revisions: number[]) => ({ name, revisions, size: 700 });
type NamedRun = ReturnType<typeof run>;

test('are found by the name of the form and the revision of the object', () => {
  const forms = new DerivedForms(100_000);
  const row = run('row', 7);
  forms.of(KIND, 'rows').add(row);
  assert.is(forms.of(KIND, 'rows').get(7), row);
  assert.is(forms.of(KIND, 'rows').get(8), undefined);
  assert.is(forms.of(KIND, 'messages').get(7), undefined);
});

test('of several objects are found by each, in the run that was added last', () => {
  const rows = new DerivedForms(100_000).of<NamedRun>(KIND, 'rows');
  rows.add(run('first', 1, 2, 3, 4));
  rows.add(run('second', 2, 9));
  assert.equal(
    [1, 2, 3, 4, 9, 5].map((revision) => rows.get(revision)?.name),
    ['first', 'second', 'first', 'first', 'second', undefined],
  );
});

test('that nobody asks for are dropped first', () => {
  const forms = new DerivedForms(10_000);
  forms.of(KIND, 'a').add(run('asked for', 1, 2));
  forms.of(KIND, 'b').add(run('forgotten', 3));
  for (let revision = 10; revision < 100; revision++) {
    forms.of(KIND, 'c').add(run('filler', revision));
    assert.is(forms.of<NamedRun>(KIND, 'a').get(2)?.name, 'asked for', `at ${revision}`);
  }
  assert.is(forms.of<NamedRun>(KIND, 'a').get(1)?.name, 'asked for');
  assert.is(forms.of(KIND, 'b').get(3), undefined);
});

test('that others have replaced are dropped, and take nothing of the budget then', () => {
  const forms = new DerivedForms(10_000);
  const rows = forms.of<NamedRun>(KIND, 'rows');
  const beside = run('beside', 1);
  forms.of(KIND, 'a').add(beside);
  for (let i = 0; i < 100; i++) rows.add(run(`run ${i}`, 1, 2, 3, 4, 100 + i));
  assert.is(rows.get(4)?.name, 'run 99');
  assert.is(rows.get(150), undefined);
  assert.is(forms.of(KIND, 'a').get(1), beside);
});

test('that are asked for again do not hide what is newer', () => {
  const forms = new DerivedForms(10_000);
  const rows = forms.of<NamedRun>(KIND, 'rows');
  rows.add(run('old', 1, 2));
  while (rows.get(9) === undefined) {
    // until the first one is of the old generation
    for (let revision = 10; revision < 14; revision++) forms.of(KIND, 'filler').add(run('filler', revision));
    rows.add(run('new', 2, 9));
  }
  assert.is(rows.get(1)?.name, 'old');
  assert.is(rows.get(2)?.name, 'new');
});

test('stay within the budget', () => {
  const forms = new DerivedForms(10_000);
  for (let revision = 0; revision < 1_000; revision++) forms.of(KIND, `form ${revision % 7}`).add(run('x', revision));
  let kept = 0;
  for (let revision = 0; revision < 1_000; revision++) if (forms.of(KIND, `form ${revision % 7}`).get(revision) !== undefined) kept++;
  assert.ok(kept > 0 && kept <= 10, `${kept} are kept`);
});

test('beyond half the budget are not kept, nor is any without a budget', () => {
  const forms = new DerivedForms(1_000);
  forms.of(KIND, 'a').add(run('large', 1));
  assert.is(forms.of(KIND, 'a').get(1), undefined);
  const none = new DerivedForms(0);
  none.of(KIND, 'a').add({ revisions: [1], size: 0 });
  assert.is(none.of(KIND, 'a').get(1), undefined);
});

test('are of their owner alone', () => {
  const forms = new DerivedForms(10_000);
  forms.of(KIND, 'rows').add(run('row', 1));
  assert.is(forms.of({}, 'rows').get(1), undefined);
});

test.run();
