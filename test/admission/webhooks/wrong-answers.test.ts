/** What webhooks answer that is no answer, in bytes and in time. */
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Reply, send } from '../../custom-resources/conversion/webhook.ts';
import { answering, answerTo, askingWebhooks, configure, create, GROUP, hook, patchOf, request, webhook } from '../webhooked-server.ts';

const test = suite('webhooks that answer wrongly');
askingWebhooks(test);

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
    name: 'a page',
    reply: raw('<html>\n<body>Not here</body>\n</html>\n'),
    problem:
      /^failed to call webhook: couldn't get version\/kind; json parse error: json: cannot unmarshal string into Go value of type struct /,
  },
  {
    name: 'words',
    reply: raw('all is well'),
    problem:
      /^failed to call webhook: couldn't get version\/kind; json parse error: json: cannot unmarshal string into Go value of type struct /,
  },
  { name: 'no YAML', reply: raw('a: b: c'), problem: /^failed to call webhook: yaml: ./ },
  {
    name: 'a patch of a validating one',
    reply: answering(patchOf([])),
    problem: /^received invalid webhook response: validating webhook may not return response\.patch$/,
  },
  {
    name: 'the type of a patch, of a validating one',
    reply: answering({ patchType: 'JSONPatch' }),
    problem: /^received invalid webhook response: validating webhook may not return response\.patchType$/,
  },
  {
    name: 'a patch of no type',
    kind: 'Mutating',
    reply: answering({ ...patchOf([{}]), patchType: '' }),
    problem: /^received invalid webhook response: webhook returned invalid response\.patchType of ""$/,
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
    problem:
      /^failed to call webhook: Post "https:.*\?timeout=10s": net\/http: HTTP\/1\.x transport connection broken: malformed HTTP response: .*$/,
  },
  {
    name: 'half of an answer',
    reply: (_review, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 }).write('{');
      setTimeout(() => response.destroy(), 10);
    },
    problem: /^failed to call webhook: unexpected error when reading response body\. Please retry\. Original error: unexpected EOF$/,
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
    problem: /^failed to call webhook: 0-length response with status code: 200 and content type: application\/json$/,
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
  assert.match(body.message, /failed to call webhook: unexpected error when reading response body\. .*: context deadline exceeded$/);
});

test('that ask for another attempt get it, until they have asked ten times', async () => {
  await configure('Validating', hook());
  const busy: typeof webhook.reply = (_review, response) => void response.writeHead(429, { 'retry-after': '0' }).end();
  webhook.reply = (...asking) => (webhook.asked.length > 3 ? answering({}) : busy)(...asking);
  assert.is((await create('a')).status, 201);
  assert.is(webhook.asked.length, 4);
  webhook.reply = busy;
  const { body } = await create('b');
  assert.match(body.message, /failed to call webhook: the server has received too many requests and has asked us to try again later$/);
  assert.is(webhook.asked.length, 15);
});

test('that ask for another attempt later than anybody waits are given up', async () => {
  await configure('Validating', hook({ timeoutSeconds: 1 }));
  webhook.reply = (_review, response) => void response.writeHead(503, { 'retry-after': '30' }).end();
  const { body } = await create('a');
  assert.match(body.message, /failed to call webhook: Post "https:.*\?timeout=1s": context deadline exceeded$/);
  assert.is(webhook.asked.length, 1);
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

test.run();
