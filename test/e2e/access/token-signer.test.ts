/** Tokens of service accounts that a signer outside of the server signs: its keys change, it hangs, it goes and comes back. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compactVerify, createLocalJWKSet } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';
import { TestSigner } from '../../assembly/token-signer/test-signer.ts';
import { Client, type Json } from '../../harness/client.ts';
import { refusedStart, startServer, type TestServer } from '../../harness/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'token-signer-e2e-'));
const signer = await new TestSigner(path.join(folder, 'signer.sock')).listen();
const ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/robot';
const FLAGS = ['--feature-gates=ExternalServiceAccountTokenSigner=true', `--service-account-signing-endpoint=${signer.socket}`];

let server: TestServer;
let client: Client;

const test = suite('a signer of tokens');
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', directory: folder, flags: ['--workers=2', '--request-timeout=5s', ...FLAGS] });
  client = new Client(server);
  assert.is((await client.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })).status, 201);
});
test.before.each(() => {
  signer.hooks = {};
  signer.fetched = {};
  signer.signed = {};
  signer.head = undefined;
});
test.after(async () => {
  client.close();
  await server.stop();
  signer.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

const ask = (spec: object = {}) => client.post(`${ACCOUNT}/token`, { spec });

async function issued(spec: object = {}): Promise<string> {
  const { status, body, text } = await ask(spec);
  assert.is(status, 201, text);
  return body.status.token;
}

const review = async (token: string): Promise<Json> =>
  (await client.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } })).body.status;
/** By several connections at once, which are those of all processes. */
const reviews = (token: string): Promise<Json[]> => Promise.all(Array.from({ length: 6 }, () => review(token)));
async function published(document: string): Promise<{ readonly body: Json; readonly maxAge: string }> {
  const { text, headers } = await client.get(document, { accept: '*/*' });
  return { body: JSON.parse(text), maxAge: String(headers['cache-control']) };
}
const headOf = (token: string): Json => JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString());
const claimsOf = (token: string): Json => JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());

