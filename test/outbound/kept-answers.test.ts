/** Answers hold for their time, and for no longer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeptAnswers } from '../../runtime/outbound/kept-answers.ts';
import { HOUR, withMachineClock } from '../harness/machine-clock.ts';

const test = suite('kept answers');
const TTL = 300_000;
for (const hours of [-6, 0, 6])
  test(`hold for their time where the clock is set by ${hours} hours`, () =>
    withMachineClock((clock) => {
      const answers = new KeptAnswers<string>(10);
      answers.set('question', 'answer', TTL);
      clock.set(hours * HOUR);
      clock.pass(TTL / 2);
      assert.is(answers.get('question'), 'answer');
      clock.pass(TTL / 2);
      assert.is(answers.get('question'), undefined);
    }));
test('make room for newer ones', () => {
  const answers = new KeptAnswers<number>(2);
  for (const each of [1, 2, 3]) answers.set(String(each), each, TTL);
  answers.set('none', 4, 0);
  assert.equal(
    ['1', '2', '3', 'none'].map((question) => answers.get(question)),
    [undefined, 2, 3, undefined],
  );
});
test.run();
