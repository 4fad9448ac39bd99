/** Whom webhooks are taken to be, where they are found, and how long they may take. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import { Webhook } from '../../../runtime/admission/webhooks/configured-webhooks.ts';
import { WebhookCaller } from '../../../runtime/admission/webhooks/webhook-caller.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { SERVICE, send } from '../../custom-resources/conversion/webhook.ts';
import { NO_SERVICES } from '../../harness/no-services.ts';
import { identity } from '../../kinds/context.ts';
import { answering, askingWebhooks, CONFIG_MAPS, configMap, configure, create, hook, request, webhook } from '../webhooked-server.ts';

const test = suite('webhooks that are asked');
askingWebhooks(test);

interface Shown {
  readonly name: string;
  readonly show: Parameters<typeof webhook.show>[0];
  readonly problem: RegExp;
}
const certificates: Shown[] = [
  {
    name: 'for another host',
    show: { host: 'other.example' },
    problem: /x509: cannot validate certificate for 127\.0\.0\.1 because it doesn't contain any IP SANs$/,
  },
  { name: 'that is over', show: { days: -1 }, problem: /x509: certificate has expired or is not yet valid$/ },
];
for (const { name, show, problem } of certificates)
  test(`that show a certificate ${name} are not believed`, async () => {
    webhook.show(show);
    try {
      await configure('Validating', hook({ clientConfig: { url: `${webhook.url}/shown`, caBundle: webhook.caBundle } }));
      const { status, body } = await create('a');
      assert.equal([status, webhook.asked.length], [500, 0]);
      assert.match(body.message, problem);
    } finally {
      webhook.show({});
    }
  });

test('that show a certificate of another authority are not believed', async () => {
  await configure('Validating', hook({ clientConfig: { url: webhook.url, caBundle: webhook.otherBundle() } }));
  const { status, body } = await create('a');
  assert.equal([status, webhook.asked.length], [500, 0]);
  assert.match(body.message, /x509: certificate signed by unknown authority$/);
});

test('may answer in YAML', async () => {
  const denial = ['response:', '  allowed: false', '  status: { message: as YAML }', '  uid: '].join('\n');
  webhook.reply = ({ apiVersion, kind, request: { uid } }, response) =>
    send(response, `apiVersion: ${apiVersion}\nkind: ${kind}\n${denial}${uid}\n`);
  await configure('Validating', hook());
  assert.is((await create('a')).body.message, 'admission webhook "a.example.com" denied the request: as YAML');
});

test('are told who asks', async () => {
  const agents: unknown[] = [];
  webhook.reply = (review, response, { headers }) => {
    agents.push(headers['user-agent']);
    answering({})(review, response, {} as never);
  };
  await configure('Validating', hook());
  await create('a');
  assert.equal(agents, ['kube-apiserver-admission']);
});

const unusable: { readonly name: string; readonly bundle: string; readonly problem: string }[] = [
  { name: 'no PEM', bundle: 'x', problem: 'unable to parse bytes as PEM block' },
  {
    name: 'no certificate',
    bundle: '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n',
    problem: 'no valid certificate authority data seen',
  },
  {
    name: 'a certificate that is none',
    bundle: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    problem: 'failed to parse certificate: x509: malformed certificate',
  },
];
for (const { name, bundle, problem } of unusable)
  for (const kind of ['Validating', 'Mutating'] as const)
    test(`of ${kind}WebhookConfigurations are not asked where their bundle of authorities has ${name}`, async () => {
      await configure(kind, hook({ clientConfig: { url: webhook.url, caBundle: Buffer.from(bundle).toString('base64') } }));
      const { status, body } = await create('a');
      assert.equal([status, webhook.asked.length], [500, 0]);
      const failure = `failed calling webhook "a.example.com": could not get REST client: unable to load root certificates: ${problem}`;
      assert.is(body.message, `Internal error occurred: ${failure}`);
    });

test('that use up the time of a request are named, each with its time', async () => {
  await configure('Validating', hook({ name: 'fast.example.com' }), hook({ name: 'slow.example.com' }));
  let first = true;
  webhook.reply = (review, response, message) => {
    if (first) answering({})(review, response, message);
    first = false;
  };
  const { status, body } = await request('POST', `${CONFIG_MAPS}?timeout=1s`, configMap('a'));
  assert.is(status, 504);
  assert.match(body.message, /^Timeout: request did not complete within the allotted timeout: admission webhook "\w+\.example\.com" /);
  assert.match(body.message, /"\w+\.example\.com" took \d+ ms/);
  assert.match(body.message, /"\w+\.example\.com" had not answered after \d+ ms/);
  assert.equal(webhook.requests, ['POST /convert?timeout=1s', 'POST /convert?timeout=1s']);
});

interface Spent {
  readonly name: string;
  /** by the last part of their paths, in the order in which they are asked */
  readonly hooks: readonly (readonly [kind: 'Mutating' | 'Validating', name: string, others?: object])[];
  /** milliseconds after which these answer; others never do */
  readonly answers: Readonly<Record<string, number>>;
  /** seconds of the request */
  readonly seconds: number;
  readonly message: RegExp;
  readonly asked: readonly string[];
}
const TIME_IS_OVER = '^Timeout: request did not complete within the allotted timeout: ';
const spent: Spent[] = [
  {
    name: 'a mutating one took some of it, and a validating one the rest',
    hooks: [
      ['Mutating', 'first'],
      ['Validating', 'second'],
    ],
    answers: { first: 100 },
    seconds: 2,
    message: /admission webhook "first\.example\.com" took \d+ ms, admission webhook "second\.example\.com" had not answered after \d+ ms$/,
    asked: ['first', 'second'],
  },
  {
    name: 'a mutating one took all of it, and nobody else is asked',
    hooks: [
      ['Mutating', 'first'],
      ['Mutating', 'second'],
      ['Validating', 'third'],
    ],
    answers: {},
    seconds: 1,
    message: /: admission webhook "first\.example\.com" had not answered after \d+ ms$/,
    asked: ['first'],
  },
  {
    name: 'one that may fail took its own time before',
    hooks: [
      ['Mutating', 'first', { failurePolicy: 'Ignore', timeoutSeconds: 1 }],
      ['Validating', 'second'],
    ],
    answers: {},
    seconds: 3,
    message: /admission webhook "first\.example\.com" took \d+ ms, admission webhook "second\.example\.com" had not answered after \d+ ms$/,
    asked: ['first', 'second'],
  },
  {
    name: 'several at the same time, of which two never answer',
    hooks: [
      ['Validating', 'first'],
      ['Validating', 'second'],
      ['Validating', 'third'],
    ],
    answers: { second: 0 },
    seconds: 1,
    message:
      /admission webhook "first\.example\.com" had not answered after \d+ ms, admission webhook "second\.example\.com" took \d+ ms, admission webhook "third\.example\.com" had not answered after \d+ ms$/,
    asked: ['first', 'second', 'third'],
  },
];
for (const { name, hooks, answers, seconds, message, asked } of spent)
  test(`the time of a request is used up: ${name}`, async () => {
    const hookOf = (of: string, others: object = {}) =>
      hook({ name: `${of}.example.com`, clientConfig: { url: `${webhook.url}/${of}`, caBundle: webhook.caBundle }, ...others });
    for (const kind of ['Mutating', 'Validating'] as const) {
      const own = hooks.filter(([of]) => of === kind);
      if (own.length > 0) await configure(kind, ...own.map(([, of, others]) => hookOf(of, others)));
    }
    webhook.reply = (review, response, message) => {
      const after = answers[nameIn(message.url)];
      if (after !== undefined) setTimeout(() => answering({})(review, response, message), after);
    };
    const { status, body } = await request('POST', `${CONFIG_MAPS}?timeout=${seconds}s`, configMap('a'));
    assert.is(status, 504, JSON.stringify(body));
    assert.match(body.message, new RegExp(TIME_IS_OVER));
    assert.match(body.message, message);
    assert.equal(webhook.requests.map((each) => nameIn(each.split(' ')[1])).sort(), [...asked].sort());
    assert.is((await request('GET', `${CONFIG_MAPS}/a`)).status, 404);
  });

