/** What is counted of webhooks, through a whole server that shows it at /metrics. */
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  answering,
  askingWebhooks,
  CONFIG_MAPS,
  configMap,
  configure,
  create,
  hook,
  leave,
  metricsText,
  patchOf,
  request,
  webhook,
} from '../webhooked-server.ts';

const test = suite('figures of webhooks');
askingWebhooks(test);

/** The lines of figures about webhooks of a name, but for the times. */
async function figures(name: string): Promise<string[]> {
  const text = await metricsText();
  return text
    .split('\n')
    .filter((line) => line.includes(`name="${name}"`) && !/_(?:bucket|sum)\{/.test(line))
    .map((line) => line.replace('apiserver_admission_', '').replace(`name="${name}",`, ''))
    .sort();
}

interface Row {
  readonly name: string;
  readonly kind: 'Mutating' | 'Validating';
  readonly others?: object;
  readonly reply: Parameters<typeof answering>[0] | 'closes' | 'fails';
  readonly figures: readonly string[];
}
const row = (type: string, rejected: boolean, code: number): string[] => [
  `webhook_admission_duration_seconds_count{operation="CREATE",rejected="${rejected}",type="${type}"} 1`,
  `webhook_request_total{code="${code}",operation="CREATE",rejected="${rejected}",type="${type}"} 1`,
];
const refusal = (type: string, error: string, code: number): string =>
  `webhook_rejection_count{error_type="${error}",operation="CREATE",rejection_code="${code}",type="${type}"} 1`;
const condition = (expression: string) => ({ matchConditions: [{ name: 'a', expression }] });
const CONDITION = '{kind="webhook",operation="CREATE",type="validating"} 1';
const rows: readonly Row[] = [
  { name: 'allows', kind: 'Validating', reply: {}, figures: row('validating', false, 200) },
  {
    name: 'refuses',
    kind: 'Validating',
    reply: { allowed: false, status: { code: 403 } },
    figures: [...row('validating', true, 403), refusal('validating', 'no_error', 403)],
  },
  {
    name: 'is-not-there',
    kind: 'Validating',
    reply: 'closes',
    figures: [...row('validating', true, 503), refusal('validating', 'calling_webhook_error', 503)],
  },
  {
    name: 'fails',
    kind: 'Mutating',
    reply: 'fails',
    figures: [...row('admit', true, 500), refusal('admit', 'calling_webhook_error', 500)],
  },
  {
    name: 'may-fail',
    kind: 'Mutating',
    others: { failurePolicy: 'Ignore' },
    reply: 'closes',
    figures: [...row('admit', false, 503), 'webhook_fail_open_count{type="admit"} 1'],
  },
  {
    name: 'patches-wrongly',
    kind: 'Mutating',
    reply: patchOf([{ op: 'remove', path: '/none' }]),
    figures: [...row('admit', true, 0), refusal('admit', 'apiserver_internal_error', 0)],
  },
  {
    name: 'is-kept-out',
    kind: 'Validating',
    others: condition('false'),
    reply: {},
    figures: [`match_condition_evaluation_seconds_count${CONDITION}`, `match_condition_exclusions_total${CONDITION}`],
  },
  {
    name: 'has-a-wrong-condition',
    kind: 'Validating',
    others: condition('object.x == 1'),
    reply: {},
    figures: [`match_condition_evaluation_errors_total${CONDITION}`, `match_condition_evaluation_seconds_count${CONDITION}`],
  },
];
for (const { name, kind, others, reply, figures: expected } of rows)
  test(name, async () => {
    await configure(kind, hook({ name: `${name}.example.com`, ...others }));
    webhook.reply =
      reply === 'closes'
        ? (_review, response) => void response.destroy()
        : reply === 'fails'
          ? (_review, response) => void response.writeHead(500).end()
          : answering(reply);
    await create(name);
    assert.equal(await figures(`${name}.example.com`), [...expected].sort());
  });

test('a request whose time is used up', async () => {
  await configure('Validating', hook({ name: 'hangs.example.com' }));
  webhook.reply = () => {};
  assert.is((await request('POST', `${CONFIG_MAPS}?timeout=1s`, configMap('a'))).status, 504);
  assert.equal(
    await figures('hangs.example.com'),
    [...row('validating', true, 503), refusal('validating', 'calling_webhook_error', 503)].sort(),
  );
});

for (const [kind, type] of [
  ['Mutating', 'admit'],
  ['Validating', 'validating'],
] as const)
  for (const failurePolicy of ['Fail', 'Ignore'])
    test(`a ${kind.toLowerCase()} webhook whose client goes meanwhile has failed nobody: ${failurePolicy}`, async () => {
      const name = `${kind}-${failurePolicy}.example.com`.toLowerCase();
      await configure(kind, hook({ name, failurePolicy }));
      const going = new AbortController();
      webhook.reply = () => going.abort();
      await leave(configMap('a'), going.signal);
      const expected = row(type, failurePolicy === 'Fail', 503).sort();
      for (let i = 0; i < 100 && (await figures(name)).length < expected.length; i++) await setTimeout(10);
      assert.equal(await figures(name), expected);
    });

test.run();
