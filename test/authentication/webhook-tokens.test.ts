/** Tokens that a webhook on loopback is asked about. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../generated/identity.ts';
import { metricsData } from '../../generated/metrics.ts';
import { Refusal } from '../../runtime/authentication/outcome.ts';
import { TokenCacheMetrics } from '../../runtime/authentication/token-cache-metrics.ts';
import type { TokenOutcome } from '../../runtime/authentication/token-methods.ts';
import { WebhookTokens, type WebhookTokensOptions } from '../../runtime/authentication/webhook-tokens.ts';
import { createIdentity } from '../../runtime/contract/identity.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { peerOf } from '../../runtime/outbound/client-configuration.ts';
import { OpenSsl } from '../harness/openssl.ts';

const identity = createIdentity(identityData, 'kubernetes');
const folder = new OpenSsl();
const authority = folder.authority('webhook');
const { certificate, key } = folder.leaf({ subject: '/CN=hook', issuer: authority, usage: 'serverAuth', host: '127.0.0.1' });
const client = folder.leaf({ subject: '/CN=apiserver', issuer: authority });

// biome-ignore lint/suspicious/noExplicitAny: reviews are what the test looks into
type Review = any;
let asked: { review: Review; authorization: string | undefined; client: string | undefined; path: string }[] = [];
let answer: (review: Review) => [status: number, body: unknown] = () => [500, {}];
const server = createServer(
  { cert: certificate, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: false },
  async (request, response) => {
    const review = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const { subject } = (request.socket as import('node:tls').TLSSocket).getPeerCertificate();
    asked.push({ review, authorization: request.headers.authorization, client: subject?.CN as string, path: request.url ?? '' });
    const [status, body] = answer(review);
    if (body instanceof Promise) {
      await once(response, 'close');
      server.emit('gone');
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
  },
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}/check`;

const configuration = (user: object = {}, cluster: object = {}) => ({
  kind: 'Config',
  apiVersion: 'v1',
  metadata: {},
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'hook', user: 'me' } }],
  clusters: [{ name: 'hook', cluster: { server: address, 'certificate-authority': authority.certificateFile, ...cluster } }],
  users: [{ name: 'me', user }],
});
const peer = peerOf(configuration(), `${folder.folder}/hook.conf`, identity);
const opened: WebhookTokens[] = [];
function hook(options: Partial<WebhookTokensOptions> = {}): WebhookTokens {
  asked = [];
  const made = new WebhookTokens({
    peer,
    apiVersion: 'authentication.k8s.io/v1',
    audiences: ['api'],
    cacheTtl: 60_000,
    retries: { attempts: 3, wait: 1 },
    ...options,
  });
  opened.push(made);
  return made;
}
const said = (outcome: TokenOutcome): string => (outcome instanceof Refusal ? outcome.reason : JSON.stringify(outcome));
const JANE = { username: 'jane', uid: '7', groups: ['a', 'b'], extra: { k: ['v'] } };
const yes = (status: object = {}) => [200, { status: { authenticated: true, user: JANE, ...status } }] as [number, object];

const test = suite('webhook');
for (const version of ['v1', 'v1beta1'])
  test(`is sent a review of ${version}, and answers whose token it is`, async () => {
    answer = () => yes();
    const outcome = await hook({ apiVersion: `authentication.k8s.io/${version}` }).identify('t', ['api', 'x']);
    assert.equal(outcome, { user: { name: 'jane', uid: '7', groups: ['a', 'b'], extra: { k: ['v'] } }, audiences: ['api'] });
    assert.equal(asked[0]?.review, {
      kind: 'TokenReview',
      apiVersion: `authentication.k8s.io/${version}`,
      metadata: { creationTimestamp: null },
      spec: { token: 't', audiences: ['api', 'x'] },
      status: { user: {} },
    });
    assert.is(asked[0]?.path, '/check?timeout=30s');
  });

const audiences: [name: string, wanted: string[], answered: string[] | undefined, meant: string[] | undefined][] = [
  ['that it names and that are wanted', ['x', 'y'], ['y', 'z'], ['y']],
  ['of which none is wanted', ['x'], ['y'], undefined],
  ['that it does not know: those of this server count', ['api'], undefined, ['api']],
  ['that it does not know, for others than this server', ['x'], undefined, undefined],
  ['whatever they are, where none is wanted', [], ['y'], []],
];
for (const [name, wanted, answered, meant] of audiences)
  test(`audiences ${name}`, async () => {
    answer = () => yes(answered && { audiences: answered });
    const outcome = await hook().identify('t', wanted);
    assert.equal(outcome && !(outcome instanceof Refusal) ? outcome.audiences : outcome, meant);
  });

test('a token that it does not know', async () => {
  answer = () => [200, { status: { authenticated: false } }];
  assert.is(await hook().identify('t', ['api']), undefined);
});
// as in 1.32, where what is absent has its zero value
for (const body of ['{}', 'null', '{"status":null}'])
  test(`a token of which it says nothing: ${body}`, async () => {
    answer = () => [200, body];
    assert.is(await hook().identify('t', ['api']), undefined);
  });
test('an answer of another kind', async () => {
  answer = () => [200, { kind: 'SubjectAccessReview', status: { authenticated: true, user: JANE } }];
  assert.match(said(await hook().identify('t', ['api'])), /no kind "SubjectAccessReview" is registered/);
});
test('an error that it tells', async () => {
  answer = () => [200, { status: { error: 'database is away' } }];
  assert.match(said(await hook().identify('t', ['api'])), /database is away/);
});
test('what is asked, and what is known, is counted under the names of 1.32', async () => {
  const metrics = new Metrics(metricsData);
  const tokens = hook({ cacheMetrics: new TokenCacheMetrics(metrics), retries: { attempts: 1, wait: 1 } });
  const rows = async (): Promise<string[]> =>
    (await metrics.text()).body
      .split('\n')
      .flatMap(
        (line) => /^authentication_token_cache_((?:request_total|request_duration_seconds_count|fetch|active).*)$/.exec(line)?.[1] ?? [],
      )
      .sort();
  answer = () => yes();
  const together = [tokens.identify('a', []), tokens.identify('a', [])];
  const begun = await rows();
  assert.ok(begun.includes('active_fetch_count{status="blocked"} 2'), begun.join());
  assert.ok(begun.includes('active_fetch_count{status="in_flight"} 1'), begun.join());
  await Promise.all(together);
  await tokens.identify('a', []);
  answer = () => [400, {}];
  assert.instance(await tokens.identify('b', []), Refusal);
  assert.equal(await rows(), [
    'active_fetch_count{status="blocked"} 0',
    'active_fetch_count{status="in_flight"} 0',
    'fetch_total{status="error"} 1',
    'fetch_total{status="ok"} 1',
    'request_duration_seconds_count{status="hit"} 1',
    'request_duration_seconds_count{status="miss"} 3',
    'request_total{status="hit"} 1',
    'request_total{status="miss"} 3',
  ]);
});
test('answers hold for a while, by token and audiences, for requests that come together too', async () => {
  answer = () => yes();
  const tokens = hook();
  await Promise.all([1, 2, 3].map(() => tokens.identify('t', ['api'])));
  await tokens.identify('t', ['api']);
  assert.is(asked.length, 1);
  await tokens.identify('other', ['api']);
  await tokens.identify('t', ['api', 'x']);
  assert.is(asked.length, 3);
});
test('no answer holds longer than it may', async () => {
  answer = () => yes();
  const tokens = hook({ cacheTtl: 0 });
  await tokens.identify('t', ['api']);
  await tokens.identify('t', ['api']);
  assert.is(asked.length, 2);
});
test('is asked again where it fails, and failures are not kept', async () => {
  let left = 2;
  answer = () => (left-- > 0 ? [500, 'broken'] : yes());
  const tokens = hook();
  assert.ok((await tokens.identify('t', ['api'])) instanceof Object);
  assert.is(asked.length, 3);
  answer = () => [500, 'broken'];
  assert.match(
    said(await tokens.identify('u', ['api'])),
    /^an error on the server \("unknown"\) has prevented the request from succeeding$/,
  );
  answer = () => yes();
  assert.not.instance(await tokens.identify('u', ['api']), Refusal);
});
const wrongTypes: [member: string, status: object][] = [
  ['authenticated', { authenticated: 'true' }],
  ['error', { error: { message: 'x' } }],
  ['audiences', { audiences: 'api' }],
  ['an audience', { audiences: ['api', 5] }],
  ['user', { user: 'jane' }],
  ['username', { user: { ...JANE, username: 5 } }],
  ['uid', { user: { ...JANE, uid: {} } }],
  ['groups', { user: { ...JANE, groups: 'admins' } }],
  ['a group', { user: { ...JANE, groups: ['a', {}] } }],
  ['extra, of a long text', { user: { ...JANE, extra: 'x'.repeat(500_000) } }],
  ['extra, of a list', { user: { ...JANE, extra: [['v']] } }],
  ['values of extra', { user: { ...JANE, extra: { k: 'v' } } }],
  ['a value of extra', { user: { ...JANE, extra: { k: [1] } } }],
];
for (const [member, status] of wrongTypes)
  test(`a wrong type is no answer: ${member}`, async () => {
    answer = () => yes(status);
    assert.match(said(await hook().identify('t', ['api'])), /^json: cannot unmarshal (string|number|object|array) into Go struct field /);
  });
for (const [what, status, why] of [
  ['many groups', { user: { ...JANE, groups: Array.from({ length: 21_000 }, (_, i) => `g${i}`) } }, /more than is read of a user/],
  ['a long text', { user: { ...JANE, extra: { k: ['x'.repeat(513 * 1024)] } } }, /524288 bytes/],
] as const)
  test(`more is said than is read of a user: ${what}`, async () => {
    answer = () => yes(status);
    assert.match(said(await hook().identify('t', ['api'])), why);
  });
test('null is as good as absent, and names of members are no more than names', async () => {
  const extra = '{"__proto__":["v"],"constructor":null}';
  answer = () =>
    [
      200,
      `{"status":{"authenticated":true,"error":null,"audiences":null,"user":{"username":"jane","uid":null,"groups":null,"extra":${extra}}}}`,
    ] as never;
  const outcome = await hook().identify('t', ['api']);
  assert.is(
    said(outcome),
    '{"user":{"name":"jane","uid":"","groups":[],"extra":{"__proto__":["v"],"constructor":[]}},"audiences":["api"]}',
  );
});
test('a refusal by status, and what is no review, are no answers', async () => {
  for (const [given, reason] of [
    [[403, 'no'], /^unknown$/],
    [[200, 'hello'], /couldn't get version\/kind; json parse error/],
    [[200, []], /json: cannot unmarshal array into Go value/],
  ] as const) {
    answer = () => given as unknown as [number, unknown];
    assert.match(said(await hook().identify('t', ['api'])), reason);
    assert.is(asked.length, 1, 'not repeated');
  }
});

const users: [name: string, user: object, seen: { authorization?: string; client?: string }][] = [
  ['a token', { token: 'secret' }, { authorization: 'Bearer secret' }],
  ['a token of a file', { tokenFile: folder.write('token', 'from-file\n') }, { authorization: 'Bearer from-file' }],
  ['a password', { username: 'u', password: 'p' }, { authorization: `Basic ${Buffer.from('u:p').toString('base64')}` }],
  ['a certificate', { 'client-certificate': client.certificateFile, 'client-key': client.keyFile }, { client: 'apiserver' }],
  [
    'a certificate in the configuration itself',
    {
      'client-certificate-data': Buffer.from(client.certificate).toString('base64'),
      'client-key-data': Buffer.from(client.key).toString('base64'),
    },
    { client: 'apiserver' },
  ],
];
for (const [name, user, seen] of users)
  test(`is shown ${name}`, async () => {
    answer = () => yes();
    await hook({ peer: peerOf(configuration(user), `${folder.folder}/hook.conf`, identity) }).identify('t', ['api']);
    assert.equal([asked[0]?.authorization, asked[0]?.client], [seen.authorization, seen.client]);
  });
test('is not believed with a certificate of somebody else', async () => {
  const other = { 'certificate-authority': folder.authority('other').certificateFile };
  const outcome = await hook({ peer: peerOf(configuration({}, other), '/hook.conf', identity) }).identify('t', ['api']);
  assert.match(said(outcome), /certificate/);
  assert.is(asked.length, 0);
});
for (const [name, user, cluster] of [
  ['commands', { exec: { command: 'x' } }, {}],
  ['other addresses', {}, { server: 'ftp://x' }],
  ['files that are not there', { tokenFile: '', 'client-certificate': 'nowhere', 'client-key': 'nowhere' }, {}],
] as const)
  test(`configurations with ${name} are refused`, () =>
    assert.throws(() => peerOf(configuration(user, cluster), '/hook.conf', identity), /\/hook\.conf/));

test.after(() => {
  for (const each of opened) each.close();
  server.closeAllConnections();
  server.close();
  folder.remove();
});
test('who leaves waits no longer, and the service is no longer asked when nobody waits', async () => {
  const closed = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  answer = () => {
    begun.resolve();
    return [200, new Promise(() => {})];
  };
  const tokens = hook();
  const [first, second] = [new AbortController(), new AbortController()];
  const outcomes = [first, second].map(({ signal }) => tokens.identify('slow', ['api'], { signal }));
  await begun.promise;
  server.once('gone', closed.resolve);
  first.abort(new Error('the first has left'));
  assert.is(said(await (outcomes[0] as Promise<TokenOutcome>)), 'the first has left');
  second.abort(new Error('the second has left'));
  assert.is(said(await (outcomes[1] as Promise<TokenOutcome>)), 'the second has left');
  await closed.promise;
  answer = () => [200, { status: { authenticated: true, user: { username: 'jane' } } }];
  assert.match(said(await tokens.identify('slow', ['api'])), /jane/);
  assert.is(asked.length, 2);
});

test('a question that was given up leaves the one alone that took its place', async () => {
  const begun = Promise.withResolvers<void>();
  answer = () => {
    begun.resolve();
    return [200, new Promise(() => {})];
  };
  const tokens = hook();
  const leaving = new AbortController();
  const given = tokens.identify('t', ['api'], { signal: leaving.signal });
  await begun.promise;
  answer = () => yes();
  leaving.abort(new Error('left'));
  assert.not.instance(await tokens.identify('t', ['api']), Refusal);
  assert.is(said(await given), 'left');
  assert.not.instance(await tokens.identify('t', ['api']), Refusal);
  assert.is(asked.length, 2);
});

test.run();
