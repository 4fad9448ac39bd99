import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AnswerBursts } from '../../runtime/connections/answer-bursts.ts';

const test = suite('answers that leave together');

const round = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

class Ends {
  readonly names: string[] = [];
  now = 0;
  readonly #bursts = new AnswerBursts(() => this.now);

  leave(): void {
    this.#bursts.leave();
  }

  /** @returns what knows whether its client is gone */
  end(name: string): { destroyed: boolean } {
    const response = {
      destroyed: false,
      end: (whole: Buffer) => {
        assert.is(String(whole), `body of ${name}`);
        this.names.push(name);
      },
    };
    this.#bursts.end(response as never, Buffer.from(`body of ${name}`));
    return response;
  }
}

test('one that no other one is near leaves at once', async () => {
  const ends = new Ends();
  ends.end('a');
  assert.equal(ends.names, ['a']);
  ends.now += 0.1;
  ends.end('b');
  assert.equal(ends.names, ['a', 'b']);
  await round();
  assert.equal(ends.names, ['a', 'b']);
});

test('those right behind another one leave at the end of the round, in their order', async () => {
  const ends = new Ends();
  for (const name of ['a', 'b', 'c']) {
    ends.end(name);
    ends.now += 0.01;
  }
  ends.now += 1;
  ends.end('behind those that wait');
  assert.equal(ends.names, ['a']);
  await round();
  assert.equal(ends.names, ['a', 'b', 'c', 'behind those that wait']);
  ends.now += 1;
  ends.end('d');
  assert.is(ends.names.at(-1), 'd');
});

test('a client that is gone meanwhile gets nothing, the others do', async () => {
  const ends = new Ends();
  ends.end('a');
  const gone = ends.end('b');
  ends.end('c');
  gone.destroyed = true;
  await round();
  assert.equal(ends.names, ['a', 'c']);
});

test('those that wait leave when they are told to, once', async () => {
  const ends = new Ends();
  for (const name of ['a', 'b', 'c']) ends.end(name);
  ends.leave();
  assert.equal(ends.names, ['a', 'b', 'c']);
  ends.leave();
  await round();
  assert.equal(ends.names, ['a', 'b', 'c']);
});

test('many do not wait for the end of the round', async () => {
  const ends = new Ends();
  const names = Array.from({ length: 100 }, (_, i) => `${i}`);
  for (const name of names) ends.end(name);
  assert.ok(ends.names.length > 60, `${ends.names.length} have left`);
  await round();
  assert.equal(ends.names, names);
});

test.run();
