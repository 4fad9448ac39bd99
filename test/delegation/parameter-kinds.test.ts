/** Which kinds of parameters an aggregated server follows, and what it says of those that it cannot follow. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Client } from '../../runtime/client/resources/client.ts';
import { ParameterKinds } from '../../runtime/delegation/parameter-kinds.ts';

const test = suite('kinds of parameters');

test('that cannot be followed are told of once, and nothing is kept of those that no policy names any more', async () => {
  const told: string[] = [];
  const request = () => Promise.reject(new Error('nobody answers'));
  const kinds = new ParameterKinds({ request } as unknown as Client, {
    warn: (fields: object) => void told.push(String((fields as { kind?: string }).kind)),
  });
  const keep = async (...names: string[]): Promise<void> => {
    kinds.keep(names.map((kind) => ({ apiVersion: 'example.com/v1', kind })));
    await kinds.looked();
  };
  await keep('Limit', 'Bound');
  await keep('Limit');
  assert.equal(told, ['Limit', 'Bound']);
  await keep('Limit', 'Bound');
  assert.equal(told, ['Limit', 'Bound', 'Bound']);
  await kinds.stop();
});

test.run();
