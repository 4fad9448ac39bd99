import { mock } from 'node:test';
import { setImmediate as round } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countAfterTimeout } from '../../runtime/chain/after-timeout.ts';
import type { ClientRequest } from '../../runtime/endpoints/request/client-request.ts';
import { newTimeout } from '../../runtime/status/status.ts';

const test = suite('what becomes of requests whose time is over');
const requestOf = (verb: string, measured = true) =>
  ({ info: { verb }, series: measured ? {} : undefined }) as unknown as Pick<ClientRequest, 'info' | 'series'>;

interface Row {
  readonly what: string;
  readonly request: ReturnType<typeof requestOf>;
  readonly end: (answered: PromiseWithResolvers<void>) => void;
  readonly counted: readonly string[];
}

const rows: readonly Row[] = [
  {
    what: 'a write that was made',
    request: requestOf('create'),
    end: ({ resolve }) => resolve(),
    counted: ['rest-handler ok', 'timeout-handler ok'],
  },
  {
    what: 'a write that gave up',
    request: requestOf('deletecollection'),
    end: ({ reject }) => reject(newTimeout('late')),
    counted: ['rest-handler error', 'timeout-handler ok'],
  },
  {
    what: 'a write that broke',
    request: requestOf('patch'),
    end: ({ reject }) => reject(new TypeError('x')),
    counted: ['rest-handler panic', 'timeout-handler panic'],
  },
  {
    what: 'a write that had not begun',
    request: requestOf('update', false),
    end: ({ reject }) => reject(newTimeout('late')),
    counted: ['timeout-handler ok'],
  },
  { what: 'a read', request: requestOf('list'), end: ({ resolve }) => resolve(), counted: ['timeout-handler ok'] },
];
for (const { what, request, end, counted } of rows)
  test(`${what} is counted once`, async () => {
    const told: string[] = [];
    const answered = Promise.withResolvers<void>();
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      countAfterTimeout(request, answered.promise, (source, status) => told.push(`${source} ${status}`));
      await round();
      assert.equal(told, []);
      end(answered);
      await round();
      mock.timers.tick(600_000);
      assert.equal(told, counted);
    } finally {
      mock.timers.reset();
    }
  });
test('a write without an end is pending after five minutes, and no other write after it has ended', async () => {
  const told: string[] = [];
  const answered = Promise.withResolvers<void>();
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    countAfterTimeout(requestOf('create'), answered.promise, (source, status) => told.push(`${source} ${status}`));
    mock.timers.tick(299_999);
    assert.equal(told, []);
    mock.timers.tick(1);
    assert.equal(told, ['rest-handler pending']);
    answered.resolve();
    await round();
    assert.equal(told, ['rest-handler pending', 'timeout-handler ok']);
  } finally {
    mock.timers.reset();
  }
});

test.run();
