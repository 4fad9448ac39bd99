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
