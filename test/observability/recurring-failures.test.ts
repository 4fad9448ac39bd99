/** Which failures are worth saying. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RecurringFailures } from '../../runtime/observability/recurring-failures.ts';

const test = suite('what goes on failing');
/** `what why` of attempts that fail, `what` alone of those that do not; whether each is worth saying. */
const rows: [name: string, attempts: [attempt: string, isNew?: boolean][]][] = [
  [
    'for the same reason',
    [
      ['a full', true],
      ['a full', false],
      ['a full', false],
    ],
  ],
  [
    'for another reason, and for the first one again',
    [
      ['a full', true],
      ['a slow', true],
      ['a full', true],
    ],
  ],
  ['after a success', [['a full', true], ['a'], ['a full', true]]],
  ['of two one succeeds', [['a full', true], ['b full', true], ['b'], ['a full', false], ['b full', true]]],
];
for (const [name, attempts] of rows)
  test(name, () => {
    const failures = new RecurringFailures();
    for (const [attempt, isNew] of attempts) {
      const [what = '', why] = attempt.split(' ');
      if (why === undefined) failures.succeeded(what);
      else assert.is(failures.isNew(what, new Error(why)), isNew, attempt);
    }
  });
test.run();
