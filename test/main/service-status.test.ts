import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ServiceStatus } from '../../runtime/main/service-status.ts';

const test = suite('the status of a service');
const told: string[] = [];
const status = (): ServiceStatus => {
  told.length = 0;
  const manager = {
    ready: (text: string) => void told.push(`ready: ${text}`),
    reloading: () => void told.push('reloading'),
    status: (text: string) => void told.push(text),
  };
  return new ServiceStatus(manager, 'https://x');
};

test('has how many worker processes answer as long as some do not, and tells no change that is none', () => {
  const of = status();
  for (const answering of [3, 2, 2, 0, 1, 3, 3]) of.workers({ answering, count: 3 });
  assert.equal(told, [
    'ready: serves at https://x',
    'serves at https://x; 2 of 3 worker processes answer, the others are started again',
    'serves at https://x; 0 of 3 worker processes answer, the others are started again',
    'serves at https://x; 1 of 3 worker processes answer, the others are started again',
    'serves at https://x',
  ]);
});

test('has what became of files that were read again, then and later', () => {
  const of = status();
  of.reading();
  of.read({ changed: 2, failed: 0 });
  of.workers({ answering: 1, count: 2 });
  of.reading();
  of.read({ changed: 2, failed: 1 });
  of.workers({ answering: 2, count: 2 });
  const workers = '; 1 of 2 worker processes answer, the others are started again';
  const wrong = '; files that are wrong and not used: 1, the log says why';
  assert.equal(told, [
    'ready: serves at https://x',
    'reloading',
    'ready: serves at https://x; files that have changed: 2',
    `serves at https://x${workers}; files that have changed: 2`,
    'reloading',
    `ready: serves at https://x${workers}${wrong}`,
    `serves at https://x${wrong}`,
  ]);
});

test('does not take the place of the news that files are read: what changes meanwhile is told behind it', () => {
  const of = status();
  of.reading();
  of.workers({ answering: 1, count: 2 });
  assert.is(told.at(-1), 'reloading');
  of.read({ changed: 0, failed: 0 });
  assert.is(
    told.at(-1),
    'ready: serves at https://x; 1 of 2 worker processes answer, the others are started again; files that have changed: 0',
  );
});

test.run();
