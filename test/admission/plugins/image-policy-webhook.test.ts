/** ImagePolicyWebhook through a whole server: what its service is asked, and what comes of the answers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readImagePolicy } from '../../../runtime/admission/image-policy/configuration.ts';
import { imagePolicyWebhook } from '../../../runtime/admission/plugins/image-policy-webhook.ts';
import { type EmbeddedServer, startServer } from '../../../runtime/embedded/start-server.ts';
import { FileError } from '../../../runtime/files/file-error.ts';
import { DecidingService } from '../../authorization/webhook/service.ts';
import { identity } from '../../kinds/context.ts';
import { attributesOf, partsOf } from '../asking.ts';

const test = suite('the image policy webhook');
const POD_PATH = '/api/v1/namespaces/default/pods';
// biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
type Answer = any;

let folder: string;
let service: DecidingService;
/** one that refuses what nobody has answered for, and one that allows it */
let strict: EmbeddedServer;
let open: EmbeddedServer;

test.before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'image-policy-'));
  service = await new DecidingService().start();
  await writeFile(path.join(folder, 'backend.conf'), service.kubeconfig);
  [strict, open] = [await started({ allowTTL: 60, denyTTL: -1 }), await started({ defaultAllow: true, denyTTL: 60 })];
});
test.before.each(() => {
  service.reply = () => ({ status: { allowed: true } });
  service.asked.length = 0;
});
test.after(async () => {
  for (const server of [strict, open]) await server.stop();
  await service.stop();
  await rm(folder, { recursive: true });
});

const settings = (others: object) => ({ kubeConfigFile: path.join(folder, 'backend.conf'), retryBackoff: 1, ...others });

async function started(others: object): Promise<EmbeddedServer> {
  const plugins = [{ name: 'ImagePolicyWebhook', configuration: { imagePolicy: settings(others) } }];
  const file = path.join(folder, 'admission.yaml');
  await writeFile(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }));
  const flags = {
    'admission-control-config-file': file,
    'enable-admission-plugins': ['ImagePolicyWebhook'],
    'disable-admission-plugins': ['ServiceAccount'],
    controllers: ['-*'],
  };
  return startServer({ dialect: 'kubernetes', flags });
}

async function send(server: EmbeddedServer, method: string, at: string, body?: object, type = 'application/json') {
  const init = { method, ...(body && { headers: { 'content-type': type }, body: JSON.stringify(body) }) };
  const answer = await server.client.fetch(at, init);
  return { status: answer.status, body: (await answer.json()) as Answer };
}

const pod = (name: string, image = name, others: object = {}) => ({
  metadata: { name, ...others },
  spec: { containers: [{ name: 'c', image }], initContainers: [{ name: 'i', image: `${image}-init` }] },
});
const create = (server: EmbeddedServer, ...given: Parameters<typeof pod>) => send(server, 'POST', POD_PATH, pod(...given));

test('is shown the images and the annotations that are for it', async () => {
  const annotations = { 'b.image-policy.k8s.io/x': '2', 'a.image-policy.k8s.io/x': '1', other: '3' };
  assert.is((await create(strict, 'shown', 'shown', { annotations })).status, 201);
  assert.equal(service.asked, [
    {
      kind: 'ImageReview',
      apiVersion: 'imagepolicy.k8s.io/v1alpha1',
      metadata: { creationTimestamp: null },
      spec: {
        containers: [{ image: 'shown' }, { image: 'shown-init' }],
        annotations: { 'a.image-policy.k8s.io/x': '1', 'b.image-policy.k8s.io/x': '2' },
        namespace: 'default',
      },
      status: { allowed: false },
    },
  ]);
});

