import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderStatus } from '../../runtime/chain/error-answers.ts';
import { newNotFound } from '../../runtime/status/status.ts';
import { StorageEnded, ValueDamaged } from '../../runtime/storage/errors.ts';

const test = suite('errors of requests');

/** What is recorded of a request whose handler throws. */
async function recorded(error: unknown): Promise<string[]> {
  const told: string[] = [];
  const sent = new Error('the answer is not looked at');
  const negotiator = {
    forErrors: () => {
      throw sent;
    },
  };
  const counter = () => ({ inc: () => {} });
  const registry = { current: { storedAt: () => undefined } };
  const server = { log: { error: () => {} }, metrics: { counter }, registry, negotiator };
  const context = { req: { headers: {} }, res: {}, method: 'GET', path: '/' } as unknown as Context;
  const answering = renderStatus(server as never)(context, async () => {
    const request = context.state as { user: unknown; recorder: unknown };
    request.user = {};
    request.recorder = {
      failed: () => told.push('panic'),
      outcome: ({ code }: { readonly code: number }) => told.push(`${code}`),
      answers: () => {},
      handled: () => told.push('handled'),
    };
    throw error;
  });
  await answering.catch((failure) => assert.is(failure, sent));
  return told;
}

for (const [name, error, events] of [
  ['a refusal is the outcome', newNotFound({ group: '', resource: 'pods' }, 'p'), ['404', 'handled']],
  ['a damaged value is the outcome, and no panic', new ValueDamaged('pods/a/p', 1, 'short'), ['500', 'handled']],
  ['a store that has ended is the outcome, and no panic', new StorageEnded('gone'), ['503', 'handled']],
  ['a path that cannot be read is the outcome, and no panic', new URIError('x'), ['400', 'handled']],
  ['a fault of ours is a panic', new TypeError('x'), ['panic', '500', 'handled']],
] as const)
  test(name, async () => assert.equal(await recorded(error), events));

test.run();
