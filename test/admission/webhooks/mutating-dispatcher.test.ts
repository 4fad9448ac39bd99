/** What asking mutating webhooks leaves behind for audit, and which changes count. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Rounds } from '../../../runtime/admission/request/rounds.ts';
import { MutatingDispatcher } from '../../../runtime/admission/webhooks/mutating-dispatcher.ts';
import { NOBODY_WAITS } from '../../../runtime/status/nobody-waits.ts';
import { newTimeout } from '../../../runtime/status/status.ts';
import { ConversionWebhook } from '../../custom-resources/conversion/webhook.ts';
import { answering, patchOf } from '../webhooked-server.ts';
import { type Asked, asking, parts } from './asking-dispatcher.ts';

const test = suite('what mutating webhooks leave behind');
const webhook = new ConversionWebhook();
test.before(async () => {
  await webhook.start();
});
test.after(() => webhook.stop());

/** @throws what the dispatcher throws, but for the reason of the request's signal */
async function ask({ rounds = new Rounds(), ...asked }: Asked & { readonly rounds?: Rounds }) {
  const dispatcher = new MutatingDispatcher(parts, undefined);
  const done = await asking(webhook, (candidates, attributes) => dispatcher.dispatch(candidates, attributes, rounds), asked);
  dispatcher.keep([]);
  if (done.thrown !== asked.signal?.reason) throw done.thrown;
  return done;
}

const NAMED = { configuration: 'hooks', webhook: 'a.example.com' };

test('a patch is noted with who made it, at its place among all webhooks', async () => {
  const patch = [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }];
  webhook.reply = answering({ ...patchOf(patch), auditAnnotations: { why: 'because', 'no name at all': 'x' } });
  const { notes, object } = await ask({ index: 3 });
  assert.equal(notes, {
    'a.example.com/why': 'because',
    'patch.webhook.admission.k8s.io/round_0_index_3': { ...NAMED, patch, patchType: 'JSONPatch' },
    'mutation.webhook.admission.k8s.io/round_0_index_3': { ...NAMED, mutated: true },
  });
  // as in 1.32, where what is sent is not recorded either
  assert.equal((await ask({ index: 3, isRecordedWhole: false })).notes, {
    'a.example.com/why': 'because',
    'mutation.webhook.admission.k8s.io/round_0_index_3': { ...NAMED, mutated: true },
  });
  assert.equal(object.metadata.labels, { a: 'b' });
});

test('a patch is noted as Go writes JSON: members of operations are sorted, those of values are not', async () => {
  const patch = [{ value: { z: '<&>', a: 'b' }, path: '/metadata/annotations', op: 'add' }];
  webhook.reply = answering(patchOf(patch));
  const { texts } = await ask({});
  assert.is(
    texts['patch.webhook.admission.k8s.io/round_0_index_0'],
    '{"configuration":"hooks","webhook":"a.example.com","patch":[{"op":"add","path":"/metadata/annotations","value":{"z":"\\u003c\\u0026\\u003e","a":"b"}}],"patchType":"JSONPatch"}',
  );
});

test('that nothing was changed is noted as well, with the round', async () => {
  webhook.reply = answering({});
  assert.equal((await ask({})).notes, { 'mutation.webhook.admission.k8s.io/round_0_index_0': { ...NAMED, mutated: false } });
  const rounds = new Rounds();
  webhook.reply = answering(patchOf([{ op: 'test', path: '/metadata/name', value: 's' }]));
  await ask({ hook: { reinvocationPolicy: 'IfNeeded' }, rounds });
  assert.not(rounds.next());
});

test('one that is passed over is noted', async () => {
  const { notes } = await ask({ hook: { clientConfig: { url: 'https://127.0.0.1:1/' }, failurePolicy: 'Ignore' } });
  assert.equal(notes, {
    'failed-open.mutation.webhook.admission.k8s.io/round_0_index_0': 'a.example.com',
    'mutation.webhook.admission.k8s.io/round_0_index_0': { ...NAMED, mutated: false },
  });
});

const NOT_MUTATED = { 'mutation.webhook.admission.k8s.io/round_0_index_0': { ...NAMED, mutated: false } };
const PASSED_OVER = { 'failed-open.mutation.webhook.admission.k8s.io/round_0_index_0': 'a.example.com' };
const ends: readonly { name: string; hook: object; reason: Error; notes: object }[] = [
  { name: 'that the time of the request ends', hook: {}, reason: newTimeout('over'), notes: NOT_MUTATED },
  {
    name: 'that it ends while one is asked that may fail',
    hook: { failurePolicy: 'Ignore' },
    reason: newTimeout('over'),
    notes: { ...NOT_MUTATED, ...PASSED_OVER },
  },
  {
    name: 'that the client goes, which is no failure of the webhook',
    hook: { failurePolicy: 'Ignore' },
    reason: NOBODY_WAITS,
    notes: NOT_MUTATED,
  },
];
for (const { name, hook, reason, notes } of ends)
  test(`it is noted ${name}`, async () => {
    const ending = new AbortController();
    webhook.reply = () => ending.abort(reason);
    const { notes: noted, thrown } = await ask({ hook, signal: ending.signal });
    assert.is(thrown, reason);
    assert.equal(noted, notes);
  });

test('to take away a default is a change, though the default comes again', async () => {
  webhook.reply = answering(patchOf([{ op: 'remove', path: '/spec/sessionAffinity' }]));
  const rounds = new Rounds();
  const { notes, object } = await ask({ rounds, object: { spec: {} } });
  assert.is(object.spec.sessionAffinity, 'None');
  assert.equal(notes['mutation.webhook.admission.k8s.io/round_0_index_0'], { ...NAMED, mutated: true });
  assert.ok(rounds.next());
});

test.run();
