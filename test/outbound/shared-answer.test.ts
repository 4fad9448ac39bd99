import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SharedAnswer } from '../../runtime/outbound/shared-answer.ts';

const test = suite('answers that several wait for');

function question() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asked: AbortSignal[] = [];
  const answer = new SharedAnswer((signal) => {
    asked.push(signal);
    return promise;
  });
  return { answer, asked, resolve, reject };
}
const outcome = (waiting: Promise<string>): Promise<string> =>
  waiting.then(
    (text) => text,
    ({ message }) => `no: ${message}`,
  );

test('all get it, and it is asked for once', async () => {
  const { answer, asked, resolve } = question();
  const all = [answer.wait(), answer.wait({ signal: new AbortController().signal }), answer.wait()];
  resolve('yes');
  assert.equal(await Promise.all(all), ['yes', 'yes', 'yes']);
  assert.is(asked.length, 1);
});

test('who leaves is told why, and the others wait on', async () => {
  const { answer, resolve } = question();
  const leaving = new AbortController();
  const [left, stays] = [outcome(answer.wait(leaving)), outcome(answer.wait({ signal: new AbortController().signal }))];
  leaving.abort(new Error('gone'));
  assert.is(await left, 'no: gone');
  assert.not(answer.isGivenUp);
  resolve('yes');
  assert.is(await stays, 'yes');
});

test('it is given up when the last has left, and not while somebody waits to the end', async () => {
  for (const waitsToTheEnd of [false, true]) {
    const { answer, asked } = question();
    const leaving = [new AbortController(), new AbortController()];
    const all = leaving.map((each) => outcome(answer.wait(each)));
    if (waitsToTheEnd) void answer.wait();
    for (const each of leaving) each.abort(new Error('gone'));
    assert.equal(await Promise.all(all), ['no: gone', 'no: gone']);
    assert.equal([answer.isGivenUp, asked[0]?.aborted], [!waitsToTheEnd, !waitsToTheEnd]);
  }
});

test('who has left already does not wait', async () => {
  const { answer } = question();
  assert.is(await outcome(answer.wait({ signal: AbortSignal.abort(new Error('gone')) })), 'no: gone');
  assert.ok(answer.isGivenUp);
});

test('an answer that is there is given without a look at the signal', async () => {
  const { answer, resolve } = question();
  resolve('yes');
  await answer.wait();
  const untouched = {
    get signal(): AbortSignal {
      throw new Error('nobody needs it');
    },
  };
  assert.is(await answer.wait(untouched), 'yes');
});

test('a failure is told to all who wait, and to who only wants to know of it', async () => {
  const { answer, reject } = question();
  const failed = new Promise<void>((resolve) => answer.whenFailed(resolve));
  const waiting = outcome(answer.wait());
  reject(new Error('broken'));
  assert.is(await waiting, 'no: broken');
  await failed;
});

test.run();
