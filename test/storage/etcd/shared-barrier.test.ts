import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SharedBarrier } from '../../../runtime/storage/etcd/shared-barrier.ts';
import { rejection } from '../contract/store.ts';

const shared = suite('a barrier that is shared');

/** Questions that a test answers, in the order in which they were asked. */
function questions() {
  const asked: PromiseWithResolvers<void>[] = [];
  const barrier = new SharedBarrier(() => {
    const question = Promise.withResolvers<void>();
    asked.push(question);
    return question.promise;
  });
  return { asked, barrier };
}

/** Lets promises that are settled go on. */
const turn = () => new Promise(setImmediate);

shared('who comes first asks at once', async () => {
  const { asked, barrier } = questions();
  const passed = barrier.pass();
  assert.is(asked.length, 1);
  asked[0]?.resolve();
  await passed;
  const again = barrier.pass();
  assert.is(asked.length, 2);
  asked[1]?.resolve();
  await again;
});

shared('all who come while a question is under way share the next one, and never that one', async () => {
  const { asked, barrier } = questions();
  const passed: string[] = [];
  const pass = (who: string) => barrier.pass().then(() => void passed.push(who));
  const all = [pass('first'), pass('second'), pass('third')];
  await turn();
  assert.is(asked.length, 1);
  asked[0]?.resolve();
  await turn();
  assert.equal(passed, ['first']);
  assert.is(asked.length, 2);
  all.push(pass('fourth'));
  asked[1]?.resolve();
  await turn();
  assert.equal(passed, ['first', 'second', 'third']);
  assert.is(asked.length, 3);
  asked[2]?.resolve();
  await Promise.all(all);
});

shared('an error is told to those who share the question, and to nobody else', async () => {
  const { asked, barrier } = questions();
  const [first, second, third] = [barrier.pass(), barrier.pass(), barrier.pass()];
  const failed = rejection(first);
  asked[0]?.reject(new Error('away'));
  assert.is(((await failed) as Error).message, 'away');
  await turn();
  assert.is(asked.length, 2);
  const both = Promise.all([rejection(second), rejection(third)]);
  asked[1]?.reject(new Error('still away'));
  for (const error of await both) assert.is((error as Error).message, 'still away');
  await turn();
  assert.is(asked.length, 2);
  const passed = barrier.pass();
  asked[2]?.resolve();
  await passed;
});

shared('whoever comes, whenever, passes by a question that was asked later', async () => {
  let clock = 0;
  const barrier = new SharedBarrier(async () => {
    const askedAt = ++clock;
    for (let i = askedAt % 4; i > 0; i--) await Promise.resolve();
    if (askedAt % 5 === 0) throw new Error('away');
    answered.push(askedAt);
  });
  const answered: number[] = [];
  const come = async (): Promise<void> => {
    const cameAt = clock;
    const error = await barrier.pass().catch((thrown: Error) => thrown);
    assert.ok(error !== undefined || (answered.at(-1) ?? 0) > cameAt, `it came at ${cameAt} and passed by ${answered.at(-1)}`);
  };
  const all: Promise<void>[] = [];
  for (let i = 0; i < 500; i++) {
    all.push(come());
    for (let j = i % 7; j > 0; j--) await Promise.resolve();
  }
  await Promise.all(all);
  assert.ok(clock > 10 && clock < 501, String(clock));
});

shared.run();
