/** However much webhooks answer, nobody else waits for what is done with it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConversionWebhook, type Review, send } from '../../custom-resources/conversion/webhook.ts';
import { Client } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { assertShortTurns, REPEATED, TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
/** Milliseconds for an answer, on machines that do much else. */
const PATIENCE = 120_000;

type Members = Readonly<Record<string, unknown>>;

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const members = (count: number, value: unknown): Members => Object.fromEntries(many(count, (index) => [`key-${index}`, value]));
const patchOf = (text: string): Members => ({ patchType: 'JSONPatch', patch: Buffer.from(text).toString('base64') });
const add = (path: string, value: string): string => `[{"op":"add","path":"${path}","value":${value}}]`;

interface PodObject {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly volumes: readonly { readonly name: string }[] };
}

interface ServiceObject {
  readonly metadata: { readonly uid: string };
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] };
}

interface Answer {
  readonly what: string;
  readonly kinds: readonly ('validating' | 'mutating')[];
  /** what the webhook says besides the uid, or a share of it */
  readonly says: (share: number) => Members;
  /** of the request */
  readonly status: number;
}

const BOTH = ['validating', 'mutating'] as const;
const MUTATING = ['mutating'] as const;

const ANSWERS: readonly Answer[] = [
  { what: 'a long text that nobody reads', kinds: BOTH, says: (share) => ({ other: '\\n'.repeat(1_500_000 * share) }), status: 201 },
  { what: 'values that nobody reads', kinds: BOTH, says: (share) => ({ other: many(1_000_000 * share, () => 1) }), status: 201 },
  { what: 'annotations', kinds: BOTH, says: (share) => ({ auditAnnotations: members(50_000 * share, 'a') }), status: 201 },
  { what: 'long annotations', kinds: BOTH, says: (share) => ({ auditAnnotations: members(40, 'a"'.repeat(50_000 * share)) }), status: 201 },
  { what: 'warnings', kinds: BOTH, says: (share) => ({ warnings: many(100_000 * share, (index) => `warning ${index}`) }), status: 201 },
  {
    what: 'warnings of a character',
    kinds: BOTH,
    says: () => ({ warnings: many(3_900, (index) => String.fromCodePoint(0x4e00 + index)) }),
    status: 201,
  },
  {
    what: 'a refusal with a long message and causes',
    kinds: BOTH,
    says: (share) => ({
      allowed: false,
      status: {
        message: '"'.repeat(1_000_000 * share),
        details: { causes: many(50_000 * share, (index) => ({ field: `f${index}`, message: 'm' })) },
      },
    }),
    status: 400,
  },
  {
    what: 'a patch with a long text',
    kinds: MUTATING,
    says: (share) => patchOf(add('/data', `{"a":"${'\\n'.repeat(450_000 * share)}"}`)),
    status: 201,
  },
  {
    what: 'a patch with members',
    kinds: MUTATING,
    says: (share) => patchOf(add('/data', JSON.stringify(members(50_000 * share, '')))),
    status: 201,
  },
  {
    what: 'a patch of brackets',
    kinds: MUTATING,
    says: (share) => patchOf(add('/data', '['.repeat(100_000 * share))),
    status: 500,
  },
  {
    what: 'a patch of operations',
    kinds: MUTATING,
    says: (share) => patchOf(JSON.stringify(many(12_000 * share, (index) => ({ op: 'add', path: `/data/k${index}`, value: '' })))),
    status: 201,
  },
  {
    what: 'a patch that copies',
    kinds: MUTATING,
    says: (share) =>
      patchOf(
        JSON.stringify([
          { op: 'add', path: '/data/k0', value: 'a'.repeat(8_000) },
          ...many(300 * share, (index) => ({ op: 'copy', from: '/data/k0', path: `/data/c${index}` })),
        ]),
      ),
    // nothing is longer than a megabyte
    status: 422,
  },
];

const test = suite('long answers of webhooks');
let server: TestServer;
let client: Client;
let webhook: ConversionWebhook;
test.before(async () => {
  webhook = await new ConversionWebhook().start();
  server = await startServer({ dialect: 'kubernetes', preload: TURN_MONITOR });
  client = new Client(server);
  for (const kind of BOTH) await configure(kind);
  // what looks at answers is loaded, and compiled
  for (const kind of BOTH) for (const answer of ANSWERS) await ask(kind, answer, 0.002, 3);
  for (const kind of BOTH) for (const answer of ANSWERS) await ask(kind, answer, 0.1, 1);
  // The process gets the memory for an answer of that length here. A machine may take a hundred milliseconds to give it, in which the server does nothing.
  for (const kind of BOTH) await ask(kind, ANSWERS[0] as Answer, 1);
  await untilQuiet(server);
});
test.after(async () => {
  client.close();
  assert.is(await server.stop(), 0, server.log());
  await webhook.stop();
});