test('signs tokens that the server believes, and that others can check', async () => {
  const token = await issued();
  assert.equal(headOf(token), { alg: 'ES256', kid: 'first', typ: 'JWT' });
  for (const status of await reviews(token))
    assert.is(status.user?.username, 'system:serviceaccount:default:robot', JSON.stringify(status));
  const { body, maxAge } = await published('/openid/v1/jwks');
  assert.match(maxAge, /^public, max-age=(?:5\d\d|600)$/);
  await compactVerify(token, createLocalJWKSet(body));
  const configuration = await published('/.well-known/openid-configuration');
  assert.equal(configuration.body.id_token_signing_alg_values_supported, ['ES256']);
  assert.match(configuration.maxAge, /^public, max-age=(?:5\d\d|600)$/);
  // no key is made that nobody needs
  assert.not.ok(readdirSync(path.join(folder, 'data', 'pki')).includes('service-account.key'));
});
test('says for how long it signs', async () => {
  const { body, headers } = await ask({ expirationSeconds: 100_000 });
  const { iat, exp } = claimsOf(body.status.token);
  assert.is(exp - iat, 86_400);
  assert.match(String(headers.warning), /requested expiration of 100000 seconds shortened to 86400 seconds/);
});
test('signs for pods no longer than it signs at all', async () => {
  const spec = { containers: [{ name: 'a', image: 'a:1' }], serviceAccountName: 'robot' };
  const pod = await client.post('/api/v1/namespaces/default/pods', { metadata: { name: 'a' }, spec });
  assert.is(pod.status, 201, pod.text);
  const token = await issued({ expirationSeconds: 3607, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'a' } });
  const { iat, exp, 'kubernetes.io': bound } = claimsOf(token);
  assert.equal([exp - iat, bound.warnafter - iat], [86_400, 3_607]);
});
test('is asked by the thread for long requests, too', async () => {
  const audiences = Array.from({ length: 3 }, (_, index) => `${index}-${'a'.repeat(10_000)}`);
  const padding = { metadata: { annotations: { padding: 'p'.repeat(200_000) } } };
  const { status, text, body } = await client.post(`${ACCOUNT}/token`, { ...padding, spec: { audiences } });
  assert.is(status, 201, text.slice(0, 500));
  assert.equal(claimsOf(body.status.token).aud, audiences);
  assert.is(signer.calls.metadata, 3, 'by both processes, and by the thread of one');
});
test('changes its keys, which are known from the next token on', async () => {
  const old = await issued();
  signer.add('second');
  const token = await issued();
  assert.is(headOf(token).kid, 'second');
  for (const each of [old, token]) for (const status of await reviews(each)) assert.ok(status.authenticated, JSON.stringify(status));
  const { body } = await published('/openid/v1/jwks');
  assert.equal(
    body.keys.map(({ kid }: { kid: string }) => kid),
    ['first', 'second'],
  );
  signer.remove('first');
  const forged = `${Buffer.from('{"alg":"ES256","kid":"none"}').toString('base64url')}.${token.split('.').slice(1).join('.')}`;
  const status = await review(forged);
  assert.not.ok(status.authenticated);
  assert.match(status.error, /invalid signature, no keys found/);
});
test('fails, and the request with it, as in 1.32', async () => {
  signer.hooks.sign = () => {
    throw new InterfaceError('PERMISSION_DENIED', 'not for you');
  };
  const denied = await ask();
  assert.equal(denied.body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'failed to generate token: while signing jwt: rpc error: code = PermissionDenied desc = not for you',
    code: 500,
  });
  signer.hooks = {};
  signer.head = { alg: 'HS256', kid: 'second', typ: 'JWT' };
  const wrong = await ask();
  assert.equal(
    [wrong.status, wrong.body.message],
    [500, 'failed to generate token: while validating header: bad signing algorithm "HS256"'],
  );
});
test('hangs, and nobody waits longer than a request may take', async () => {
  const ended = Promise.withResolvers<void>();
  signer.hooks.sign = (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(ended.resolve())));
  const { status, body } = await ask();
  assert.equal([status, body.reason], [504, 'Timeout']);
  await ended.promise;
  assert.is((await client.get(ACCOUNT)).status, 200);
});
test('goes and comes back, and what waits meanwhile is answered', async () => {
  const known = await issued();
  await reviews(known);
  signer.stop();
  const waiting = ask();
  for (const status of await reviews(known)) assert.ok(status.authenticated, 'its key is known');
  await sleep(300);
  signer.add('third');
  await signer.listen();
  const { status, text, body } = await waiting;
  assert.is(status, 201, text);
  assert.is(headOf(body.status.token).kid, 'third');
  assert.ok((await review(body.status.token)).authenticated);
});
test('is counted', async () => {
  const { text } = await client.get('/metrics');
  for (const line of [
    /^apiserver_externaljwt_sign_request_total\{code="OK"\} \d+$/m,
    /^apiserver_externaljwt_sign_request_total\{code="PermissionDenied"\} 1$/m,
    /^apiserver_externaljwt_fetch_keys_request_total\{code="OK"\} \d+$/m,
    /^apiserver_externaljwt_fetch_keys_data_timestamp 1700000000$/m,
    /^apiserver_externaljwt_fetch_keys_success_timestamp \d{10}/m,
    /^apiserver_externaljwt_request_duration_seconds_count\{code="OK",method="\/v1alpha1.ExternalJWTSigner\/Sign"\} \d+$/m,
  ])
    assert.match(text, line);
});
test('signs nothing without an end: secrets get no tokens', async () => {
  const annotations = { 'kubernetes.io/service-account.name': 'robot' };
  const secrets = '/api/v1/namespaces/default/secrets';
  const made = await client.post(secrets, { metadata: { name: 'old', annotations }, type: 'kubernetes.io/service-account-token' });
  assert.is(made.status, 201, made.text);
  await sleep(300);
  assert.is((await client.get(`${secrets}/old`)).body.data?.token, undefined);
  assert.equal(server.faults(), []);
});
test.run();

const starts = suite('a server without its signer');
starts('does not start, and names the flag', async () => {
  const other = await new TestSigner(path.join(tmpdir(), `signer-${process.pid}.sock`)).listen();
  other.fetched = { refreshHintSeconds: 0n };
  try {
    const flags = [FLAGS[0] as string, `--service-account-signing-endpoint=${other.socket}`];
    const { exitCode, output } = await refusedStart({ dialect: 'kubernetes', flags });
    assert.is(exitCode, 1);
    assert.match(output, /--service-account-signing-endpoint: while fetching token verification keys: found invalid refresh hint \(0s\)/);
  } finally {
    other.stop();
  }
});
starts.run();
