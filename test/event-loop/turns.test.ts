import { setImmediate as round } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Beginnings, eachInTurns, firstTurn, inTurns, turn } from '../../runtime/event-loop/turns.ts';

const test = suite('turns');

/** Work in pieces, which notes when each one runs. */
async function work(name: string, pieces: number, log: string[]): Promise<void> {
  for (let i = 0; i < pieces; i++) {
    await turn();
    log.push(`${name}${i}`);
  }
}

test('come one after the other, and round again', async () => {
  const log: string[] = [];
  await Promise.all(['a', 'b', 'c'].map((name) => work(name, 2, log)));
  assert.equal(log, ['a0', 'b0', 'c0', 'a1', 'b1', 'c1']);
});

test('of requests that begin come behind one piece of other work each', async () => {
  const log: string[] = [];
  const long = ['a', 'b', 'c', 'd'].map((name) => work(name, 1, log));
  const begins = ['x', 'y'].map((name) => firstTurn().then(() => log.push(name)));
  await Promise.all([...long, ...begins]);
  assert.is(log.length, 6);
  assert.ok(log.indexOf('x') <= 1 && log.indexOf('y') <= 3, log.join());
});

/** More than there is time for in a round. */
function hold(): void {
  const until = performance.now() + 5;
  while (performance.now() < until);
}

test('leave each round of the event loop to one long piece of all work', async () => {
  let done = 0;
  const long = async (): Promise<void> => {
    for (let i = 0; i < 2; i++) {
      await turn();
      hold();
      done++;
    }
  };
  const all = Promise.all(Array.from({ length: 20 }, long));
  while (done < 40) {
    const before = done;
    await round();
    assert.ok(done - before <= 1, `${done - before} pieces in one round`);
  }
  await all;
});

test('are many in a round where they are short', async () => {
  let rounds = 0;
  let done = false;
  const log: string[] = [];
  const count = (async () => {
    for (let before = 0; !done; before = log.length) {
      await round();
      // those between which nothing runs, for others want the processor, are not counted
      if (log.length > before) rounds++;
    }
  })();
  await Promise.all(Array.from({ length: 10 }, () => work('', 100, log)));
  done = true;
  await count;
  assert.ok(rounds > 0);
  assert.ok(rounds < 100, `${rounds} rounds for 1,000 pieces`);
});

test('begin in a later round', async () => {
  const log: string[] = [];
  const one = work('a', 1, log);
  await Promise.resolve();
  await new Promise<void>((resolve) => process.nextTick(resolve));
  assert.equal(log, []);
  await one;
  await work('b', 1, log);
  assert.equal(log, ['a0', 'b0']);
});

test('leave others most of the round in which much work begins', async () => {
  let steps = 0;
  function* long(): Generator<void, void, void> {
    for (let step = 0; step < 3; step++) {
      const until = performance.now() + 1;
      while (performance.now() < until);
      steps++;
      yield;
    }
  }
  const all = Promise.all(Array.from({ length: 10 }, () => inTurns(long())));
  assert.is(steps, 10);
  await all;
  assert.is(steps, 30);
});

test('a beginning that comes alone takes place at once', async () => {
  const beginnings = new Beginnings();
  for (let times = 0; times < 40; times++) {
    assert.is(beginnings.next(), undefined);
    await round();
  }
});

for (const [name, begin] of [
  ['take long', hold],
  ['take long only later', () => {}],
] as const)
  test(`of many beginnings that ${name} few take place at once, and all in their order`, async () => {
    const beginnings = new Beginnings();
    const log: number[] = [];
    const start = async (index: number): Promise<void> => {
      const waits = beginnings.next();
      if (waits !== undefined) await waits;
      begin();
      log.push(index);
    };
    const all = Array.from({ length: 100 }, (_, index) => start(index));
    assert.ok(log.length >= 1 && log.length <= 32, `${log.length} took place`);
    const before = log.length;
    await round();
    await round();
    if (begin === hold) assert.ok(log.length <= before + 2, `${log.length} took place`);
    await Promise.all(all);
    assert.equal(
      log,
      all.map((_, index) => index),
    );
  });

test('few items are worked on at once', () => {
  const done: [string, number][] = [];
  assert.is(
    eachInTurns(['a', 'b'], (item, index) => done.push([item, index])),
    undefined,
  );
  assert.equal(done, [
    ['a', 0],
    ['b', 1],
  ]);
  assert.is(
    eachInTurns([], () => assert.unreachable()),
    undefined,
  );
});

test('items that take long are worked on in their order, and others come in between', async () => {
  const done: number[] = [];
  const working = eachInTurns([0, 1, 2], (item) => {
    hold();
    done.push(item);
  });
  assert.equal(done, [0]);
  await round();
  assert.ok(done.length < 3);
  await working;
  assert.equal(done, [0, 1, 2]);
});

test('an item that fails ends it', async () => {
  const fail = (item: number): void => {
    hold();
    if (item === 1) throw new Error('one');
    assert.is(item, 0);
  };
  assert.is(await eachInTurns([0, 1, 2], fail)?.catch((error) => error.message), 'one');
  assert.throws(() => eachInTurns([1], fail), /^one$/);
});

test.run();