async function configure(kind: (typeof BOTH)[number]): Promise<void> {
  const hook = {
    name: 'long.example.com',
    clientConfig: { url: `${webhook.url}/${kind}`, caBundle: webhook.caBundle },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps', 'pods', 'services'] }],
    objectSelector: { matchLabels: { asks: kind } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 30,
  };
  const { status, text } = await client.post(`${CONFIGURATIONS}/${kind}webhookconfigurations`, {
    metadata: { name: 'long' },
    webhooks: [hook],
  });
  assert.is(status, 201, text);
}

/** Writes an object that a webhook is asked about. */
async function ask(kind: (typeof BOTH)[number], { kinds, says, status }: Answer, share: number, times = 1): Promise<void> {
  if (!kinds.includes(kind)) return;
  const said = JSON.stringify({ allowed: true, ...says(share) }).slice(1);
  for (let i = 0; i < times; i++) {
    webhook.asked.length = 0;
    webhook.reply = ({ apiVersion, kind: of, request: { uid } }: Review, response) =>
      send(response, `{"apiVersion":"${apiVersion}","kind":"${of}","response":{"uid":"${uid}",${said}}`);
    const body = { metadata: { generateName: 'long-', labels: { asks: kind } }, data: { a: 'b' } };
    const answer = await client.request('POST', CONFIG_MAPS, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      timeout: PATIENCE,
    });
    if (share === 1) {
      assert.is(answer.status, status, answer.text.slice(0, 300));
      assert.is(webhook.asked.length, 1, 'nobody is asked twice');
    }
  }
}

for (const answer of ANSWERS)
  for (const kind of answer.kinds)
    test(`nobody waits for ${answer.what} of a ${kind} one`, () => assertShortTurns(server, () => ask(kind, answer, 1), REPEATED));

test('one that fails, and may, is not asked again because another one answers much', async () => {
  const hook = (name: string, url: string) => ({
    name: `${name}.example.com`,
    clientConfig: { url, caBundle: webhook.caBundle },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { asks: 'two' } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Ignore',
  });
  const webhooks = [hook('fails', `${webhook.url}/fails`), hook('long', `${webhook.url}/long`)];
  const { status, text } = await client.post(`${CONFIGURATIONS}/validatingwebhookconfigurations`, { metadata: { name: 'two' }, webhooks });
  assert.is(status, 201, text);
  const asked: string[] = [];
  webhook.reply = ({ apiVersion, kind: of, request: { uid } }: Review, response) => {
    const path = response.req.url ?? '';
    asked.push(path.slice(0, path.indexOf('?')));
    if (path.endsWith('/fails') || path.includes('/fails?')) response.writeHead(500).end();
    else send(response, JSON.stringify({ apiVersion, kind: of, response: { uid, allowed: true, other: many(50_000, () => 1) } }));
  };
  const made = await client.post(CONFIG_MAPS, { metadata: { generateName: 'two-', labels: { asks: 'two' } }, data: { a: 'b' } });
  assert.is(made.status, 201, made.text);
  assert.equal(asked.sort(), ['/convert/fails', '/convert/long']);
});

for (const kind of BOTH)
  test(`a new pod, of which much is chosen by chance, is asked about once by a ${kind} one`, async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await eventually('there is an account', async () => (await client.get(account)).status === 200);
    webhook.asked.length = 0;
    webhook.reply = ({ apiVersion, kind: of, request: { uid } }: Review, response) =>
      send(response, JSON.stringify({ apiVersion, kind: of, response: { uid, allowed: true, other: many(50_000, () => 1) } }));
    const spec = { containers: [{ name: 'a', image: 'a' }] };
    const { status, body } = await client.post('/api/v1/namespaces/default/pods', {
      metadata: { generateName: 'a-', labels: { asks: kind } },
      spec,
    });
    assert.is(status, 201, body.message);
    assert.match(body.spec.volumes[0].name, /^kube-api-access-/);
    assert.is(webhook.asked.length, 1);
    if (kind === 'mutating') return;
    const [review] = webhook.asked;
    const { object } = (review as unknown as { readonly request: { readonly object: PodObject } }).request;
    const { metadata, spec: asked } = object;
    assert.equal([metadata.name, metadata.uid, asked.volumes[0]?.name], [body.metadata.name, body.metadata.uid, body.spec.volumes[0].name]);
  });

test('a new service is asked about once, with the address and the port that it gets', async () => {
  const asked: ServiceObject[] = [];
  webhook.reply = ({ apiVersion, kind: of, request }: Review, response) => {
    asked.push((request as unknown as { readonly object: ServiceObject }).object);
    send(response, JSON.stringify({ apiVersion, kind: of, response: { uid: request.uid, allowed: true, other: many(50_000, () => 1) } }));
  };
  const { status, body } = await client.post('/api/v1/namespaces/default/services', {
    metadata: { generateName: 'a-', labels: { asks: 'validating' } },
    spec: { type: 'NodePort', ports: [{ port: 80 }] },
  });
  assert.is(status, 201, body.message);
  const chosen = ({ metadata, spec }: ServiceObject) => [metadata.uid, spec.clusterIP, spec.ports[0]?.nodePort];
  assert.equal(asked.map(chosen), [chosen(body)]);
});

test.run();
