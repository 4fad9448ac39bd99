/** What asking validating webhooks leaves behind for audit. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ValidatingDispatcher } from '../../../runtime/admission/webhooks/validating-dispatcher.ts';
import { NOBODY_WAITS } from '../../../runtime/status/nobody-waits.ts';
import { newTimeout } from '../../../runtime/status/status.ts';
import { ConversionWebhook } from '../../custom-resources/conversion/webhook.ts';
import { answering } from '../webhooked-server.ts';
import { type Asked, asking, parts } from './asking-dispatcher.ts';

const test = suite('what validating webhooks leave behind');
const webhook = new ConversionWebhook();
test.before(async () => {
  await webhook.start();
});
test.after(() => webhook.stop());

async function ask(asked: Asked) {
  const dispatcher = new ValidatingDispatcher(parts, undefined);
  const done = await asking(webhook, (candidates, attributes) => dispatcher.dispatch(candidates, attributes), asked);
  dispatcher.keep([]);
  return done;
}

const OVER = newTimeout('over');
const MAY_FAIL = { failurePolicy: 'Ignore' };
const PASSED_OVER = { 'failed-open.validating.webhook.admission.k8s.io/round_0_index_0': 'a.example.com' };
const rows: readonly { name: string; hook: object; reason?: Error; notes: object }[] = [
  { name: 'what the webhook notes', hook: {}, notes: { 'a.example.com/why': 'because' } },
  { name: 'nothing where the time of the request ends', hook: {}, reason: OVER, notes: {} },
  { name: 'that it ends while one is asked that may fail', hook: MAY_FAIL, reason: OVER, notes: PASSED_OVER },
  { name: 'nothing where the client goes, which is no failure of the webhook', hook: MAY_FAIL, reason: NOBODY_WAITS, notes: {} },
];
for (const { name, hook, reason, notes } of rows)
  test(`it is noted: ${name}`, async () => {
    const ending = new AbortController();
    webhook.reply = reason ? () => ending.abort(reason) : answering({ auditAnnotations: { why: 'because' } });
    const { notes: noted, thrown } = await ask({ hook, signal: ending.signal });
    assert.is(thrown, reason);
    assert.equal(noted, notes);
  });

test('one that is passed over is noted', async () => {
  const { notes, thrown } = await ask({ hook: { ...MAY_FAIL, clientConfig: { url: 'https://127.0.0.1:1/' } } });
  assert.is(thrown, undefined);
  assert.equal(notes, PASSED_OVER);
});

test.run();