test('is asked about updates and ephemeral containers, and about nothing else', async () => {
  await create(strict, 'updated');
  service.asked.length = 0;
  const merge = 'application/merge-patch+json';
  await send(strict, 'PATCH', `${POD_PATH}/updated`, { spec: { containers: [{ name: 'c', image: 'newer' }] } }, merge);
  const ephemeral = { spec: { ephemeralContainers: [{ name: 'e', image: 'debug' }] } };
  assert.is((await send(strict, 'PATCH', `${POD_PATH}/updated/ephemeralcontainers`, ephemeral, merge)).status, 200);
  await send(strict, 'PATCH', `${POD_PATH}/updated/status`, { status: { message: 'm' } }, merge);
  await send(strict, 'POST', `${POD_PATH}/updated/binding`, { metadata: { name: 'updated' }, target: { kind: 'Node', name: 'n' } });
  await send(strict, 'DELETE', `${POD_PATH}/updated`);
  await send(strict, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'x' } });
  assert.equal(
    service.asked.map(({ spec }) => spec.containers),
    [[{ image: 'newer' }, { image: 'updated-init' }], [{ image: 'debug' }]],
  );
});

interface Verdict {
  readonly name: string;
  readonly status: object | undefined;
  readonly message: string;
}
const VERDICTS: readonly Verdict[] = [
  { name: 'a reason', status: { allowed: false, reason: 'old' }, message: 'image policy webhook backend denied one or more images: old' },
  { name: 'no reason', status: { allowed: false }, message: 'one or more images rejected by webhook backend' },
  { name: 'no verdict', status: undefined, message: 'one or more images rejected by webhook backend' },
];
for (const { name, status, message } of VERDICTS)
  test(`refuses with ${name}, and is asked again where refusals are not kept`, async () => {
    service.reply = () => ({ ...(status && { status }) });
    for (const times of [1, 2]) {
      const { status: code, body } = await create(strict, 'refused');
      assert.equal([code, body.reason, body.message], [403, 'Forbidden', `pods "refused" is forbidden: ${message}`]);
      assert.is(service.asked.length, times);
    }
  });

test('is not asked again while an answer holds', async () => {
  service.reply = () => ({ status: { allowed: false, reason: 'kept' } });
  for (const name of ['kept', 'kept']) assert.match((await create(open, name)).body.message, /: kept$/);
  assert.is(service.asked.length, 1);
  service.reply = () => ({ status: { allowed: true } });
  for (const name of ['allowed-1', 'allowed-2']) assert.is((await create(strict, name, 'allowed')).status, 201);
  assert.is(service.asked.length, 2);
});

interface Failure {
  readonly name: string;
  readonly reply: DecidingService['reply'];
  readonly problem: RegExp;
  /** attempts */
  readonly asked: number;
}
const FAILURES: readonly Failure[] = [
  {
    name: 'an error',
    reply: () => ({ code: 500, text: 'oh' }),
    problem: /an error on the server \("unknown"\) has prevented the request from succeeding$/,
    asked: 5,
  },
  { name: 'a refusal', reply: () => ({ code: 403, text: '' }), problem: /is forbidden: unknown$/, asked: 1 },
  { name: 'nothing', reply: () => ({ text: '' }), problem: /0-length response with status code: 200/, asked: 1 },
  { name: 'no JSON', reply: () => ({ text: '{' }), problem: /json parse error/, asked: 1 },
  {
    name: 'another kind',
    reply: () => ({ text: '{"kind":"Pod","apiVersion":"v1"}' }),
    problem: /no kind "Pod" is registered for version "v1"/,
    asked: 1,
  },
  {
    name: 'another version',
    reply: () => ({ text: '{"kind":"ImageReview","apiVersion":"imagepolicy.k8s.io/v1"}' }),
    problem: /no kind "ImageReview" is registered for version "imagepolicy\.k8s\.io\/v1"/,
    asked: 1,
  },
  {
    name: 'a wrong type',
    reply: () => ({ status: { allowed: 'yes' } }),
    problem: /cannot unmarshal string into .*\.allowed of type bool$/,
    asked: 1,
  },
];
for (const { name, reply, problem, asked } of FAILURES)
  test(`that answers ${name} refuses all, or lets all pass with a mark`, async () => {
    service.reply = reply;
    const image = name.replaceAll(' ', '-').toLowerCase();
    const { status, body } = await create(strict, image);
    assert.is(status, 403);
    assert.match(body.message, new RegExp(`^pods "${image}" is forbidden: `));
    assert.match(body.message, problem);
    assert.is(service.asked.length, asked);
    const passed = await create(open, image);
    assert.equal([passed.status, passed.body.metadata.annotations], [201, { 'alpha.image-policy.k8s.io/failed-open': 'true' }]);
    assert.equal((await send(open, 'GET', `${POD_PATH}/${image}`)).body.metadata.annotations, passed.body.metadata.annotations);
  });

