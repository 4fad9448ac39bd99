/** What asking mutating webhooks leaves behind for audit, and which changes count. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import { Rounds } from '../../../runtime/admission/request/rounds.ts';
import { type Candidate, Webhook } from '../../../runtime/admission/webhooks/configured-webhooks.ts';
import type { DispatcherParts } from '../../../runtime/admission/webhooks/dispatcher-parts.ts';
import { MutatingDispatcher } from '../../../runtime/admission/webhooks/mutating-dispatcher.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { ConversionWebhook } from '../../custom-resources/conversion/webhook.ts';
import { NO_SERVICES } from '../../harness/no-services.ts';
import { identity } from '../../kinds/context.ts';
import { loadResource } from '../../kinds/kind.ts';
import { answering, patchOf } from '../webhooked-server.ts';

const test = suite('what mutating webhooks leave behind');
const webhook = new ConversionWebhook();
test.before(async () => {
  await webhook.start();
});
test.after(() => webhook.stop());

const parts = {
  identity,
  authorizer: { authorize: async () => ({ decision: 'deny', reason: '' }), rules: () => ({}) },
  objects: { shared: () => ({ metadata: {} }) },
  serviceRoutes: NO_SERVICES,
  log: { warn() {} },
  metrics: new Metrics(metricsData),
} as unknown as DispatcherParts;

interface Asked {
  /** in place of what leads to the webhook */
  readonly hook?: object;
  readonly index?: number;
  readonly rounds?: Rounds;
  readonly object?: object;
  /** of the request; absent: true */
  readonly isRecordedWhole?: boolean;
}

/** @returns what is noted for audit, as texts and as what these say, and the object */
async function ask({ hook = {}, index = 0, rounds = new Rounds(), object = {}, isRecordedWhole = true }: Asked) {
  const { resource, hub: kind } = await loadResource('', 'v1', 'services');
  const spec = {
    name: 'a.example.com',
    clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    ...hook,
  };
  const candidate: Candidate = { webhook: new Webhook('hooks', 0, spec as never), index, resource, kind };
  const notes: Record<string, unknown> = {};
  const texts: Record<string, string> = {};
  const request = {
    ...OWN_WORK,
    isRecordedWhole,
    annotate(key: string, value: string) {
      texts[key] = value;
      notes[key] = value.startsWith('{') ? JSON.parse(value) : value;
    },
  };
  const given = kind.decode({ metadata: { name: 's', namespace: 'a' }, ...object }).object;
  const user = { name: 'jane', uid: '', groups: [], extra: {} };
  const attributes = {
    request,
    user,
    operation: 'create',
    resource,
    subresource: '',
    kind,
    namespace: 'a',
    name: 's',
    object: given,
    options: { dryRun: false },
  };
  const dispatcher = new MutatingDispatcher(parts, undefined);
  try {
    await dispatcher.dispatch([candidate], attributes as unknown as AdmissionAttributes, rounds);
  } finally {
    dispatcher.keep([]);
  }
  return { notes, texts, object: given };
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

test('to take away a default is a change, though the default comes again', async () => {
  webhook.reply = answering(patchOf([{ op: 'remove', path: '/spec/sessionAffinity' }]));
  const rounds = new Rounds();
  const { notes, object } = await ask({ rounds, object: { spec: {} } });
  assert.is(object.spec.sessionAffinity, 'None');
  assert.equal(notes['mutation.webhook.admission.k8s.io/round_0_index_0'], { ...NAMED, mutated: true });
  assert.ok(rounds.next());
});

test.run();
