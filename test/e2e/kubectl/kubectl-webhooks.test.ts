/** What kubectl shows of admission webhooks: refusals and who refused, warnings, and dry runs with side effects of each class. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answering, hookTo, patchOf } from '../../admission/webhooked-server.ts';
import { ConversionWebhook, type Reply } from '../../custom-resources/conversion/webhook.ts';
import { Client } from '../../harness/client.ts';
import { findKubectl, KUBECTL_MISSING, Kubectl } from '../../harness/kubectl.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const found = await findKubectl();
if (found === undefined) {
  console.log(KUBECTL_MISSING);
  process.exit(0);
}
const program: string = found;

const test = suite('kubectl and admission webhooks');
const FLAGS = ['--disable-admission-plugins=ServiceAccount'];
const REGISTRATION = 'admissionregistration.k8s.io';
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }];

let directory: string;
let server: TestServer;
let kubectl: Kubectl;
const webhook = await new ConversionWebhook().start();

test.before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'kubectl-webhooks-'));
  // classes of side effects that a release since 1.22 takes no more, but keeps where they are stored
  const earlier = await startServer({ dialect: 'kubernetes', directory, flags: [...FLAGS, '--emulated-release=1.21'] });
  const client = new Client(earlier);
  for (const sideEffects of ['Some', 'Unknown']) {
    const selector = { objectSelector: { matchLabels: { effects: sideEffects.toLowerCase() } } };
    const webhooks = [hook({ name: `${sideEffects.toLowerCase()}.example.com`, sideEffects, ...selector })];
    const made = await client.post(
      `/apis/${REGISTRATION}/v1beta1/validatingwebhookconfigurations`,
      configuration('v1beta1', 'Validating', sideEffects, webhooks),
    );
    assert.is(made.status, 201, made.text);
  }
  await earlier.stop();
  server = await startServer({ dialect: 'kubernetes', directory, flags: FLAGS });
  kubectl = await Kubectl.create(program, server);
});
test.before.each(() => {
  webhook.reply = answering({});
  webhook.asked.length = 0;
});
test.after(async () => {
  await server?.stop();
  await webhook.stop();
  await rm(directory, { recursive: true, force: true });
});

const hook = (others: object) => hookTo(webhook, { rules: RULES, ...others });

function configuration(version: string, kind: string, name: string, webhooks: readonly object[]): object {
  return {
    apiVersion: `${REGISTRATION}/${version}`,
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: name.toLowerCase() },
    webhooks,
  };
}

const map = (name: string, labels: object = {}, data: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
});

interface Row {
  readonly name: string;
  readonly run: string;
  readonly input?: object;
  readonly reply?: Reply;
  readonly prints: readonly RegExp[];
  /** 0 by default */
  readonly code?: number;
  /** of each review: whether it was a dry run */
  readonly asked?: readonly boolean[];
}
const CREATE = 'create -f -';
const DRY = `${CREATE} --dry-run=server`;
const hooks = (kind: string, name: string, others: object = {}) =>
  configuration('v1', kind, name, [hook({ name: `${name}.example.com`, ...others })]);
