import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FiguresOfWorkers } from '../../runtime/main/figures-of-workers.ts';
import { FiguresOfOthers } from '../../runtime/main/other-figures.ts';
import type { Report } from '../../runtime/main/worker-protocol.ts';
import type { Figures } from '../../runtime/observability/figures.ts';

const test = suite('figures of workers');
const counted = (value: number): Figures => ({
  values: { apiserver_audit_event_total: [{ labels: {}, value }], apiserver_longrunning_requests: [{ labels: {}, value }] },
  histograms: {},
});
const events = (all: readonly Figures[]) => all.reduce((sum, { values }) => sum + (values.apiserver_audit_event_total?.[0]?.value ?? 0), 0);

/** Workers by name; those that answer do so at once. */
function supervisor(answers: Readonly<Record<string, number>>) {
  const asked: [worker: string, question: number][] = [];
  const figures: FiguresOfWorkers<string> = new FiguresOfWorkers((worker, question) => {
    asked.push([worker, question]);
    if (worker in answers) queueMicrotask(() => figures.answered(worker, question, counted(answers[worker] as number)));
  });
  return { figures, asked };
}

test('are those of all who answer', async () => {
  const { figures } = supervisor({ a: 1, b: 2 });
  assert.is(events(await figures.of(['a', 'b'])), 3);
  assert.is(events(await figures.of([])), 0);
});

test('do not wait for a worker that has died', async () => {
  const { figures, asked } = supervisor({ a: 1 });
  const all = figures.of(['a', 'b']);
  await Promise.resolve();
  assert.equal(
    asked.map(([worker]) => worker),
    ['a', 'b'],
  );
  figures.forget('b');
  assert.is(events(await all), 1);
});

test('do not wait for ever for one that is busy', async () => {
  const { figures, asked } = supervisor({ a: 1 });
  assert.is(events(await figures.of(['a', 'busy'])), 1);
  figures.answered('busy', asked[1]?.[1] as number, counted(5));
  assert.is(events(await figures.of(['a'])), 1, 'a late answer is none to another question');
});

test('that are set back leave nothing of workers that go, but for what has no labels', async () => {
  const labelled: Figures = { values: { apiserver_request_total: [{ labels: { verb: 'GET' }, value: 5 }] }, histograms: {} };
  const { figures, asked } = supervisor({});
  for (const worker of ['gone', 'going']) {
    const all = figures.of([worker]);
    await Promise.resolve();
    const { values } = counted(3);
    figures.answered(worker, asked.at(-1)?.[1] as number, { ...labelled, values: { ...labelled.values, ...values } });
    await all;
  }
  figures.forget('gone');
  const requests = (all: readonly Figures[]) => all.flatMap(({ values }) => values.apiserver_request_total ?? []);
  assert.is(requests(await figures.of([])).length, 1);
  figures.reset();
  figures.forget('going');
  const rest = await figures.of([]);
  assert.equal([requests(rest), events(rest)], [[], 6]);
});

test('keep what was counted by workers that are gone, and no gauges of theirs', async () => {
  const { figures } = supervisor({ a: 1, b: 2 });
  await figures.of(['a', 'b']);
  figures.forget('b');
  figures.forget('b');
  const all = await figures.of(['a']);
  assert.is(events(all), 3);
  assert.equal(
    all.flatMap(({ values }) => values.apiserver_longrunning_requests ?? []).map(({ value }) => value),
    [1],
  );
});

test('come to the worker that is asked', async () => {
  const told: Report[] = [];
  const others = new FiguresOfOthers((report) => told.push(report));
  const all = [others.ask(), others.ask()];
  assert.equal(told, [
    { report: 'askFigures', id: 1 },
    { report: 'askFigures', id: 2 },
  ]);
  others.answered(2, [counted(2)]);
  others.answered(1, [counted(1)]);
  others.answered(1, [counted(9)]);
  assert.equal((await Promise.all(all)).map(events), [1, 2]);
});

test('are left out where the supervisor does not answer', async () => {
  assert.equal(await new FiguresOfOthers(() => {}).ask(), []);
});

test.run();
