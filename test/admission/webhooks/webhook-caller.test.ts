/** What webhooks answer, rightly and wrongly, and how long that takes. */
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Webhook } from '../../../runtime/admission/webhooks/configured-webhooks.ts';
import { WebhookCaller } from '../../../runtime/admission/webhooks/webhook-caller.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { type Reply, SERVICE, send } from '../../custom-resources/conversion/webhook.ts';
import { identity } from '../../kinds/context.ts';
import {
  answering,
  answerTo,
  askingWebhooks,
  CONFIG_MAPS,
  configMap,
  configure,
  create,
  GROUP,
  hook,
  patchOf,
  request,
  webhook,
} from '../webhooked-server.ts';

const test = suite('webhooks that are asked');
askingWebhooks(test);

interface Denial {
  readonly name: string;
  readonly status?: object;
  readonly code: number;
  readonly message: string;
}
const denials: Denial[] = [
  { name: 'no explanation', code: 400, message: 'admission webhook "a.example.com" denied the request without explanation' },
  { name: 'a message', status: { message: 'no' }, code: 400, message: 'admission webhook "a.example.com" denied the request: no' },
  {
    name: 'a reason and a code',
    status: { reason: 'Forbidden', code: 403 },
    code: 403,
    message: 'admission webhook "a.example.com" denied the request: Forbidden',
  },
  {
    name: 'a code of success',
    status: { code: 200, status: 'Success', message: 'no' },
    code: 400,
    message: 'admission webhook "a.example.com" denied the request: no',
  },
  {
    name: 'a code that is none',
    status: { code: 5_000, message: 'no' },
    code: 599,
    message: 'admission webhook "a.example.com" denied the request: no',
  },
];
for (const kind of ['Validating', 'Mutating'] as const)
  for (const { name, status, code, message } of denials)
    test(`${kind}: refuse with ${name}`, async () => {
      await configure(kind, hook());
      webhook.reply = answering({ allowed: false, ...(status && { status }) });
      const answer = await create('a');
      assert.is(answer.status, code);
      assert.is(answer.body.message, message);
      assert.is(answer.body.code, code);
      assert.is((await request('GET', `${CONFIG_MAPS}/a`)).status, 404);
    });

/** Members of a refusal's status, and what 1.32 says of a value of another type. */
const wrongStatus: [status: object, found: string, place: string, type: string][] = [
  [{ code: 'x' }, 'string', 'Status.response.status.code', 'int32'],
  [{ code: 1e10 }, 'number 10000000000', 'Status.response.status.code', 'int32'],
  [{ message: {} }, 'object', 'Status.response.status.message', 'string'],
  [{ reason: [] }, 'array', 'Status.response.status.reason', 'v1.StatusReason'],
  [{ status: 5 }, 'number', 'Status.response.status.status', 'string'],
  [{ kind: 5 }, 'number', 'Status.response.status.kind', 'string'],
  [{ metadata: 'x' }, 'string', 'Status.response.status.metadata', 'v1.ListMeta'],
  [{ details: 'x' }, 'string', 'Status.response.status.details', 'v1.StatusDetails'],
  [{ details: { name: 5 } }, 'number', 'StatusDetails.response.status.details.name', 'string'],
  [{ details: { uid: true } }, 'bool', 'StatusDetails.response.status.details.uid', 'types.UID'],
  [{ details: { causes: 5 } }, 'number', 'StatusDetails.response.status.details.causes', '[]v1.StatusCause'],
  [{ details: { causes: ['x'] } }, 'string', 'StatusDetails.response.status.details.causes', 'v1.StatusCause'],
  [{ details: { causes: [{ field: 5 }] } }, 'number', 'StatusCause.response.status.details.causes.field', 'string'],
  [{ details: { retryAfterSeconds: 'x' } }, 'string', 'StatusDetails.response.status.details.retryAfterSeconds', 'int32'],
  [{ details: { retryAfterSeconds: 1.5 } }, 'number 1.5', 'StatusDetails.response.status.details.retryAfterSeconds', 'int32'],
];
for (const [status, found, at, type] of wrongStatus)
  test(`a status of a wrong type is no refusal: ${at} of ${found}`, async () => {
    await configure('Validating', hook());
    webhook.reply = answering({ allowed: false, status });
    const answer = await create('a');
    assert.is(answer.status, 500);
    const call = 'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook';
    assert.is(answer.body.message, `${call}: json: cannot unmarshal ${found} into Go struct field ${at} of type ${type}`);
  });
