/** Who is asking, with real parts: certificates of openssl, an authenticating proxy, an OpenID provider and a webhook on loopback. */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect } from 'node:http2';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Provider } from '../../authentication/issuers/provider.ts';
import { type Answer, authority, Client, type Json } from '../../harness/client.ts';
import { type MadeCertificate, OpenSsl } from '../../harness/openssl.ts';
import { startServer } from '../../harness/server.ts';

const folder = new OpenSsl();
const first = folder.authority('first');
const second = folder.authority('second');
const proxies = folder.authority('proxies');
const stranger = folder.authority('stranger');
const between = folder.leaf({ subject: '/CN=between', issuer: first, authority: true });
const leaf = (subject: string, issuer: MadeCertificate, usage = 'clientAuth', days = 10) => folder.leaf({ subject, issuer, usage, days });

const bobOfSecond = leaf('/CN=bob', second);

const provider = await Provider.start(folder);
await provider.addKey('one');

const hookCertificate = folder.leaf({ subject: '/CN=hook', issuer: second, usage: 'serverAuth', host: '127.0.0.1' });
const hook = https.createServer({ cert: hookCertificate.certificate, key: hookCertificate.key }, async (request, response) => {
  const { spec } = JSON.parse(Buffer.concat(await request.toArray()).toString());
  const known = spec.token === 'hooked';
  response.end(JSON.stringify({ status: known ? { authenticated: true, user: { username: 'hank', groups: ['system:masters'] } } : {} }));
});
hook.listen(0, '127.0.0.1');
await once(hook, 'listening');
const hookFile = folder.write(
  'hook.json',
  JSON.stringify({
    clusters: [
      {
        name: 'h',
        cluster: { server: `https://127.0.0.1:${(hook.address() as AddressInfo).port}/`, 'certificate-authority': second.certificateFile },
      },
    ],
    contexts: [{ name: 'c', context: { cluster: 'h', user: '' } }],
    'current-context': '',
  }),
);