test('that never answers is named when the time of the request is over', async () => {
  service.reply = () => ({ never: true });
  const { status, body } = await send(open, 'POST', `${POD_PATH}?timeout=1s`, pod('waiting'));
  assert.is(status, 504);
  assert.match(body.message, /: the image policy webhook had not answered after \d+ ms$/);
});

test('notes for audit what the service says, and that it was passed over', async () => {
  const notes: (readonly [string, string])[] = [];
  const request = { signal: new AbortController().signal, throwIfOver() {}, annotate: (...note: [string, string]) => notes.push(note) };
  const attributes = { ...attributesOf({ object: pod('noted') }), request } as never;
  const file = path.join(folder, 'backend.conf');
  const peer = { server: service.url };
  const plugin = imagePolicyWebhook(
    partsOf({
      configuration: () => ({ peer, allowTtl: 0, denyTtl: 0, retryBackoff: 0, defaultAllow: true }),
      log: { warn() {} },
    }),
  );
  service.reply = () => ({ status: { allowed: true, auditAnnotations: { why: file, 'no name/at all': 'x' } } });
  await plugin.validate?.(attributes);
  service.reply = () => ({ text: '' });
  await plugin.validate?.(attributes);
  plugin.close?.();
  const prefix = 'imagepolicywebhook.image-policy.k8s.io';
  assert.equal(notes, [
    [`${prefix}/why`, file],
    [`${prefix}/failed-open`, 'true'],
  ]);
});

interface Row {
  readonly policy: unknown;
  readonly problems: readonly RegExp[];
}
const WRONG: readonly Row[] = [
  { policy: undefined, problems: [/imagePolicy: Required value/] },
  { policy: {}, problems: [/imagePolicy\.kubeConfigFile: Required value/] },
  {
    policy: { kubeConfigFile: 'x', allowTTL: 1_801, denyTTL: -2, retryBackoff: 300_001, defaultAllow: 'yes' },
    problems: [
      /imagePolicy\.allowTTL: valid value is between 1s and 30m0s, got 30m1s/,
      /imagePolicy\.denyTTL: valid value is between 1s and 30m0s, got -2s/,
      /imagePolicy\.retryBackoff: valid value is between 1ns and 5m0s, got 5m0\.001s/,
      /imagePolicy\.defaultAllow: Invalid value: "yes": must be true or false/,
    ],
  },
  { policy: { kubeConfigFile: 'x', allowTTL: '50s' }, problems: [/imagePolicy\.allowTTL: Invalid value: "50s": must be a whole number/] },
];
for (const { policy, problems } of WRONG)
  test(`a configuration is refused: ${JSON.stringify(policy) ?? 'none'}`, async () => {
    const fileKinds = (): never => {
      throw new Error('nobody reads the client configuration');
    };
    const error = await readImagePolicy(policy === undefined ? {} : { imagePolicy: policy }, 'f', { identity, fileKinds }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.instance(error, FileError);
    for (const problem of problems) assert.match((error as FileError).message, problem);
  });

test('times that are not given have defaults, and -1 stands for none', async () => {
  const object = { contexts: [], users: [], clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }] };
  const fileKinds = async () => ({ read: async () => ({ object }) }) as never;
  const read = async (policy: object) => {
    const { peer, ...others } = await readImagePolicy({ imagePolicy: { kubeConfigFile: '/x', ...policy } }, 'f', { identity, fileKinds });
    assert.is(peer.server, 'http://127.0.0.1:1');
    return others;
  };
  assert.equal(await read({}), { allowTtl: 300_000, denyTtl: 30_000, retryBackoff: 500, defaultAllow: false });
  assert.equal(await read({ allowTTL: -1, denyTTL: 7, retryBackoff: -1, defaultAllow: true }), {
    allowTtl: 0,
    denyTtl: 7_000,
    retryBackoff: 0,
    defaultAllow: true,
  });
});

test('does not start without a configuration', () =>
  assert.throws(() => imagePolicyWebhook(partsOf()), /ImagePolicyWebhook: imagePolicy: Required value/));

test.run();