test('a refusal has the members of a status alone', async () => {
  await configure('Validating', hook());
  const causes = [{ message: 'm', field: 'f', more: {} }, null];
  const details = { name: 'n', causes, retryAfterSeconds: 7, constructor: 'x', uid: null };
  webhook.reply = answering({ allowed: false, status: { message: 'no', details } });
  const answer = await create('a');
  assert.equal(answer.body.details, { name: 'n', causes: [{ message: 'm', field: 'f' }, {}], retryAfterSeconds: 7 });
});

const raw =
  (text: string): Reply =>
  (_review, response) =>
    send(response, text);

interface Wrong {
  readonly name: string;
  readonly reply: Reply;
  readonly kind?: 'Mutating';
  /** behind `failed calling webhook "a.example.com": ` */
  readonly problem: RegExp;
}
const wrong: Wrong[] = [
  {
    name: 'another uid',
    reply: answering({ uid: 'x' }),
    problem: /^received invalid webhook response: expected response\.uid="[0-9a-f-]+", got "x"$/,
  },
  {
    name: 'no response',
    reply: ({ apiVersion, kind }, response) => send(response, { apiVersion, kind }),
    problem: /^received invalid webhook response: webhook response was absent$/,
  },
  {
    name: 'no kind',
    reply: (review, response) => send(response, { response: answerTo(review, {}).response }),
    problem:
      /^received invalid webhook response: expected webhook response of admission\.k8s\.io\/v1, Kind=AdmissionReview, got \/, Kind=$/,
  },
  {
    name: 'another kind',
    reply: (review, response) => send(response, { ...answerTo(review, {}), kind: 'Review' }),
    problem: /^failed to call webhook: no kind "Review" is registered for version "admission\.k8s\.io\/v1" in scheme /,
  },
  {
    name: 'another version',
    reply: (review, response) => send(response, { ...answerTo(review, {}), apiVersion: 'admission.k8s.io/v1beta1' }),
    problem: /^failed to call webhook: converting \(v1beta1\.AdmissionReview\) to \(v1\.AdmissionReview\): unknown conversion$/,
  },
  {
    name: 'a wrong type',
    reply: answering({ allowed: 'yes' }),
    problem: /^failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionReview\.response\.allowed of type bool$/,
  },
  { name: 'no JSON', reply: raw('{'), problem: /^failed to call webhook: couldn't get version\/kind; json parse error: / },
  {
    name: 'a patch of a validating one',
    reply: answering(patchOf([])),
    problem: /^received invalid webhook response: validating webhook may not return response\.patch$/,
  },
  {
    name: 'a patch without its type',
    kind: 'Mutating',
    reply: answering({ patch: 'W10=' }),
    problem: /^received invalid webhook response: webhook returned response\.patch but not response\.patchType$/,
  },
  {
    name: 'a type without a patch',
    kind: 'Mutating',
    reply: answering({ patchType: 'JSONPatch' }),
    problem: /patchType but not response\.patch$/,
  },
  {
    name: 'a patch of another type',
    kind: 'Mutating',
    reply: answering({ ...patchOf([{}]), patchType: 'Merge' }),
    problem: /^unsupported patch type "Merge"$/,
  },
  {
    name: 'no base64',
    kind: 'Mutating',
    reply: answering({ patch: '!', patchType: 'JSONPatch' }),
    problem: /illegal base64 data at input byte 0$/,
  },
  ...(
    [
      ['W10', 3],
      ['W1=0', 2],
      ['W10=W10=', 3],
      ['W===', 1],
    ] as const
  ).map(
    ([patch, at]): Wrong => ({
      name: `no base64, as ${patch}`,
      kind: 'Mutating',
      reply: answering({ patch, patchType: 'JSONPatch' }),
      problem: new RegExp(`illegal base64 data at input byte ${at}$`),
    }),
  ),
  {
    name: 'a redirect',
    reply: (_review, response) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    problem: /^failed to call webhook: the server responded with the status code 307 but did not return more information$/,
  },
  {
    name: 'a closed connection',
    reply: (_review, response) => void response.destroy(),
    problem: /^failed to call webhook: Post "https:.*\?timeout=10s": EOF$/,
  },
  {
    name: 'an error',
    reply: (_review, response) => void response.writeHead(500, { 'content-type': 'text/plain' }).end('oh'),
    problem: /^failed to call webhook: an error on the server \("oh"\) has prevented the request from succeeding$/,
  },
  {
    name: 'HTTP that is none',
    reply: (_review, response) => void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
    problem: /^failed to call webhook: Post "https:.*\?timeout=10s": malformed HTTP response: .*$/,
  },
  {
    name: 'half of an answer',
    reply: (_review, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 }).write('{');
      setTimeout(() => response.destroy(), 10);
    },
    problem: /^failed to call webhook: Post "https:.*\?timeout=10s": unexpected EOF$/,
  },
  {
    name: 'headers without end',
    reply: (_review, response) => {
      const line = `x-more: ${'x'.repeat(1_000)}\r\n`;
      const more = (left: number): void => {
        if (left > 0 && response.socket?.destroyed === false) response.socket.write(line, () => more(left - 1));
      };
      response.socket?.write('HTTP/1.1 200 OK\r\n');
      more(10_000);
    },
    problem: /^failed to call webhook: Post "https:.*\?timeout=10s": net\/http: server response headers are too large$/,
  },
  {
    name: 'nothing',
    reply: (_review, response) => void response.writeHead(200).end(),
    problem: /^failed to call webhook: 0-length response with status code: 200 and content type: $/,
  },
  {
    name: 'JSON that is too deep',
    reply: raw('['.repeat(1_000_000)),
    problem: /^failed to call webhook: couldn't get version\/kind; json parse error: exceeded max depth$/,
  },
  {
    name: '100 MB in a small package',
    reply: (_review, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(100 * 1024 * 1024, ' ')));
    },
    problem: /^failed to call webhook: Post "https:.*\?timeout=10s": the answer is larger than 8388608 bytes$/,
  },
  {
    name: '100 MB',
    reply: (_review, response) => {
      const part = Buffer.alloc(1024 * 1024, ' ');
      let left = 100;
      const more = (): void => {
        while (left-- > 0 && !response.destroyed) if (!response.write(part)) return void response.once('drain', more);
        response.end();
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      more();
    },
    problem: /^failed to call webhook: Post "https:.*\?timeout=10s": the answer is larger than 8388608 bytes$/,
  },
];
for (const { name, reply, kind = 'Validating' as const, problem } of wrong)
  test(`that answer ${name} fail, or are passed over`, async () => {
    await configure(kind, hook());
    webhook.reply = reply;
    const { status, body } = await create('a');
    assert.is(status, 500);
    assert.is(body.reason, 'InternalError');
    const begin = 'Internal error occurred: failed calling webhook "a.example.com": ';
    assert.ok(body.message.startsWith(begin), body.message);
    assert.match(body.message.slice(begin.length), problem);
    await request('DELETE', `${GROUP}/${kind.toLowerCase()}webhookconfigurations`);
    await configure(kind, hook({ failurePolicy: 'Ignore' }));
    assert.is((await create('a')).status, 201);
  });

