/** Tokens of service accounts: issued, believed, and each way in which one is not to be believed. */

import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import { Refusal } from '../../../runtime/authentication/outcome.ts';
import { ServiceAccountIssuer } from '../../../runtime/authentication/service-accounts/issuer.ts';
import { readTokenKeys, type TokenKeyFlags } from '../../../runtime/authentication/service-accounts/keys.ts';
import { LastUse } from '../../../runtime/authentication/service-accounts/last-use.ts';
import type { TokenWish } from '../../../runtime/authentication/service-accounts/token-issuer.ts';
import { OwnTokenSigner } from '../../../runtime/authentication/service-accounts/token-signer.ts';
import { ServiceAccountTokens } from '../../../runtime/authentication/service-accounts/token-verifier.ts';
import type { TokenIdentity, TokenOutcome } from '../../../runtime/authentication/token-methods.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { Log } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { withMachineClock } from '../../harness/machine-clock.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { TestObjects, kubernetesText as text } from '../objects.ts';

const ISSUER = 'https://issuer.example';
const AUDIENCES = ['https://api.example'];
const folder = new OpenSsl();
const pem = (key: KeyObject) => key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }) as string;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

const NO_FLAGS: TokenKeyFlags = { 'service-account-key-file': [], 'service-account-signing-key-file': '', 'tls-private-key-file': '' };
const keys = readTokenKeys(
  {
    ...NO_FLAGS,
    'service-account-key-file': [folder.write('old.pem', pem(elliptic.publicKey))],
    'service-account-signing-key-file': folder.write('signing.pem', pem(rsa.privateKey)),
  },
  folder.folder,
);

const signer = new OwnTokenSigner(keys);

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
/** Such as `namespace/secret label=value`. */
const labelled: string[] = [];
const lastUse = new LastUse(
  text,
  async (namespace, name, label, value) => {
    labelled.push(`${namespace}/${name} ${label}=${value}`);
  },
  quiet,
);

function world() {
  const objects = new TestObjects();
  const account = objects.put('serviceaccounts/ns/robot');
  const options = { name: ISSUER, signer, maxLifetime: 0, extendMounted: true, keysUri: () => '', text };
  const verifier = new ServiceAccountTokens({
    signer,
    issuers: [ISSUER],
    audiences: AUDIENCES,
    objects,
    lookUp: true,
    lastUse,
    metrics: new Metrics(metricsData),
    text,
  });
  const issuer = new ServiceAccountIssuer(options);
  const wish: TokenWish = { id: 'one', account, audiences: AUDIENCES, lifetime: 3600, now: Date.now() };
  return { objects, account, issuer, verifier, wish };
}

/** What a token has the audit told of its request. */
async function annotationsOf(verifier: ServiceAccountTokens, token: string): Promise<object> {
  const annotations: Record<string, string> = {};
  const annotate = (key: string, value: string) => {
    annotations[key] = value;
  };
  await verifier.identify(token, AUDIENCES, { signal: new AbortController().signal, annotate });
  return annotations;
}

const reasonOf = (outcome: TokenOutcome): string => (outcome instanceof Refusal ? outcome.reason : `believed: ${JSON.stringify(outcome)}`);

const issued = suite('tokens that were requested');
issued('name the account, and what they are bound to', async () => {
  const { objects, issuer, verifier, wish } = world();
  const pod = objects.put('pods/ns/p');
  const token = await issuer.issue({ ...wish, pod, node: { name: 'n', uid: 'nu' } });
  const [, payload = ''] = token.split('.');
  const { 'kubernetes.io': bound, jti, exp, iat, nbf, ...rest } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  assert.equal(rest, { aud: AUDIENCES, iss: ISSUER, sub: 'system:serviceaccount:ns:robot' });
  assert.equal([exp - iat, nbf - iat], [3600, 0]);
  assert.is(jti, 'one');
  assert.equal(bound, {
    namespace: 'ns',
    node: { name: 'n', uid: 'nu' },
    pod: { name: 'p', uid: 'uid-of-p' },
    serviceaccount: { name: 'robot', uid: 'uid-of-robot' },
  });
  assert.equal(await verifier.identify(token, AUDIENCES), {
    user: {
      name: 'system:serviceaccount:ns:robot',
      uid: 'uid-of-robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
      extra: {
        'authentication.kubernetes.io/credential-id': [`JTI=${jti}`],
        'authentication.kubernetes.io/node-name': ['n'],
        'authentication.kubernetes.io/node-uid': ['nu'],
        'authentication.kubernetes.io/pod-name': ['p'],
        'authentication.kubernetes.io/pod-uid': ['uid-of-p'],
      },
    },
    audiences: AUDIENCES,
  });
});
issued('are for the audiences that both sides name, in the order in which they are wanted', async () => {
  const { issuer, verifier, wish } = world();
  const token = await issuer.issue({ ...wish, audiences: ['vault', 'db'] });
  assert.equal(((await verifier.identify(token, ['db', 'mail', 'vault'])) as TokenIdentity).audiences, ['db', 'vault']);
  assert.match(reasonOf(await verifier.identify(token, AUDIENCES)), /audiences/);
});

