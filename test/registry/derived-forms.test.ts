import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DerivedForms } from '../../runtime/registry/derived-forms.ts';

const test = suite('derived forms');
/** with what an entry costs besides, 1,000 bytes */
const form = (name: string) => ({ name, size: 800 });

test('are found by name and revision', () => {
  const forms = new DerivedForms(100_000);
  forms.of('rows').set(7, form('row'));
  assert.equal(forms.of('rows').get(7), form('row'));
  assert.is(forms.of('rows').get(8), undefined);
  assert.is(forms.of('messages').get(7), undefined);
});

test('that nobody asks for are dropped first', () => {
  const forms = new DerivedForms(10_000);
  forms.of('a').set(1, form('asked for'));
  forms.of('b').set(2, form('forgotten'));
  for (let revision = 10; revision < 100; revision++) {
    forms.of('c').set(revision, form('filler'));
    assert.equal(forms.of('a').get(1), form('asked for'), `at ${revision}`);
  }
  assert.is(forms.of('b').get(2), undefined);
});

test('stay within the budget', () => {
  const forms = new DerivedForms(10_000);
  for (let revision = 0; revision < 1_000; revision++) forms.of(`form ${revision % 7}`).set(revision, form('x'));
  let kept = 0;
  for (let revision = 0; revision < 1_000; revision++) if (forms.of(`form ${revision % 7}`).get(revision) !== undefined) kept++;
  assert.ok(kept > 0 && kept <= 10, `${kept} are kept`);
});

test('beyond half the budget are not kept, nor is any without a budget', () => {
  const forms = new DerivedForms(1_000);
  forms.of('a').set(1, form('large'));
  assert.is(forms.of('a').get(1), undefined);
  const none = new DerivedForms(0);
  none.of('a').set(1, { size: 0 });
  assert.is(none.of('a').get(1), undefined);
});

const run = (name: string, ...revisions: number[]) => ({ name, revisions, size: 800 });

test('runs are found by each of their revisions, in the one that was added last', () => {
  const runs = new DerivedForms(100_000).runsOf<ReturnType<typeof run>>('rows');
  runs.add(run('first', 1, 2, 3, 4));
  runs.add(run('second', 2, 9));
  assert.equal(
    [1, 2, 3, 4, 9, 5].map((revision) => runs.get(revision)?.name),
    ['first', 'second', 'first', 'first', 'second', undefined],
  );
});

test('a run that others have replaced is dropped, and takes nothing of the budget then', () => {
  const forms = new DerivedForms(10_000);
  const runs = forms.runsOf<ReturnType<typeof run>>('rows');
  forms.of('a').set(1, form('beside'));
  for (let i = 0; i < 100; i++) runs.add(run(`run ${i}`, 1, 2, 3, 4, 100 + i));
  assert.is(runs.get(4)?.name, 'run 99');
  assert.is(runs.get(150), undefined);
  assert.equal(forms.of('a').get(1), form('beside'));
});

test('runs that nobody asks for are dropped first, others keep what no newer one has', () => {
  const forms = new DerivedForms(10_000);
  const runs = forms.runsOf<ReturnType<typeof run>>('rows');
  runs.add(run('asked for', 1, 2));
  runs.add(run('forgotten', 3));
  for (let revision = 10; revision < 100; revision++) {
    runs.add(run('filler', revision));
    assert.is(runs.get(2)?.name, 'asked for', `at ${revision}`);
  }
  assert.is(runs.get(1)?.name, 'asked for');
  assert.is(runs.get(3), undefined);
});

test.run();
