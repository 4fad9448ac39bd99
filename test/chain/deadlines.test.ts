import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Deadlines } from '../../runtime/chain/deadlines.ts';

const test = suite('deadlines');
// as a server's listener does: what looks at deadlines keeps no process alive
const alive = setInterval(() => {}, 1_000);
test.after(() => clearInterval(alive));

for (const [name, from] of [
  ['near', 1_000],
  ['far', 0],
] as const) {
  test(`${name} ones pass, once each`, async () => {
    const deadlines = new Deadlines(from);
    const passed: number[] = [];
    await new Promise<void>((resolve) => {
      for (const milliseconds of [20, 2, 10])
        deadlines.after(milliseconds, () => {
          passed.push(milliseconds);
          if (passed.length === 3) resolve();
        });
    });
    assert.equal(from === 0 ? passed.toSorted((a, b) => a - b) : passed, [2, 10, 20]);
    await new Promise<void>((resolve) => deadlines.after(1, resolve));
    assert.is(passed.length, 3);
  });

  test(`${name} ones are waited for until none is left, whether they pass or are called off`, async () => {
    const deadlines = new Deadlines(from);
    await deadlines.none(0);
    const order: string[] = [];
    const kept = deadlines.after(600_000, () => assert.unreachable());
    deadlines.after(1, () => {
      order.push('passed');
      deadlines.callOff(kept);
      deadlines.callOff(kept);
    });
    await deadlines.none(60_000);
    order.push('none');
    assert.equal(order, ['passed', 'none']);
    const last = deadlines.after(600_000, () => assert.unreachable());
    await deadlines.none(1);
    order.push('enough');
    deadlines.callOff(last);
    assert.equal(order, ['passed', 'none', 'enough']);
  });

  test(`${name} ones that are called off do not pass`, async () => {
    const deadlines = new Deadlines(from);
    const passed: string[] = [];
    const first = deadlines.after(1, () => passed.push('called off'));
    await new Promise<void>((resolve) => {
      deadlines.after(2, () => {
        passed.push('kept');
        resolve();
      });
      deadlines.callOff(first);
    });
    assert.equal(passed, ['kept']);
  });
}

test('a far one does not pass before its time', async () => {
  const deadlines = new Deadlines(0);
  const begun = performance.now();
  let took = 0;
  await new Promise<void>((resolve) => {
    deadlines.after(700, () => {
      took = performance.now() - begun;
      resolve();
    });
    // keeps the looks going
    deadlines.after(1, () => {});
  });
  assert.ok(took >= 700, `${took} ms`);
});

test.run();
