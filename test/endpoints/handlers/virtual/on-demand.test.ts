import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { onDemand } from '../../../../runtime/endpoints/handlers/virtual/on-demand.ts';
import type { Handler, ResourceRequest } from '../../../../runtime/endpoints/resource-request.ts';

const test = suite('handlers that are loaded when they are asked for');
const request = {} as ResourceRequest;

test('are loaded with the first request, and then handed every one', async () => {
  const asked: string[] = [];
  const loaded: Handler = async () => void asked.push('handled');
  const handler = onDemand(async () => {
    asked.push('loaded');
    return loaded;
  });
  assert.equal(asked, []);
  await handler(request);
  await handler(request);
  assert.equal(asked, ['loaded', 'handled', 'handled']);
});

test('are asked for again where loading has failed', async () => {
  let attempts = 0;
  const handler = onDemand(async () => {
    if (++attempts === 1) throw new Error('no module');
    return async () => {};
  });
  assert.is(
    await handler(request).then(
      () => 'handled',
      ({ message }) => message,
    ),
    'no module',
  );
  await handler(request);
  assert.is(attempts, 2);
});

test.run();
