/** Signers of tokens outside of the server, which may answer anything, late or not at all. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compactVerify } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import type { FetchKeysResponse, Key } from '../../../generated/node-interfaces/token-signer.ts';
import { ExternalSigner, type SignerFlags } from '../../../runtime/assembly/token-signer/external-signer.ts';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';
import type { Log } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { eventually } from '../../harness/eventually.ts';
import { base64url, spkiOf, TestSigner } from './test-signer.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'token-signer-'));
const logged: string[] = [];
const note = (fields: object, text: string) => void logged.push(`${text} ${(fields as { err?: Error }).err?.message ?? ''}`.trim());
const log: Log = { debug() {}, info() {}, warn: note, error: note };

let count = 0;
let test: TestSigner;
let signer: ExternalSigner;
let metrics: Metrics;

function made(flags: Partial<SignerFlags> = {}): ExternalSigner {
  metrics = new Metrics(metricsData);
  return new ExternalSigner({
    flags: {
      'service-account-signing-endpoint': test.socket,
      'service-account-max-token-expiration': 0,
      'service-account-extend-token-expiration': false,
      ...flags,
    },
    log,
    metrics,
  });
}

function prepare(of: ReturnType<typeof suite>): void {
  of.before.each(async () => {
    test = await new TestSigner(path.join(folder, `${count++}.sock`)).listen();
    signer = made();
    logged.length = 0;
  });
  of.after.each(() => {
    signer.close();
    test.stop();
  });
}

async function failure(of: Promise<unknown> | unknown): Promise<string> {
  try {
    await of;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it did not fail');
}

const idsOf = (published = signer.published()) =>
  (JSON.parse(published?.document ?? '{"keys":[]}') as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
const figure = async (name: string): Promise<string[]> =>
  (await metrics.text()).body.split('\n').filter((line) => line.startsWith(`apiserver_externaljwt_${name}`));
const until = (is: () => boolean): Promise<void> => eventually(String(is), is);

const opened = suite('a signer that is opened');
prepare(opened);
opened('signs, and its keys check what it has signed', async () => {
  await signer.open();
  const token = await signer.sign({ sub: 'a', iss: 'ü' });
  const [head = '', claims = ''] = token.split('.');
  assert.equal(JSON.parse(Buffer.from(head, 'base64url').toString()), { alg: 'ES256', kid: 'first', typ: 'JWT' });
  assert.equal(JSON.parse(Buffer.from(claims, 'base64url').toString()), { sub: 'a', iss: 'ü' });
  const [key] = await signer.keysFor('first');
  assert.is(key?.algorithm, 'ES256');
  await compactVerify(token, key?.publicKey as never);
  assert.equal(
    (await signer.keysFor(undefined)).map(({ id }) => id),
    ['first'],
  );
  assert.is(test.calls.fetch, 1);
});
opened('publishes its keys for as long as they are good, but for those that it excludes', async () => {
  test.exclude('first');
  test.add('second');
  await signer.open();
  const published = signer.published();
  assert.equal(idsOf(), ['second']);
  assert.equal(published?.algorithms, ['ES256']);
  assert.ok(published !== undefined && published.maxAge > 590 && published.maxAge <= 600, String(published?.maxAge));
  assert.is((await signer.keysFor('first')).length, 1);
});
opened('counts under the names of 1.32', async () => {
  await signer.open();
  await signer.sign({});
  test.hooks.sign = () => {
    throw new InterfaceError('RESOURCE_EXHAUSTED', 'enough');
  };
  await failure(signer.sign({}));
  test.hooks = {};
  test.head = { alg: 'none' };
  await failure(signer.sign({}));
  assert.equal(await figure('sign_request_total'), [
    'apiserver_externaljwt_sign_request_total{code="OK"} 1',
    'apiserver_externaljwt_sign_request_total{code="ResourceExhausted"} 1',
    'apiserver_externaljwt_sign_request_total{code="unknown-non-grpc"} 1',
  ]);
  assert.equal(await figure('fetch_keys_request_total'), ['apiserver_externaljwt_fetch_keys_request_total{code="OK"} 1']);
  assert.equal(await figure('fetch_keys_data_timestamp'), ['apiserver_externaljwt_fetch_keys_data_timestamp 1700000000']);
  assert.match((await figure('fetch_keys_success_timestamp')).join(), /timestamp \d/);
  const calls = (await figure('request_duration_seconds_count')).join('\n');
  for (const [code, method] of [
    ['OK', 'FetchKeys"} 1'],
    ['OK', 'Metadata"} 1'],
    ['OK', 'Sign"} 2'],
    ['ResourceExhausted', 'Sign"} 1'],
  ])
    assert.ok(calls.includes(`{code="${code}",method="/v1alpha1.ExternalJWTSigner/${method}`), calls);
});
const lives: [name: string, flag: number, seconds: bigint, outcome: number | RegExp][] = [
  ['that of the signer, where no flag says it', 0, 900n, 900],
  ['that of the flag, where the signer signs for longer', 3_600_000, 86_400n, 3_600],
  ['that of both', 3_600_000, 3_600n, 3_600],
  [
    'a longer one by the flag',
    7_200_000,
    3_600n,
    /--service-account-max-token-expiration=2h0m0s is longer than the signer signs tokens for \(1h0m0s\)/,
  ],
  ['too short a one', 0, 599n, /599 seconds, and 600 at least/],
  ['a negative one', 0, -1n, /-1 seconds, and 600 at least/],
  ['the longest that there is', 0, 2n ** 63n - 1n, 2 ** 63],
];
for (const [name, flag, seconds, outcome] of lives)
  opened(`takes for the longest life ${name}`, async () => {
    test.metadata = { maxTokenExpirationSeconds: seconds };
    signer = made({ 'service-account-max-token-expiration': flag });
    if (typeof outcome === 'number') {
      await signer.open();
      assert.is(signer.longestLife(), outcome);
    } else {
      const message = await failure(signer.open());
      assert.match(message, outcome);
      assert.match(message, /^--service-account-signing-endpoint: /);
    }
  });
opened('is told where mounted tokens live no longer, or less long than they would', async () => {
  for (const [seconds, text] of [
    [3_000n, /no longer than others: .* lives for 3000 at most/],
    [86_400n, /live for 86400 seconds/],
    [10n ** 9n, undefined],
  ] as const) {
    logged.length = 0;
    test.metadata = { maxTokenExpirationSeconds: seconds };
    const each = made({ 'service-account-extend-token-expiration': true });
    await each.open();
    each.close();
    if (text === undefined) assert.equal(logged, []);
    else assert.match(logged.join(), text);
  }
});
opened('waits for a signer that is not there yet', async () => {
  test.stop();
  const opening = signer.open();
  await sleep(200);
  await test.listen();
  await opening;
  assert.equal(idsOf(), ['first']);
});
opened('may be at a socket that has no file', async () => {
  const name = `token-signer.${process.pid}`;
  const way = createServer((socket) => {
    const signers = connect(test.socket).on('error', () => {});
    socket
      .on('error', () => {})
      .pipe(signers)
      .pipe(socket);
  }).listen(`\0${name}`);
  signer = made({ 'service-account-signing-endpoint': `@${name}` });
  await signer.open();
  assert.equal(idsOf(), ['first']);
  way.close();
});
opened('fails by what the signer says', async () => {
  test.hooks.metadata = () => {
    throw new Error('none today');
  };
  assert.is(await failure(signer.open()), '--service-account-signing-endpoint: rpc error: code = Unknown desc = none today');
});
opened.run();

const key = (keyId: string, more: Partial<Key> = {}): Key => ({ ...(test.keys[0] as Key), keyId, ...more });
const wrongKeys: [name: string, said: () => Partial<FetchKeysResponse>, problem: RegExp][] = [
  ['no keys', () => ({ keys: [] }), /found no keys$/],
  ['no hint', () => ({ refreshHintSeconds: 0n }), /found invalid refresh hint \(0s\)$/],
  ['a negative hint', () => ({ refreshHintSeconds: -5n }), /found invalid refresh hint \(-5s\)$/],
  ['no time', () => ({ dataTimestamp: undefined }), /invalid data timestamp: invalid nil Timestamp$/],
  ['a time beyond all', () => ({ dataTimestamp: { seconds: 253_402_300_800n, nanos: 0 } }), /invalid data timestamp/],
  ['a time with too many nanoseconds', () => ({ dataTimestamp: { seconds: 0n, nanos: 1_000_000_000 } }), /invalid data timestamp/],
  ['a key without a name', () => ({ keys: [key('')] }), /found invalid public key id ""$/],
  ['a key with too long a name', () => ({ keys: [key('k'.repeat(1_025))] }), /found invalid public key id "k{1024}"$/],
  ['a key of no bytes', () => ({ keys: [key('a', { key: new Uint8Array() })] }), /found empty public key$/],
  [
    'a key that is none',
    () => ({ keys: [key('a'), key('b', { key: Buffer.from('key') })] }),
    /while parsing external public keys: the key "b"/,
  ],
  ['a private key', () => ({ keys: [key('a', { key: pkcs8() })] }), /while parsing external public keys/],
  ['more than is read', () => ({ keys: [key('a', { key: new Uint8Array(4 * 1024 * 1024) })] }), /ResourceExhausted/],
];
const pkcs8 = (): Buffer => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'der' });

const keys = suite('keys of a signer');
prepare(keys);
for (const [name, said, problem] of wrongKeys)
  keys(`${name}: the start fails`, async () => {
    test.fetched = said();
    const message = await failure(signer.open());
    assert.match(message, problem);
    assert.match(message, /^--service-account-signing-endpoint: while fetching token verification keys: /);
    assert.match((await figure('fetch_keys_request_total')).join(), /code="(unknown-non-grpc|ResourceExhausted)"\} 1/);
  });
for (const [name, said] of wrongKeys)
  keys(`${name}: those that were known stay`, async () => {
    await signer.open();
    test.fetched = said();
    assert.equal(await signer.keysFor('other'), []);
    assert.match(logged.join(), /does not say its keys/);
    assert.equal(idsOf(), ['first']);
    assert.is((await signer.keysFor('first')).length, 1);
  });
keys('one that is not known is asked for, once for all who wait', async () => {
  await signer.open();
  test.add('second');
  const answered = Promise.withResolvers<void>();
  test.hooks.fetch = () => answered.promise;
  const found = Promise.all(['second', 'second', 'third'].map(async (id) => (await signer.keysFor(id)).length));
  await until(() => test.calls.fetch === 2);
  answered.resolve();
  assert.equal(await found, [1, 1, 0]);
  assert.is(test.calls.fetch, 2);
  assert.equal(idsOf(), ['first', 'second']);
});
keys('nobody waits longer than they like to, and the question ends with the last', async () => {
  await signer.open();
  const ended = Promise.withResolvers<void>();
  test.hooks.fetch = (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(ended.resolve())));
  const gone = new AbortController();
  const waits = failure(signer.keysFor('other', { signal: gone.signal }));
  await until(() => test.calls.fetch === 2);
  gone.abort(new Error('it took too long'));
  assert.is(await waits, 'it took too long');
  await ended.promise;
  // the next one is no part of that
  test.hooks = {};
  test.add('other');
  assert.is((await signer.keysFor('other')).length, 1);
});
keys('are asked for when they are no longer good', async () => {
  test.fetched = { refreshHintSeconds: 1n };
  await signer.open();
  test.add('second');
  test.remove('first');
  await until(() => test.calls.fetch > 1 && idsOf().length === 1 && idsOf()[0] === 'second');
  test.exclude('second');
  // what was published stays where nothing is to be published
  await until(() => logged.some((text) => text.includes('none is to be published')));
  assert.equal(idsOf(), ['second']);
  assert.equal(await signer.keysFor('first'), []);
});
keys('that no token is signed by are known, and keep the others from being published', async () => {
  const foreign = spkiOf(generateKeyPairSync('ed25519').publicKey);
  test.fetched = { keys: [key('a'), key('b', { key: foreign })] };
  await signer.open();
  assert.equal(await signer.keysFor('b'), []);
  assert.is(test.calls.fetch, 1);
  assert.is((await signer.keysFor('a')).length, 1);
  assert.is(signer.published(), undefined);
  test.fetched = { keys: [key('a'), key('b', { key: foreign, excludeFromOidcDiscovery: true })] };
  await signer.keysFor('c');
  assert.equal(idsOf(), ['a']);
});
keys('are good for as long as there is no end to it', async () => {
  test.fetched = { refreshHintSeconds: 2n ** 63n - 1n };
  await signer.open();
  await sleep(50);
  assert.is(test.calls.fetch, 1);
  assert.ok((signer.published()?.maxAge ?? 0) > 10 ** 9);
});
keys('of one name may be several', async () => {
  test.fetched = { keys: [key('a'), key('a', { key: spkiOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey) })] };
  await signer.open();
  assert.equal(
    (await signer.keysFor('a')).map(({ algorithm }) => algorithm),
    ['ES256', 'RS256'],
  );
});
keys('ten thousand hold nobody up', async () => {
  const { keyId: _, ...one } = test.keys[0] as Key;
  test.fetched = { keys: Array.from({ length: 10_000 }, (_each, index) => ({ ...one, keyId: `key-${index}` })) };
  await signer.open();
  assert.is((await signer.keysFor('key-9999')).length, 1);
  assert.is(idsOf().length, 10_000);
});
keys.run();

const wrongParts: [name: string, set: () => void, problem: string | RegExp][] = [
  ['no head', () => Object.assign(test.signed, { header: '' }), /while validating header: while parsing header JSON/],
  ['a head in another alphabet', () => Object.assign(test.signed, { header: 'a+b/' }), /while unwrapping header: illegal base64 data$/],
  ['a padded head', () => Object.assign(test.signed, { header: `${base64url('{}')}=` }), /while unwrapping header/],
  ['a head of a megabyte', () => Object.assign(test.signed, { header: 'a'.repeat(1024 * 1024) }), /while unwrapping header/],
  ['a head that is no JSON', () => (test.head = '{'), /while parsing header JSON/],
  ['a head that is a list', () => (test.head = []), /while parsing header JSON/],
  ['another member', () => (test.head = { alg: 'ES256', kid: 'first', typ: 'JWT', jku: 'x' }), /unknown field "jku"$/],
  ['no type', () => (test.head = { alg: 'ES256', kid: 'first' }), 'while validating header: bad type'],
  ['another type', () => (test.head = { alg: 'ES256', kid: 'first', typ: 'jwt' }), 'while validating header: bad type'],
  ['no name of a key', () => (test.head = { alg: 'ES256', typ: 'JWT' }), 'while validating header: key id missing'],
  ['a number for a name', () => (test.head = { alg: 'ES256', kid: 1, typ: 'JWT' }), /no text$/],
  ['too long a name', () => (test.head = { alg: 'ES256', kid: 'ü'.repeat(513), typ: 'JWT' }), /key id longer than 1 kb$/],
  ['no algorithm', () => (test.head = { kid: 'first', typ: 'JWT' }), 'while validating header: bad signing algorithm ""'],
  ['none', () => (test.head = { alg: 'none', kid: 'first', typ: 'JWT' }), 'while validating header: bad signing algorithm "none"'],
  ['a secret', () => (test.head = { alg: 'HS256', kid: 'first', typ: 'JWT' }), /bad signing algorithm "HS256"$/],
  ['no signature', () => Object.assign(test.signed, { signature: '' }), 'empty signature returned'],
  ['a signature in two parts', () => Object.assign(test.signed, { signature: 'a.b' }), /illegal base64 data$/],
  ['more than is read', () => Object.assign(test.signed, { signature: 'a'.repeat(5 * 1024 * 1024) }), /ResourceExhausted/],
];
const parts = suite('what a signer answers for a token');
prepare(parts);
for (const [name, set, problem] of wrongParts)
  parts(`${name} is refused`, async () => {
    await signer.open();
    set();
    const message = await failure(signer.sign({}));
    if (typeof problem === 'string') assert.is(message, problem);
    else assert.match(message, problem);
    assert.ok(message.length < 2_000);
  });
parts('a key that others do not know is refused, also where that is found out only then', async () => {
  await signer.open();
  test.add('hidden');
  test.exclude('hidden');
  assert.is(
    await failure(signer.sign({})),
    'while validating header: key used for signing JWT (kid: hidden) is excluded from OIDC discovery docs',
  );
});
parts('a key that the signer does not name is taken, as in 1.32', async () => {
  await signer.open();
  test.keyId = 'nobody';
  assert.is((await signer.sign({})).split('.').length, 3);
  assert.is(test.calls.fetch, 2);
});
parts('whoever waits no longer is told why', async () => {
  await signer.open();
  const ended = Promise.withResolvers<void>();
  test.hooks.sign = (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(ended.resolve())));
  const gone = new AbortController();
  const waits = failure(signer.sign({}, { signal: gone.signal }));
  await until(() => test.calls.sign === 1);
  gone.abort(new Error('it took too long'));
  assert.is(await waits, 'it took too long');
  await ended.promise;
  assert.equal(await figure('sign_request_total'), ['apiserver_externaljwt_sign_request_total{code="Canceled"} 1']);
});
parts('comes from the next signer, where one goes and another comes', async () => {
  await signer.open();
  test.stop();
  const token = signer.sign({});
  await sleep(200);
  test.add('second');
  await test.listen();
  assert.is(JSON.parse(Buffer.from((await token).split('.')[0] as string, 'base64url').toString()).kid, 'second');
});
parts.run();

const lazy = suite('a signer that is not opened');
prepare(lazy);
lazy('is asked by whoever needs it', async () => {
  assert.is(test.calls.fetch + test.calls.metadata, 0);
  assert.is(signer.published(), undefined);
  assert.is((await signer.keysFor(undefined)).length, 1);
  const [one, other] = [signer.longestLife(), signer.longestLife()];
  assert.equal(await Promise.all([one, other]), [86_400, 86_400]);
  assert.equal(test.calls, { sign: 0, fetch: 1, metadata: 1 });
});
lazy('is asked again after it has failed', async () => {
  test.hooks.metadata = () => {
    throw new Error('none today');
  };
  assert.match(await failure(signer.longestLife()), /none today/);
  test.hooks = {};
  assert.is(await signer.longestLife(), 86_400);
});
lazy('closes while the other side says nothing', async () => {
  test.stop();
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => {}).resume()));
  await new Promise<void>((resolve) => silent.listen(test.socket, resolve));
  const asked = failure(signer.longestLife());
  await until(() => sockets.size > 0);
  const closed = Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  signer.close();
  assert.match(await asked, /rpc error/);
  await closed;
  await new Promise((resolve) => silent.close(resolve));
});
lazy('closes while calls are under way', async () => {
  await signer.open();
  test.hooks.fetch = () => new Promise(() => {});
  test.hooks.sign = () => new Promise(() => {});
  const [asked, signed] = [signer.keysFor('other'), failure(signer.sign({}, { signal: new AbortController().signal }))];
  await until(() => test.calls.fetch === 2 && test.calls.sign === 1);
  signer.close();
  assert.equal(await asked, []);
  // neither is told that its time was over
  assert.match(await signed, /^while signing jwt: rpc error: code = (?:Canceled|Unavailable)/);
  assert.match(await failure(signer.sign({})), /rpc error/);
});
lazy.run();

process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