const server = await startServer({
  dialect: 'kubernetes',
  flags: [
    `--client-ca-file=${folder.write('clients.pem', first.certificate + second.certificate)}`,
    `--requestheader-client-ca-file=${folder.write('proxies.pem', proxies.certificate)}`,
    '--requestheader-allowed-names=gate,door',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--oidc-issuer-url=${provider.url}`,
    '--oidc-client-id=client',
    `--oidc-ca-file=${folder.write('provider.pem', provider.authority)}`,
    '--oidc-groups-claim=groups',
    '--oidc-username-prefix=oidc:',
    `--authentication-token-webhook-config-file=${hookFile}`,
    '--authentication-token-webhook-version=v1',
    '--service-account-max-token-expiration=2h',
  ],
});
const admin = new Client(server);
const ANY_USE = 'anyExtendedKeyUsage';
const REVIEW = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEW_BODY = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });

/** One request on a connection of its own, with a certificate or none. */
function ask(
  certificate: Partial<MadeCertificate> | undefined,
  headers: https.RequestOptions['headers'] = {},
  where = REVIEW,
  asked = server,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const tls = certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key };
  const method = where === REVIEW ? 'POST' : 'GET';
  const options = { method, headers: { 'content-type': 'application/json', ...headers }, ca: authority(asked), agent: false, ...tls };
  const request = https.request(asked.url + where, options, async (response) => {
    const text = Buffer.concat(await response.toArray()).toString();
    const body = (response.headers['content-type'] ?? '').includes('json') ? JSON.parse(text) : undefined;
    resolve({ status: response.statusCode as number, headers: response.headers, body, text });
  });
  request.on('error', reject);
  request.end(method === 'POST' ? REVIEW_BODY : undefined);
  return promise;
}

const userOf = ({ body }: Answer): Json => body?.status?.userInfo;

const certificates = suite('client certificates');
const MASTERS = '/O=system:masters';
for (const [name, issuer] of [
  ['first', first],
  ['second', second],
] as const)
  certificates(`of the ${name} authority name a user and its groups`, async () => {
    const answer = await ask(leaf(`/CN=bob/O=dev${MASTERS}`, issuer));
    assert.is(answer.status, 201, answer.text);
    const { username, groups, extra } = userOf(answer);
    assert.equal([username, groups], ['bob', ['dev', 'system:masters', 'system:authenticated']]);
    assert.match(extra['authentication.kubernetes.io/credential-id'][0], /^X509SHA256=[0-9a-f]{64}$/);
  });
for (const [name, options] of [
  ['for any use', { usage: 'anyExtendedKeyUsage' }],
  ['of a key that is said to encrypt others alone', { extensions: ['keyUsage=critical,keyEncipherment'] }],
] as const)
  certificates(`${name} name a user`, async () => {
    const bob = folder.leaf({ subject: `/CN=bob${MASTERS}`, issuer: between, ...options });
    assert.is(userOf(await ask({ ...bob, certificate: bob.certificate + between.certificate })).username, 'bob');
  });
certificates('of an authority in between, which comes along', async () => {
  const bob = leaf(`/CN=bob${MASTERS}`, between);
  assert.is(userOf(await ask({ ...bob, certificate: bob.certificate + between.certificate })).username, 'bob');
  assert.is((await ask(bob)).status, 401, 'without it');
});
certificates('of an authority in between hold when a client resumes its TLS session', async () => {
  const bob = leaf(`/CN=bob${MASTERS}`, between);
  const agent = new https.Agent({
    cert: bob.certificate + between.certificate,
    key: bob.key,
    ca: authority(server),
    maxCachedSessions: 10,
  });
  const resumed: boolean[] = [];
  for (let n = 0; n < 3; n++) {
    const request = https.get(`${server.url}/api`, { agent });
    const [response] = await once(request, 'response');
    resumed.push((request.socket as TLSSocket).isSessionReused());
    await response.toArray();
    assert.is(response.statusCode, 200);
  }
  assert.equal(resumed, [false, true, true]);
});
certificates('are looked at once for a connection of HTTP/2 with many requests', async () => {
  const bob = leaf(`/CN=bob${MASTERS}`, first);
  const session = connect(server.url, { ca: authority(server), cert: bob.certificate, key: bob.key });
  for (let n = 0; n < 3; n++) {
    const stream = session.request({ ':method': 'POST', ':path': REVIEW, 'content-type': 'application/json' });
    stream.end(REVIEW_BODY);
    const body = JSON.parse(Buffer.concat(await stream.toArray()).toString());
    assert.is(body.status.userInfo.username, 'bob');
  }
  session.close();
});
const bad: [name: string, made: () => MadeCertificate][] = [
  ['of an unknown authority', () => leaf(`/CN=admin${MASTERS}`, stranger)],
  ['that have expired', () => leaf(`/CN=admin${MASTERS}`, first, 'clientAuth', -1)],
  ['for servers', () => leaf(`/CN=admin${MASTERS}`, first, 'serverAuth')],
  ['for any use, of an unknown authority', () => leaf(`/CN=admin${MASTERS}`, stranger, ANY_USE)],
  ['for any use that have expired', () => leaf(`/CN=admin${MASTERS}`, first, ANY_USE, -1)],
  ['for any use, signed by a certificate that is no authority', () => leaf(`/CN=admin${MASTERS}`, leaf('/CN=bob', first), ANY_USE)],
  [
    'for any use with what nobody knows and nobody may pass over',
    () =>
      folder.leaf({ subject: `/CN=admin${MASTERS}`, issuer: first, usage: ANY_USE, extensions: ['1.2.3.4=critical,ASN1:UTF8String:x'] }),
  ],
  [
    'of an authority for servers',
    () => {
      const issuer = folder.leaf({ subject: '/CN=servers', issuer: first, authority: true, extensions: ['extendedKeyUsage=serverAuth'] });
      const admin = leaf(`/CN=admin${MASTERS}`, issuer);
      return { ...admin, certificate: admin.certificate + issuer.certificate };
    },
  ],
  ['signed by a certificate that is no authority', () => leaf(`/CN=admin${MASTERS}`, leaf('/CN=bob', first))],
  ['of the authority of proxies', () => leaf(`/CN=admin${MASTERS}`, proxies)],
  ['of a proxy, without a user', () => leaf(`/CN=gate${MASTERS}`, proxies)],
];
for (const [name, made] of bad)
  certificates(`${name} are refused, and no obstacle to a token`, async () => {
    const certificate = made();
    for (const where of [REVIEW, '/version', '/readyz']) {
      const answer = await ask(certificate, {}, where);
      assert.equal([answer.status, answer.body.reason, answer.body.message], [401, 'Unauthorized', 'Unauthorized']);
      assert.is(answer.headers['www-authenticate'], undefined);
    }
    assert.is(userOf(await ask(certificate, { authorization: `Bearer ${server.tokens.admin}` })).username, 'admin');
  });
certificates('are counted by the time that they are still valid', async () => {
  const count = async (bound: string): Promise<number> => {
    const name = 'apiserver_client_certificate_expiration_seconds_bucket';
    const { text } = await admin.get('/metrics');
    return Number(new RegExp(`^${name}\\{le="${RegExp.escape(bound)}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  const bounds = ['604800', '2.592e+06'];
  const before = await Promise.all(bounds.map(count));
  await ask(leaf('/CN=bob', first), {}, '/version');
  const after = await Promise.all(bounds.map(count));
  assert.equal(
    after.map((value, index) => value - (before[index] as number)),
    [0, 1],
    'valid for ten days',
  );
});
certificates('without a name are nobody, and wrong where those of proxies are known', async () => {
  const nameless = leaf('/O=system:masters', first);
  assert.is((await ask(nameless, {}, '/version')).status, 401);
  const alone = await startServer({ dialect: 'kubernetes', flags: [`--client-ca-file=${folder.write('alone.pem', first.certificate)}`] });
  try {
    const { status, body } = await ask(nameless, {}, REVIEW, alone);
    assert.is(status, 403);
    assert.match(body.message, /User "system:anonymous" cannot create/);
  } finally {
    await alone.stop();
  }
});
certificates.run();

const headers = suite('authenticating proxy');
const CLAIM = { 'X-Remote-User': 'tess', 'X-Remote-Group': ['one', 'system:masters'], 'X-Remote-Extra-Team': 'x' };
for (const name of ['gate', 'door'])
  headers(`with the name ${name} says who asks`, async () => {
    const { username, groups, extra } = userOf(await ask(leaf(`/CN=${name}`, proxies), CLAIM));
    assert.equal([username, groups, extra], ['tess', ['one', 'system:masters', 'system:authenticated'], { team: ['x'] }]);
  });
headers('with another name is not believed', async () => {
  assert.is((await ask(leaf('/CN=window', proxies), CLAIM)).status, 401);
});
headers('is believed before a token', async () => {
  assert.is(userOf(await ask(leaf('/CN=gate', proxies), { ...CLAIM, authorization: 'Bearer nonsense' })).username, 'tess');
});
const smuggled: [name: string, certificate: MadeCertificate | undefined, more: object, seen: RegExp][] = [
  ['without a certificate', undefined, {}, /system:anonymous/],
  ['with the token of another user', undefined, { authorization: 'Bearer alice-token' }, /alice/],
  ["with a user's certificate", leaf('/CN=bob', first), {}, /bob/],
];
for (const [name, certificate, more, seen] of smuggled)
  headers(`its headers count for nothing ${name}`, async () => {
    const answer = await ask(certificate, { ...CLAIM, ...more }, '/api/v1/nodes');
    assert.is(answer.status, 403);
    assert.match(answer.body.message, seen);
  });
headers("its headers count for nothing with a stranger's certificate of the right name", async () => {
  assert.is((await ask(leaf('/CN=gate', stranger), CLAIM)).status, 401);
  assert.is((await ask(leaf('/CN=gate', first), CLAIM, '/api/v1/nodes')).status, 403, 'a user of that name');
});
headers.run();

const followed = suite('files of authorities');
/** Asks until an answer has the status, within 20 s. */
async function until(status: number, asked: () => Promise<Answer>): Promise<void> {
  const end = Date.now() + 20_000;
  for (;;) {
    const answer = await asked();
    if (answer.status === status) return;
    assert.ok(Date.now() < end, `still ${answer.status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
followed('that change count from the next request on, also on connections that are there', async () => {
  const connected = () => connect(server.url, { ca: authority(server), cert: bobOfSecond.certificate, key: bobOfSecond.key });
  let session = connected();
  const asked = async (): Promise<number> => {
    const stream = session.request({ ':path': '/version' });
    const [head] = await once(stream, 'response');
    await stream.toArray();
    return head[':status'];
  };
  assert.is(await asked(), 200);
  folder.write('clients.pem', first.certificate + stranger.certificate);
  await until(200, () => ask(leaf('/CN=eve', stranger), {}, '/version'));
  assert.is(await asked(), 401);
  assert.is((await ask(bobOfSecond, {}, '/version')).status, 401);
  folder.write('clients.pem', first.certificate + second.certificate);
  await until(401, () => ask(leaf('/CN=eve', stranger), {}, '/version'));
  // the refusal was the last answer over the other connection
  session = connected();
  assert.is(await asked(), 200);
  session.close();
});
followed('of proxies count likewise', async () => {
  const claimed = (issuer: MadeCertificate) => ask(leaf('/CN=gate', issuer), CLAIM, '/version');
  folder.write('proxies.pem', stranger.certificate);
  await until(200, () => claimed(stranger));
  assert.is((await claimed(proxies)).status, 401);
  folder.write('proxies.pem', proxies.certificate);
  await until(200, () => claimed(proxies));
});
followed.run();

const tokens = suite('tokens');
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
tokens('of an OpenID provider', async () => {
  const { username, groups } = userOf(await ask(undefined, bearer(await provider.sign('one', { groups: ['system:masters'] }))));
  assert.equal([username, groups], ['oidc:jane', ['system:masters', 'system:authenticated']]);
  assert.is((await ask(undefined, bearer(await provider.sign('one', { aud: 'other' })), '/version')).status, 401);
});
tokens('that a webhook knows', async () => {
  assert.is(userOf(await ask(undefined, bearer('hooked'))).username, 'hank');
});
tokens('that nobody knows are refused even where anonymous requests are let in', async () => {
  for (const where of ['/version', '/readyz', '/api/v1/nodes']) assert.is((await ask(undefined, bearer('nonsense'), where)).status, 401);
});
tokens('that are very long are refused', async () => {
  assert.is((await ask(undefined, bearer('x'.repeat(100_000)), '/version')).status, 401);
});
tokens('do not get into the log', () => {
  for (const secret of ['nonsense', 'hooked', server.tokens.admin]) assert.not.match(server.log(), secret);
});
tokens('of a service account end with it, and are shortened to what is allowed', async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  assert.is((await admin.post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } })).status, 201);
  const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 10_000 } };
  const answer = await admin.post(`${accounts}/robot/token`, wish);
  assert.is(answer.body.spec.expirationSeconds, 7_200);
  assert.match(String(answer.headers.warning), 'requested expiration of 10000 seconds shortened to 7200 seconds');
  const { token } = answer.body.status;
  assert.match((await ask(undefined, bearer(token), '/api/v1/nodes')).body.message, 'system:serviceaccount:default:robot');
  await admin.delete(`${accounts}/robot`);
  assert.is((await ask(undefined, bearer(token), '/version')).status, 401, 'at once');
});
tokens('can be checked by others with what the server publishes', async () => {
  const configuration = (await admin.get('/.well-known/openid-configuration')).body;
  assert.is(configuration.issuer, 'https://kubernetes.default.svc');
  assert.is(configuration.jwks_uri, `${server.url}/openid/v1/jwks`);
  const { body, headers: answered } = await admin.get('/openid/v1/jwks', { accept: '*/*' });
  assert.is(answered['content-type'], 'application/jwk-set+json');
  assert.equal(Object.keys(body ?? JSON.parse((await admin.get('/openid/v1/jwks', { accept: '*/*' })).text)), ['keys']);
});
tokens('and keys of our own lie in files for their owner alone', () => {
  for (const file of ['pki/service-account.key', 'pki/administrator.key', 'pki/ca.key', 'admin.conf'])
    assert.is(statSync(path.join(server.directory, 'data', file)).mode & 0o077, 0, file);
});
tokens.after(async () => {
  admin.close();
  hook.closeAllConnections();
  hook.close();
  provider.close();
  folder.remove();
  assert.equal(server.faults(), []);
  await server.stop();
});
tokens.run();
