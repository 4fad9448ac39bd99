import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExchangeAnswer, ExchangeError, ExchangeTimeout } from '../../runtime/outbound/exchange.ts';
import { repeatedWhenAsked, withRetries } from '../../runtime/outbound/retries.ts';

const answer = (status: number, headers = {}): ExchangeAnswer => ({ status, headers, body: Buffer.alloc(0) });
const broken = (code: string): ExchangeError => new ExchangeError(code, { cause: Object.assign(new Error(code), { code }) });

const test = suite('questions that are repeated');
// nobody is kept alive by waiting for another attempt
const alive = setInterval(() => {}, 1_000);
test.after(() => clearInterval(alive));
const rows: [outcome: ExchangeAnswer | Error, attempts: number][] = [
  [answer(200), 1],
  [answer(403), 1],
  [answer(429), 3],
  [answer(500), 3],
  [answer(502), 1],
  [answer(503), 1],
  [answer(503, { 'retry-after': '1' }), 3],
  [answer(504), 3],
  [broken('ECONNRESET'), 3],
  [broken('ECONNREFUSED'), 1],
  [broken('ENOTFOUND'), 1],
  [new ExchangeTimeout('late'), 1],
  [new ExchangeError('too long'), 1],
];
for (const [outcome, attempts] of rows)
  for (const always of [false, true]) {
    const what = outcome instanceof Error ? outcome.message : `${outcome.status} ${JSON.stringify(outcome.headers)}`;
    const isAnswer = !(outcome instanceof Error);
    // who repeats always says of every answer by an error that it is none
    const expected = always && !isAnswer ? 3 : attempts;
    test(`${what}: ${expected} attempts${always ? ', of who repeats always' : ''}`, async () => {
      let made = 0;
      const attempt = async (): Promise<ExchangeAnswer> => {
        made++;
        if (outcome instanceof Error) throw outcome;
        return outcome;
      };
      const got = await withRetries(attempt, { attempts: 3, wait: 1, always }).catch((error: unknown) => error);
      assert.is(got, outcome);
      assert.is(made, expected);
    });
  }
test('are no faults of our own', async () => {
  let made = 0;
  const fault = new Error('fault');
  const attempt = async (): Promise<ExchangeAnswer> => {
    made++;
    throw fault;
  };
  assert.is(await withRetries(attempt, { attempts: 3, wait: 1, always: true }).catch((error: unknown) => error), fault);
  assert.is(made, 1);
});
test('end with the first that succeeds', async () => {
  const outcomes = [answer(500), answer(429), answer(200), answer(500)];
  assert.is((await withRetries(async () => outcomes.shift() as ExchangeAnswer, { attempts: 5, wait: 1 })).status, 200);
  assert.is(outcomes.length, 1);
});
test('end between two attempts where nobody waits', async () => {
  const ending = new AbortController();
  const reason = new Error('nobody waits');
  const asking = withRetries(async () => answer(500), { attempts: 5, wait: 60_000 }, ending.signal).catch((error: unknown) => error);
  setTimeout(() => ending.abort(reason), 10);
  assert.ok((await asking) instanceof Error);
});

const asked: [outcome: ExchangeAnswer, attempts: number][] = [
  [answer(200, { 'retry-after': '0' }), 1],
  [answer(404, { 'retry-after': '0' }), 1],
  [answer(429), 1],
  [answer(429, { 'retry-after': 'soon' }), 1],
  [answer(429, { 'retry-after': '0' }), 11],
  [answer(500, { 'retry-after': '-1' }), 11],
  [answer(503), 1],
];
for (const [outcome, attempts] of asked)
  test(`${outcome.status} ${JSON.stringify(outcome.headers)}: ${attempts} attempts where only the answer asks for them`, async () => {
    let made = 0;
    const attempt = async (): Promise<ExchangeAnswer> => {
      made++;
      return outcome;
    };
    assert.is(await repeatedWhenAsked(attempt, 10_000), outcome);
    assert.is(made, attempts);
  });
test('end when their time is over, or with their signal', async () => {
  const later = async (): Promise<ExchangeAnswer> => answer(503, { 'retry-after': '60' });
  assert.instance(await repeatedWhenAsked(later, 10).catch((error: unknown) => error), ExchangeTimeout);
  const reason = new Error('nobody waits');
  const ending = new AbortController();
  setTimeout(() => ending.abort(reason), 10);
  assert.is(await repeatedWhenAsked(later, 60_000, ending.signal).catch((error: unknown) => error), reason);
});
test('are not asked again in what is left of their time where the timer ends before it', async () => {
  const { now } = performance;
  const times = [0, 0, 9.5];
  let made = 0;
  const later = async (): Promise<ExchangeAnswer> => {
    made++;
    return answer(503, { 'retry-after': '60' });
  };
  performance.now = () => times.shift() ?? 10;
  try {
    assert.instance(await repeatedWhenAsked(later, 10).catch((error: unknown) => error), ExchangeTimeout);
  } finally {
    performance.now = now;
  }
  assert.is(made, 1);
});
test.run();