test('that hang are given up after their own time', async () => {
  await configure('Validating', hook({ timeoutSeconds: 1 }));
  webhook.reply = () => {};
  const { status, body } = await create('a');
  assert.is(status, 500);
  assert.match(body.message, /failed to call webhook: Post "https:.*\?timeout=1s": context deadline exceeded$/);
});

test('that begin to answer and never end are given up as well', async () => {
  await configure('Validating', hook({ timeoutSeconds: 1 }));
  webhook.reply = (_review, response) => {
    const drip = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(drip));
  };
  const { status, body } = await create('a');
  assert.is(status, 500);
  assert.match(body.message, /failed to call webhook: Post "https:.*\?timeout=1s": context deadline exceeded/);
});

test('that speak HTTP/1.0 are heard, and nothing is kept of the connection', async () => {
  await configure('Validating', hook());
  webhook.reply = (review, response) => {
    const text = JSON.stringify(answerTo(review, { allowed: review.request.name === 'a', status: { message: 'in HTTP/1.0' } }));
    response.socket?.end(`HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${text}`);
  };
  assert.is((await create('a')).status, 201);
  assert.is((await create('b')).body.message, 'admission webhook "a.example.com" denied the request: in HTTP/1.0');
});

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
  const caller = new WebhookCaller({ identity, findService: () => undefined, mayTakeLong: true }, false);
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