const labelled = (name: string) => ({ objectSelector: { matchLabels: { for: name } } });
const rows: readonly Row[] = [
  {
    name: 'a class that is taken no more',
    run: CREATE,
    input: hooks('Validating', 'new', { sideEffects: 'Some' }),
    code: 1,
    prints: [/webhooks\[0\]\.sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"/],
  },
  { name: 'a webhook without side effects', run: CREATE, input: hooks('Validating', 'none', labelled('none')), prints: [/none created/] },
  {
    name: 'a webhook without side effects in dry runs',
    run: CREATE,
    input: hooks('Validating', 'dry', { ...labelled('dry'), sideEffects: 'NoneOnDryRun' }),
    prints: [/dry created/],
  },
  ...['none', 'dry'].flatMap((name): Row[] => [
    {
      name: `a dry run: ${name}`,
      run: DRY,
      input: map('a', { for: name }),
      prints: [/^configmap\/a created \(server dry run\)$/m],
      asked: [true],
    },
    { name: `nothing of it is there: ${name}`, run: 'get configmap a', code: 1, prints: [/configmaps "a" not found/] },
  ]),
  ...['some', 'unknown'].flatMap((effects): Row[] => [
    {
      name: `a dry run is refused before anybody is asked: ${effects}`,
      run: DRY,
      input: map('a', { effects }),
      code: 1,
      prints: [
        new RegExp(
          `^Error from server \\(BadRequest\\): error when creating "STDIN": admission webhook "${effects}\\.example\\.com" does not support dry run$`,
          'm',
        ),
      ],
      asked: [],
    },
    {
      name: `what is meant is asked about: ${effects}`,
      run: CREATE,
      input: map(effects, { effects }),
      prints: [/created$/m],
      asked: [false],
    },
    {
      name: `and a difference, which is a dry run, is not shown: ${effects}`,
      run: 'diff -f -',
      input: map(effects, { effects }, { a: 'b' }),
      code: 2,
      prints: [/does not support dry run/],
    },
  ]),
  {
    name: 'a refusal with a message',
    run: CREATE,
    input: map('a', { for: 'none' }),
    reply: answering({ allowed: false, status: { message: 'not today' } }),
    code: 1,
    prints: [/^Error from server: error when creating "STDIN": admission webhook "none\.example\.com" denied the request: not today$/m],
  },
  {
    name: 'a refusal with a reason',
    run: CREATE,
    input: map('a', { for: 'none' }),
    reply: answering({ allowed: false, status: { code: 403, reason: 'Forbidden', message: 'not you' } }),
    code: 1,
    prints: [
      /^Error from server \(Forbidden\): error when creating "STDIN": admission webhook "none\.example\.com" denied the request: not you$/m,
    ],
  },
  {
    name: 'a refusal without a word',
    run: 'create configmap a --from-literal=a=b -o name',
    reply: answering({ allowed: false }),
    prints: [/^configmap\/a$/m],
    asked: [],
  },
  {
    name: 'a refusal of a change',
    run: 'label configmap a for=none',
    reply: answering({ allowed: false }),
    code: 1,
    prints: [/^Error from server: admission webhook "none\.example\.com" denied the request without explanation$/m],
  },
  {
    name: 'warnings',
    run: CREATE,
    input: map('warned', { for: 'none' }),
    reply: answering({ warnings: ['this is old', 'so is "that"'] }),
    prints: [/^Warning: this is old$/m, /^Warning: so is "that"$/m, /^configmap\/warned created$/m],
  },
  {
    name: 'warnings beside a refusal',
    run: CREATE,
    input: map('b', { for: 'none' }),
    reply: answering({ allowed: false, warnings: ['read this'] }),
    code: 1,
    prints: [/^Warning: read this$/m, /denied the request without explanation/],
  },
  {
    name: 'a webhook that changes',
    run: CREATE,
    input: hooks('Mutating', 'change', labelled('change')),
    prints: [/change created/],
  },
  {
    name: 'what it makes of an object is shown in a dry run',
    run: `${DRY} -o jsonpath={.data.added}`,
    input: map('c', { for: 'change' }),
    reply: answering(patchOf([{ op: 'add', path: '/data', value: { added: 'by the webhook' } }])),
    prints: [/^by the webhook$/m],
    asked: [true],
  },
  {
    name: 'a webhook that is not there',
    run: CREATE,
    input: hooks('Validating', 'gone', { ...labelled('gone'), clientConfig: { url: 'https://127.0.0.1:1/admit' } }),
    prints: [/gone created/],
  },
  {
    name: 'is named',
    run: CREATE,
    input: map('d', { for: 'gone' }),
    code: 1,
    prints: [
      /^Error from server \(InternalError\): error when creating "STDIN": Internal error occurred: failed calling webhook "gone\.example\.com": failed to call webhook: Post "https:\/\/127\.0\.0\.1:1\/admit\?timeout=10s": dial tcp 127\.0\.0\.1:1: connect: connection refused$/m,
    ],
  },
  { name: 'nobody is asked who may do what', run: 'auth can-i create configmaps', prints: [/^yes$/m], asked: [] },
];
for (const { name, run, input, reply, prints, code = 0, asked } of rows)
  test(name, async () => {
    if (reply !== undefined) webhook.reply = reply;
    const output = await kubectl.try(run, input);
    const said = output.stdout + output.stderr;
    assert.is(output.code, code, said);
    for (const expected of prints) assert.match(said, expected, said);
    if (asked !== undefined)
      assert.equal(
        webhook.asked.map(({ request }) => request.dryRun),
        asked,
      );
  });

test.run();