/** Each change takes the token back at once, though its signature was just checked. */
const revocations: [name: string, bind: 'pod' | 'secret' | 'node' | '', change: (objects: TestObjects) => void, reason: RegExp][] = [
  ['the account is gone', '', ({ stored }) => stored.delete('serviceaccounts/ns/robot'), /not found/],
  ['the account is another one', '', (objects) => objects.put('serviceaccounts/ns/robot', {}, { uid: 'new' }), /UID \(new\)/],
  [
    'the account was deleted long ago',
    '',
    (objects) => objects.put('serviceaccounts/ns/robot', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    /deleted/,
  ],
  ['the pod is gone', 'pod', ({ stored }) => stored.delete('pods/ns/x'), /invalidated/],
  ['the pod is another one', 'pod', (objects) => objects.put('pods/ns/x', {}, { uid: 'new' }), /pod UID/],
  ['the secret is gone', 'secret', ({ stored }) => stored.delete('secrets/ns/x'), /invalidated/],
  ['the secret is another one', 'secret', (objects) => objects.put('secrets/ns/x', {}, { uid: 'new' }), /secret UID/],
  ['the node is gone', 'node', ({ stored }) => stored.delete('nodes/x'), /invalidated/],
  ['the node is another one', 'node', (objects) => objects.put('nodes/x', {}, { uid: 'new' }), /node UID/],
];
for (const [name, bind, change, reason] of revocations)
  issued(`are taken back when ${name}`, async () => {
    const { objects, issuer, verifier, wish } = world();
    const object = bind === '' ? undefined : objects.put(bind === 'node' ? 'nodes/x' : `${bind}s/ns/x`);
    const bound = bind === 'node' ? { node: { name: 'x', uid: object?.metadata.uid as string } } : bind === '' ? {} : { [bind]: object };
    const token = await issuer.issue({ ...wish, ...bound });
    assert.not.instance(await verifier.identify(token, AUDIENCES), Refusal);
    change(objects);
    assert.match(reasonOf(await verifier.identify(token, AUDIENCES)), reason);
  });
issued('hold while what they are bound to is only marked for deletion', async () => {
  const { objects, issuer, verifier, wish } = world();
  const secret = objects.put('secrets/ns/x');
  const token = await issuer.issue({ ...wish, secret });
  objects.put('secrets/ns/x', {}, { deletionTimestamp: new Date().toISOString() });
  assert.not.instance(await verifier.identify(token, AUDIENCES), Refusal);
});
issued('are signed by keys that came before, too', async () => {
  const { verifier } = world();
  assert.not.instance(await verifier.identify(await forged(elliptic.privateKey, 'ES384'), AUDIENCES), Refusal);
});
issued.run();

const claims: JWTPayload = {
  aud: AUDIENCES,
  iss: ISSUER,
  sub: 'system:serviceaccount:ns:robot',
  'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'uid-of-robot' } },
};
const now = Math.floor(Date.now() / 1000);
const forged = (key: KeyObject, alg: string, changed: object = {}, kid?: string) =>
  new SignJWT({ ...claims, iat: now, nbf: now, exp: now + 600, ...changed })
    .setProtectedHeader({ alg, ...(kid !== undefined && { kid }) })
    .sign(key);
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = `${part({ alg: 'none' })}.${part({ ...claims, exp: now + 600 })}.`;
function withHmac(secret: string): string {
  const text = `${part({ alg: 'HS256', kid: keys.signing.id })}.${part({ ...claims, exp: now + 600 })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const UNSIGNED = /^square\/go-jose: error in cryptographic primitive$/;
const bound = (changed: object) =>
  forged(rsa.privateKey, 'RS256', {
    'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'uid-of-robot' }, ...changed },
  });

const attacks = suite('tokens that are not to be believed');
const forgeries: [name: string, token: string | Promise<string>, outcome: RegExp | undefined][] = [
  ['without a signature', unsigned, UNSIGNED],
  ['of the algorithm none in other letters', unsigned.replace(part({ alg: 'none' }), part({ alg: 'NoNe' })), UNSIGNED],
  ['with the public key for a secret', withHmac(pem(rsa.publicKey)), UNSIGNED],
  ['with an empty secret', withHmac(''), UNSIGNED],
  ['of a key that nobody knows', forged(stranger.privateKey, 'RS256'), UNSIGNED],
  ['of such a key under the name of ours', forged(stranger.privateKey, 'RS256', {}, keys.signing.id), UNSIGNED],
  ['of our key under another name', forged(rsa.privateKey, 'RS256', {}, 'other'), /invalid signature, no keys found/],
  ['of a key that nobody knows by PSS', forged(stranger.privateKey, 'PS256'), UNSIGNED],
  ['that has expired', forged(rsa.privateKey, 'RS256', { exp: now - 120 }), /expired/],
  ['that is not valid yet', forged(rsa.privateKey, 'RS256', { nbf: now + 120 }), /not valid yet/],
  ['that was issued in the future', forged(rsa.privateKey, 'RS256', { iat: now + 120 }), /future/],
  ['for another audience', forged(rsa.privateKey, 'RS256', { aud: 'vault' }), /audiences/],
  ['of another issuer', forged(rsa.privateKey, 'RS256', { iss: 'https://other.example' }), undefined],
  ['without an issuer', forged(rsa.privateKey, 'RS256', { iss: undefined }), undefined],
  ['without claims of ours', forged(rsa.privateKey, 'RS256', { 'kubernetes.io': undefined }), /^resource name may not be empty$/],
  ['without an account', bound({ serviceaccount: undefined }), /^resource name may not be empty$/],
  [
    'without a namespace',
    bound({ namespace: undefined }),
    /^the server could not find the requested resource \(get serviceaccounts robot\)$/,
  ],
  ['bound to a pod without a name', bound({ pod: {} }), /^service account token has been invalidated$/],
  [
    'whose claims of ours are a text',
    forged(rsa.privateKey, 'RS256', { 'kubernetes.io': 'x' }),
    /^json: cannot unmarshal string into Go value of type serviceaccount\.kubernetes$/,
  ],
  ['whose pod is a list', bound({ pod: [] }), /^json: cannot unmarshal array into Go value of type serviceaccount\.ref$/],
  [
    'whose audiences are numbers',
    forged(rsa.privateKey, 'RS256', { aud: [1] }),
    /^square\/go-jose\/jwt: expected string or array value to unmarshal to Audience$/,
  ],
  [
    'whose account has a name that is no text',
    forged(rsa.privateKey, 'RS256', { 'kubernetes.io': { namespace: 'ns', serviceaccount: { name: {} } } }),
    /^json: cannot unmarshal object into Go value of type string$/,
  ],
  [
    'without the uid of the account',
    forged(rsa.privateKey, 'RS256', { 'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot' } } }),
    /^service account UID \(uid-of-robot\) does not match claim \(\)$/,
  ],
  [
    'whose times are texts',
    forged(rsa.privateKey, 'RS256', { exp: '9999999999' }),
    /^square\/go-jose\/jwt: expected number value to unmarshal NumericDate$/,
  ],
  ['of a stranger whose times are texts', forged(stranger.privateKey, 'RS256', { exp: '9999999999' }), UNSIGNED],
  ['that is no token', 'a.b.c', undefined],
  ['with two parts', 'a.b', undefined],
];
for (const [name, token, outcome] of forgeries)
  attacks(name, async () => {
    const found = await world().verifier.identify(await token, AUDIENCES);
    if (outcome === undefined) assert.is(found, undefined);
    else assert.match(reasonOf(found), outcome);
  });
for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'])
  attacks(`but those of our key by ${algorithm} are`, async () => {
    const found = await world().verifier.identify(await forged(rsa.privateKey, algorithm), AUDIENCES);
    assert.is((found as TokenIdentity).user.name, 'system:serviceaccount:ns:robot');
  });
attacks('a changed or cut text', async () => {
  const { issuer, verifier, wish } = world();
  const token = await issuer.issue(wish);
  const [head = '', payload = '', signature = ''] = token.split('.');
  const other = part({ ...claims, sub: 'system:serviceaccount:kube-system:root' });
  for (const changed of [`${token}x`, `x${token}`, token.slice(0, -2), `${head}.${other}.${signature}`, `${head}.${payload}.`]) {
    const found = await verifier.identify(changed, AUDIENCES);
    assert.ok(found === undefined || found instanceof Refusal, changed);
  }
});
for (const [what, space] of Object.entries({ 'a space': ' ', 'a tab': '\t', 'a line feed': '\n', padding: '=' }))
  attacks(`with ${what} inside or around it`, async () => {
    const { issuer, verifier, wish } = world();
    const token = await issuer.issue(wish);
    const parts = token.split('.');
    const changed = parts.map((_, index) =>
      parts.map((each, at) => (at === index ? `${each.slice(0, 8)}${space}${each.slice(8)}` : each)).join('.'),
    );
    for (const each of [...changed, `${token}${space}`, `${space}${token}`])
      assert.is(await verifier.identify(each, AUDIENCES), undefined, each);
    assert.not.instance(await verifier.identify(token, AUDIENCES), Refusal);
  });
for (const crit of [['unheard'], ['exp'], ['b64', 'unheard']])
  attacks(`that is only for whoever heeds ${crit.join(' and ')}`, async () => {
    const head = { alg: 'RS256', crit, unheard: true, b64: true, exp: now + 600 };
    const token = await new SignJWT({ ...claims, iat: now, nbf: now, exp: now + 600 })
      .setProtectedHeader(head)
      .sign(rsa.privateKey, { crit: { unheard: true, exp: true } });
    assert.match(reasonOf(await world().verifier.identify(token, AUDIENCES)), UNSIGNED);
  });
attacks.run();

const old = suite('tokens that live longer than they should be used');
for (const [seconds, annotations] of [
  [-30, { 'authentication.k8s.io/stale-token': 'subject: system:serviceaccount:ns:robot, seconds after warning threshold: 30' }],
  [30, {}],
] as const)
  old(`that are to be used for ${seconds} s still are recorded as ${JSON.stringify(annotations)}`, async () => {
    const { issuer, verifier, wish } = world();
    const token = await issuer.issue({ ...wish, warnAfter: seconds });
    const found = JSON.stringify(await annotationsOf(verifier, token)).replace(/3[12]"/, '30"');
    assert.is(found, JSON.stringify(annotations));
  });
old.run();

const legacy = suite('tokens of secrets');
async function secretWorld() {
  const { objects, account, issuer, verifier } = world();
  const token = await issuer.issueForSecret(account, 's');
  const put = (metadata: object = {}, content = token) =>
    objects.put('secrets/ns/s', { data: { token: Buffer.from(content).toString('base64') } }, metadata);
  put();
  return { objects, verifier, token, put };
}
legacy('stand for their account as long as both are there', async () => {
  const { verifier, token } = await secretWorld();
  assert.equal(await verifier.identify(token, AUDIENCES), {
    user: {
      name: 'system:serviceaccount:ns:robot',
      uid: 'uid-of-robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
      extra: {},
    },
    audiences: AUDIENCES,
  });
  assert.is(
    reasonOf(await verifier.identify(token, ['vault', 'x'])),
    'token audiences ["https://api.example"] is invalid for the target audiences ["vault" "x"]',
  );
});
const taken: [name: string, change: (world: Awaited<ReturnType<typeof secretWorld>>) => void, reason: RegExp][] = [
  ['the secret is gone', ({ objects }) => objects.stored.delete('secrets/ns/s'), /invalidated/],
  ['the secret holds another token', ({ put }) => put({}, 'x'), /server's copy/],
  ['the secret is being deleted', ({ put }) => put({ deletionTimestamp: '2026-01-01T00:00:00Z' }), /invalidated/],
  [
    'it is marked invalid',
    ({ put }) => put({ labels: { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' } }),
    /^the token in secret ns\/s for service account ns\/robot has been marked invalid\. Use tokens .* remove the 'kubernetes\.io\/legacy-token-invalid-since' label/,
  ],
  ['the account is gone', ({ objects }) => objects.stored.delete('serviceaccounts/ns/robot'), /not found/],
  ['the account is another one', ({ objects }) => objects.put('serviceaccounts/ns/robot', {}, { uid: 'new' }), /UID/],
];
for (const [name, change, reason] of taken)
  legacy(`are taken back when ${name}`, async () => {
    const given = await secretWorld();
    change(given);
    assert.match(reasonOf(await given.verifier.identify(given.token, AUDIENCES)), reason);
  });
const SECRET_CLAIMS = {
  iss: 'kubernetes/serviceaccount',
  'kubernetes.io/serviceaccount/namespace': 'ns',
  'kubernetes.io/serviceaccount/secret.name': 's',
  'kubernetes.io/serviceaccount/service-account.name': 'robot',
  'kubernetes.io/serviceaccount/service-account.uid': 'uid-of-robot',
};
for (const [claim, changed, reason] of [
  ['sub', undefined, 'sub claim is missing'],
  ['sub', 'system:serviceaccount:ns:other', 'sub claim is invalid'],
  ['kubernetes.io/serviceaccount/namespace', undefined, 'namespace claim is missing'],
  ['kubernetes.io/serviceaccount/secret.name', '', 'secretName claim is missing'],
  ['kubernetes.io/serviceaccount/service-account.name', null, 'serviceAccountName claim is missing'],
  ['kubernetes.io/serviceaccount/service-account.uid', undefined, 'serviceAccountUID claim is missing'],
  ['kubernetes.io/serviceaccount/service-account.uid', 5, 'json: cannot unmarshal number into Go value of type string'],
] as const)
  legacy(`are refused where ${claim} is ${JSON.stringify(changed)}`, async () => {
    const token = await forged(rsa.privateKey, 'RS256', { ...SECRET_CLAIMS, [claim]: changed });
    assert.is(reasonOf(await world().verifier.identify(token, AUDIENCES)), reason);
  });
legacy('hold without their secret where nothing is looked up', async () => {
  const { objects, account, issuer } = world();
  const verifier = new ServiceAccountTokens({
    signer,
    issuers: [ISSUER],
    audiences: AUDIENCES,
    objects,
    lookUp: false,
    lastUse,
    metrics: new Metrics(metricsData),
    text,
  });
  assert.not.instance(await verifier.identify(await issuer.issueForSecret(account, 's'), AUDIENCES), Refusal);
});
const day = (offset = 0) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const noted: [name: string, labels: () => Record<string, string>, labelled: number][] = [
  ['not yet', () => ({}), 1],
  ['on another day', () => ({ [LAST_USED]: day(-1) }), 1],
  ['today', () => ({ [LAST_USED]: day() }), 0],
  ['tomorrow, by another clock', () => ({ [LAST_USED]: day(1) }), 0],
  ['not yet, and is shut out', () => ({ 'kubernetes.io/legacy-token-invalid-since': day() }), 1],
];
// by a clock that stands still: no day ends meanwhile
for (const [name, labels, count] of noted)
  legacy(`note the day of their use where that was noted ${name}: ${count}`, () =>
    withMachineClock(async () => {
      const { verifier, token, put } = await secretWorld();
      put({ labels: labels() });
      labelled.length = 0;
      await verifier.identify(token, AUDIENCES);
      assert.equal(labelled, count === 0 ? [] : [`ns/s ${LAST_USED}=${day()}`]);
    }),
  );
const recorded: [name: string, change: (world: Awaited<ReturnType<typeof secretWorld>>) => void, annotations: object][] = [
  ['was made by hand', () => {}, { 'authentication.k8s.io/legacy-token-manual-secret': 's' }],
  [
    'the account lists',
    ({ objects }) => objects.put('serviceaccounts/ns/robot', { secrets: [{ name: 's' }] }, { uid: 'uid-of-robot' }),
    { 'authentication.k8s.io/legacy-token-autogenerated-secret': 's' },
  ],
  [
    'is shut out',
    ({ put }) => put({ labels: { 'kubernetes.io/legacy-token-invalid-since': day() } }),
    { 'authentication.k8s.io/legacy-token-invalidated': 's/ns' },
  ],
  ['is gone', ({ objects }) => objects.stored.delete('secrets/ns/s'), {}],
];
for (const [name, change, annotations] of recorded)
  legacy(`are recorded with their secret where it ${name}`, async () => {
    const given = await secretWorld();
    change(given);
    assert.equal(await annotationsOf(given.verifier, given.token), annotations);
  });
legacy('share a note that is being made, and fail for none', async () => {
  const secret = { metadata: { namespace: 'ns', name: 's' } } as ApiObject;
  const broken = new LastUse(text, () => Promise.reject(new Error('no room')), quiet);
  const first = broken.note(secret, Date.now());
  assert.is(broken.note(secret, Date.now()), first);
  await first;
  assert.is.not(broken.note(secret, Date.now()), first, 'it is tried again');
});
legacy("that are nobody's note nothing", async () => {
  const { verifier, token, put } = await secretWorld();
  put({}, 'x');
  labelled.length = 0;
  await verifier.identify(token, AUDIENCES);
  assert.equal(labelled, []);
});
legacy('of a secret that the account lists bring a warning', async () => {
  const { objects, verifier, token } = await secretWorld();
  const warningsOf = async () => ((await verifier.identify(token, AUDIENCES)) as { warnings?: string[] }).warnings;
  assert.is(await warningsOf(), undefined);
  objects.put('serviceaccounts/ns/robot', { secrets: [{ name: 's' }] }, { uid: 'uid-of-robot' });
  assert.match(
    (await warningsOf())?.[0] ?? '',
    /^Use tokens from the TokenRequest API .* instead of auto-generated secret-based tokens\.$/,
  );
});
legacy.run();

const files = suite('keys');
files('the one that signs is among those that are accepted, each once', () => {
  assert.equal(
    keys.accepted.map(({ algorithm }) => algorithm),
    ['RS256', 'ES384'],
  );
  assert.is(keys.signing.id, keys.accepted[0]?.id);
});
files('a private key among those to check with signs where nothing else is given', () => {
  const file = folder.write('both.pem', pem(stranger.publicKey) + pem(elliptic.privateKey));
  const found = readTokenKeys({ ...NO_FLAGS, 'service-account-key-file': [file] }, folder.folder);
  assert.is(found.signing.algorithm, 'ES384');
  assert.is(found.accepted.length, 2);
});
files('the key of the serving certificate takes the place of keys that are not given', () => {
  const found = readTokenKeys({ ...NO_FLAGS, 'tls-private-key-file': folder.write('tls.pem', pem(rsa.privateKey)) }, folder.folder);
  assert.equal([found.signing.algorithm, found.accepted.length], ['RS256', 1]);
});
files('a key of our own is made once', () => {
  const first = readTokenKeys(NO_FLAGS, folder.folder);
  assert.is(first.signing.algorithm, 'ES256');
  assert.is(readTokenKeys(NO_FLAGS, folder.folder).signing.id, first.signing.id);
});
files('a file without a key is named', () => {
  const file = folder.write('none.pem', 'x');
  assert.throws(
    () => readTokenKeys({ ...NO_FLAGS, 'service-account-key-file': [file] }, folder.folder),
    /--service-account-key-file: .*none\.pem/,
  );
  const open = folder.write('public.pem', pem(rsa.publicKey));
  assert.throws(() => readTokenKeys({ ...NO_FLAGS, 'service-account-signing-key-file': open }, folder.folder), /no private key/);
});
files('a damaged key is named with its path, whoever named it, without a word of OpenSSL', () => {
  const broken = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
  const given = folder.write('broken.pem', broken);
  const own = folder.write('service-account.key', broken);
  for (const [flags, file] of [
    [{ ...NO_FLAGS, 'service-account-key-file': [given] }, given],
    [NO_FLAGS, own],
  ] as const)
    assert.throws(
      () => readTokenKeys(flags, folder.folder),
      ({ message }: Error) => message.includes(file) && !message.includes('error:'),
    );
});
files.run();
