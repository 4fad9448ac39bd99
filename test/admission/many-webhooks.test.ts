/** A thousand webhooks that a request is not for: what they take of the processor, beside what the request takes itself. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asked, askingWebhooks, configure, hook, request } from './webhooked-server.ts';

const test = suite('a thousand webhooks that do not match');
askingWebhooks(test);

const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
/** One of each ten does not match by its rules, the others by what they select. */
const unmatched = (index: number): object => {
  const name = `webhook-${index}.example.com`;
  const labels = { matchLabels: { team: `team-${index}` } };
  const expressions = { matchExpressions: [{ key: 'app', operator: 'In', values: [`app-${index}`, 'other'] }] };
  if (index % 10 === 0) return hook({ name, rules: [{ ...RULE, resources: [`things-${index}`] }] });
  if (index % 2 === 0) return hook({ name, rules: [RULE], namespaceSelector: labels });
  return hook({ name, rules: [RULE], objectSelector: index % 3 === 0 ? labels : expressions });
};

const WEBHOOKS = 1_000;
/** in one configuration */
const CONFIGURED = 100;
const LIMIT = 2.5;
const BATCH = 40;
const BATCHES = 9;
const PATHS = ['/api/v1/namespaces/default/secrets', '/api/v1/namespaces/default/configmaps'] as const;

/** @returns microseconds of the processor for one create */
async function creating(path: string): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < BATCH; i++) {
    const { status, body } = await request('POST', path, { metadata: { generateName: 'made-', labels: { app: 'web' } } });
    assert.is(status, 201, JSON.stringify(body));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / BATCH;
}

test('cost a request little beside what it costs itself', async () => {
  for (const kind of ['Mutating', 'Validating'] as const)
    for (let first = 0; first < WEBHOOKS / 2; first += CONFIGURED)
      await configure(kind, ...Array.from({ length: CONFIGURED }, (_, index) => unmatched(first + index)));
  for (const path of PATHS) await creating(path);
  const ratios: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const without = await creating(PATHS[0]);
    ratios.push((await creating(PATHS[1])) / without);
  }
  assert.equal(asked(), []);
  const middle = ratios.sort((a, b) => a - b)[BATCHES >> 1] as number;
  // it is 1.3 where nothing else runs; what is done for each webhook beyond a look at its labels is many times that
  assert.ok(middle < LIMIT, `a create of a config map takes ${middle} of what one of a secret takes`);
});

test.run();
