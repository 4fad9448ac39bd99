/** The file that says whose tokens are believed and what anonymous requests may reach. */

import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import { ConfigurationFile } from '../../../runtime/authentication/configuration/configuration-file.ts';
import { Refusal } from '../../../runtime/authentication/outcome.ts';
import { FollowedFiles } from '../../../runtime/files/followed-files.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { fileKinds } from '../../files/reader.ts';
import { eventually } from '../../harness/eventually.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { Provider } from '../issuers/provider.ts';

const folder = new OpenSsl();
const provider = await Provider.start(folder);
await provider.addKey('one');
const token = await provider.sign('one');

const records: [string, object][] = [];
const note = (fields: object, message: string) => void records.push([message, fields]);
const log = { debug: note, info: note, warn: note, error: note };
const file = path.join(folder.folder, 'authentication.json');
const opened: ConfigurationFile[] = [];
const metrics = new Metrics(metricsData);

function write(members: object, to = file): void {
  const text = JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration', ...members });
  // as careful writers do it
  writeFileSync(`${to}.new`, text);
  renameSync(`${to}.new`, to);
}
async function open(members: object, gates: Record<string, string> = {}): Promise<ConfigurationFile> {
  write(members);
  const found = await ConfigurationFile.open({
    file,
    kinds: fileKinds('kubernetes', gates),
    ownIssuers: ['https://own.example'],
    credentialKey: 'id',
    log,
    metrics,
    followedFiles: new FollowedFiles(),
    pause: 20,
  });
  opened.push(found);
  return found;
}
const issuer = (changed: object = {}) => ({
  issuer: { url: provider.url, audiences: ['client'], certificateAuthority: provider.authority, ...changed },
  claimMappings: { username: { claim: 'sub', prefix: 'p:' } },
});
const CONDITIONS = { AnonymousAuthConfigurableEndpoints: 'true' };

const test = suite('configuration of authentication');

test('names issuers', async () => {
  const found = await open({ jwt: [issuer()] });
  assert.equal(await found.find(token), { name: 'p:jane', uid: '', groups: [], extra: {} });
  assert.is(found.anonymous, undefined, 'the flag decides');
});
test('may have several of them', async () => {
  const found = await open({ jwt: [issuer({ url: 'https://first.example' }), issuer()] });
  assert.not.instance(await found.find(token), Refusal);
  assert.is(await found.find('a.b.c'), undefined);
});
test('says who may be anonymous', async () => {
  assert.equal((await open({ jwt: [], anonymous: { enabled: false } }, CONDITIONS)).anonymous, { enabled: false });
  const some = await open({ jwt: [], anonymous: { enabled: true, conditions: [{ path: '/livez' }, { path: '/readyz' }] } }, CONDITIONS);
  assert.equal(some.anonymous, { enabled: true, paths: new Set(['/livez', '/readyz']) });
});

const wrong: [name: string, members: object, message: RegExp][] = [
  ['the issuer of our own tokens', { jwt: [issuer({ url: 'https://own.example' })] }, /jwt\[0\]\.issuer\.url/],
  ['an issuer without TLS', { jwt: [issuer({ url: 'http://x.example' })] }, /scheme must be https/],
  ['an unknown field', { jwt: [], anonymus: {} }, /anonymus/],
  [
    'an expression that does not compile',
    { jwt: [{ ...issuer(), claimMappings: { username: { expression: 'claims.' } } }] },
    /jwt\[0\]\.claimMappings\.username\.expression: /,
  ],
  ['another kind', { kind: 'Other' }, /AuthenticationConfiguration/],
];
for (const [name, members, message] of wrong)
  test(`${name} is refused`, async () => {
    const error = await open(members).catch((thrown: unknown) => thrown);
    assert.instance(error, Error);
    assert.match((error as Error).message, message);
    assert.match((error as Error).message, 'authentication.json');
  });

test('is read again when it changes; what is wrong changes nothing', async () => {
  const found = await open({ jwt: [] });
  assert.is(await found.find(token), undefined);
  write({ jwt: [issuer()] });
  await until(async () => (await found.find(token)) !== undefined);
  records.length = 0;
  const failures = (): number => {
    const counted = metrics.figures().values.apiserver_authentication_config_controller_automatic_reloads_total ?? [];
    return Number(counted.find(({ labels }) => labels.status === 'failure')?.value ?? 0);
  };
  const before = failures();
  write({ jwt: 'nothing' });
  await until(() => records.length > 0);
  assert.match(records[0]?.[0] ?? '', 'not used');
  // files that other tests have left open are the same one
  assert.ok(failures() > before);
  assert.not.instance(await found.find(token), Refusal);
  write({ jwt: [] });
  await until(async () => (await found.find(token)) === undefined);
});

test('says who may be anonymous once, when the server starts', async () => {
  const found = await open({ anonymous: { enabled: true, conditions: [{ path: '/healthz' }] } }, CONDITIONS);
  records.length = 0;
  write({ jwt: [issuer()], anonymous: { enabled: true } });
  await until(() => records.some(([message]) => message.endsWith('has been read again')));
  assert.equal(found.anonymous, { enabled: true, paths: new Set(['/healthz']) });
  const silent = await open({ jwt: [] }, CONDITIONS);
  records.length = 0;
  write({ jwt: [], anonymous: { enabled: true } });
  await until(() => records.some(([message]) => message.endsWith('has been read again')));
  assert.is(silent.anonymous, undefined);
});

test('is not in force while an issuer of it cannot be reached', async () => {
  const found = await open({ jwt: [issuer()], anonymous: { enabled: false } }, CONDITIONS);
  await found.find(token);
  records.length = 0;
  write({ jwt: [issuer({ url: 'https://127.0.0.1:1' })], anonymous: { enabled: true } });
  await until(() => records.some(([message]) => message.endsWith('is not used')));
  assert.not.instance(await found.find(token), Refusal);
  assert.equal(found.anonymous, { enabled: false });
  write({ jwt: [] });
  await until(async () => (await found.find(token)) === undefined);
});

test('is in force as soon as its issuers can be reached', async () => {
  const found = await open({ jwt: [] });
  provider.status = 503;
  records.length = 0;
  write({ jwt: [issuer()] });
  await until(() => records.some(([message]) => message.endsWith('is not used')));
  provider.status = 200;
  // issuers are asked again after ten seconds at the earliest
  const { now } = performance;
  performance.now = () => now.call(performance) + 10_001;
  try {
    await until(async () => (await found.find(token)) !== undefined);
  } finally {
    performance.now = now;
  }
  assert.equal(await found.find(token), { name: 'p:jane', uid: '', groups: [], extra: {} });
});

test('what is under way when it changes ends as it began, and holds nothing afterwards', async () => {
  // others of this file follow it too
  for (const each of opened.splice(0)) each.close();
  const found = await open({ jwt: [issuer()] });
  await until(() => provider.connections === 0);
  const { promise, resolve } = Promise.withResolvers<void>();
  provider.held = promise;
  const asked = provider.asked.length;
  const underWay = found.find(token);
  await until(() => provider.asked.length > asked);
  records.length = 0;
  write({ jwt: [] });
  await until(() => records.some(([message]) => message.endsWith('has been read again')));
  provider.held = undefined;
  resolve();
  assert.equal(await underWay, { name: 'p:jane', uid: '', groups: [], extra: {} });
  await until(() => provider.connections === 0);
});

const until = (holds: () => boolean | Promise<boolean>): Promise<void> => eventually(String(holds), holds);

test.after(() => {
  for (const each of opened) each.close();
  provider.close();
  folder.remove();
});
test.run();