const nameIn = (url = ''): string => /(\w+)\?/.exec(url)?.[1] ?? '';

test('v1beta1 webhooks need not say which review they answer', async () => {
  await configure('Mutating', hook({ admissionReviewVersions: ['v2', 'v1beta1', 'v1'] }));
  const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/data', value: { k: 'v' } }])).toString('base64');
  webhook.reply = (_review, response) => send(response, { response: { allowed: true, patch } });
  assert.equal((await create('a')).body.data, { k: 'v' });
  assert.is(webhook.asked[0].apiVersion, 'admission.k8s.io/v1beta1');
});

test('are found by their services', async () => {
  const [name] = SERVICE.split('.');
  await configure(
    'Validating',
    hook({ clientConfig: { service: { namespace: 'default', name, path: '/admit', port: webhook.port }, caBundle: webhook.caBundle } }),
  );
  const missing = await create('a');
  assert.match(missing.body.message, /Post "https:\/\/hook\.default\.svc:\d+\/admit\?timeout=10s": service "hook" not found$/);
  const spec = { type: 'ExternalName', externalName: '127.0.0.1' };
  await request('POST', '/api/v1/namespaces/default/services', { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
  assert.is((await create('a')).status, 201);
  assert.equal(webhook.requests, ['POST /admit?timeout=10s']);
});

test('that have side effects, or may have some, are not asked about dry runs', async () => {
  const caller = new WebhookCaller({ identity, serviceRoutes: NO_SERVICES, mayTakeLong: true, metrics: new Metrics(metricsData) }, false);
  for (const sideEffects of ['Some', 'Unknown', undefined]) {
    const spec = { name: 'a.example.com', clientConfig: {}, admissionReviewVersions: ['v1'], sideEffects };
    const asking = caller.ask(new Webhook('a', 0, spec as never), { options: { dryRun: true } } as never, {} as never, {} as never);
    const error = await asking.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.instance(error, StatusError);
    assert.is((error as StatusError).message, 'admission webhook "a.example.com" does not support dry run');
    assert.is((error as StatusError).code, 400);
  }
});

test.run();
