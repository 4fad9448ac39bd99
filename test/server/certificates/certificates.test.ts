import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import {
  type CertificateNeeds,
  ensureCertificates,
  renewCertificates,
  SharedCertificates,
} from '../../../runtime/server/certificates/certificates.ts';
import { servingNames } from '../../../runtime/server/certificates/serving-names.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'certificates-'));
const needs: CertificateNeeds = {
  folder,
  names: ['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc'],
  administrator: 'cluster-admin',
};
const DAY = 24 * 60 * 60 * 1_000;

const made = suite('certificates of a new folder');
made('are signed by their authorities, for their purposes', async () => {
  const { authority, serving, clientAuthority, administrator } = await ensureCertificates(needs);
  const server = new X509Certificate(serving.certificate);
  assert.ok(server.verify(new X509Certificate(authority).publicKey));
  for (const name of ['localhost', 'kubernetes.default.svc']) assert.is(server.checkHost(name), name);
  for (const address of ['127.0.0.1', '::1']) assert.is(server.checkIP(address), address);
  assert.equal(server.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  const client = new X509Certificate(administrator.certificate);
  assert.ok(client.verify(new X509Certificate(clientAuthority).publicKey));
  assert.not(client.verify(new X509Certificate(authority).publicKey));
  assert.is(client.subject, 'O=system:masters\nCN=cluster-admin');
  assert.equal(client.keyUsage, ['1.3.6.1.5.5.7.3.2']);
  assert.ok(new X509Certificate(authority).ca);
  assert.not(server.ca);
});
made('have keys that their owner alone reads', () => {
  assert.is(statSync(folder).mode & 0o777, 0o700);
  const keys = readdirSync(folder).filter((file) => file.endsWith('.key'));
  assert.is(keys.length, 4);
  for (const key of keys) assert.is(statSync(path.join(folder, key)).mode & 0o777, 0o600);
});
made.run();

const kept = suite('certificates of the folder');
const contents = () => Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]));
const changes: [name: string, change: () => Partial<CertificateNeeds>, changed: string[]][] = [
  ['stay at the next start', () => ({}), []],
  ['stay when fewer names are needed', () => ({ names: ['localhost'] }), []],
  ['are made anew for another name', () => ({ names: [...needs.names, 'other.example'] }), ['server.crt', 'server.key']],
  ['are made anew for another address', () => ({ names: [...needs.names, '10.0.0.1'] }), ['server.crt', 'server.key']],
  ['are made anew for another administrator', () => ({ administrator: 'root' }), ['administrator.crt', 'administrator.key']],
  ['stay while they live for months', () => ({ now: Date.now() + 300 * DAY, administrator: 'root' }), []],
  [
    'are made anew near their end',
    () => ({ now: Date.now() + 330 * DAY, administrator: 'root' }),
    ['administrator.crt', 'administrator.key', 'server.crt', 'server.key'],
  ],
  [
    'are made anew with their authority',
    () => {
      for (const file of ['ca.key', 'ca.crt']) rmSync(path.join(folder, file));
      return { administrator: 'root', now: Date.now() + 330 * DAY };
    },
    ['ca.crt', 'ca.key', 'server.crt', 'server.key'],
  ],
  [
    'are made anew when damaged',
    () => {
      writeFileSync(path.join(folder, 'server.crt'), 'nothing');
      return { administrator: 'root', now: Date.now() + 330 * DAY };
    },
    ['server.crt', 'server.key'],
  ],
];
for (const [name, change, changed] of changes)
  kept(name, async () => {
    const before = contents();
    await ensureCertificates({ ...needs, ...change() });
    const after = contents();
    const different = Object.keys(after).filter((file) => after[file] !== before[file]);
    // a damaged file counts as changed although the test changed it itself
    assert.equal(different.sort(), changed);
  });
kept.after(() => rmSync(folder, { recursive: true }));
kept.run();

const damaged = suite('a damaged authority');
const damages: [what: string, file: string, text: string | undefined, said: string][] = [
  ['whose certificate is none', 'ca.crt', 'nothing', 'holds no certificate in PEM form'],
  ['whose key is none', 'client-ca.key', 'nothing', 'holds no private key in PEM form'],
  ['whose certificate is empty', 'client-ca.crt', '', 'holds no certificate in PEM form'],
  ['whose key is gone', 'ca.key', undefined, 'is missing'],
  ['whose certificate is gone', 'client-ca.crt', undefined, 'is missing'],
];
for (const [what, file, text, said] of damages)
  damaged(`${what} is an error with its path, and stays as it is`, async () => {
    const own = mkdtempSync(path.join(tmpdir(), 'authority-'));
    try {
      await ensureCertificates({ ...needs, folder: own });
      const place = path.join(own, file);
      if (text === undefined) rmSync(place);
      else writeFileSync(place, text);
      const before = readdirSync(own).map((each) => readFileSync(path.join(own, each), 'utf8'));
      const error = await ensureCertificates({ ...needs, folder: own }).then(
        () => undefined,
        (reason: Error) => reason,
      );
      assert.ok(error?.message.includes(place) && error.message.includes(said), error?.message);
      assert.equal(
        readdirSync(own).map((each) => readFileSync(path.join(own, each), 'utf8')),
        before,
      );
    } finally {
      rmSync(own, { recursive: true });
    }
  });
damaged('whose key is that of another is an error', async () => {
  const own = mkdtempSync(path.join(tmpdir(), 'authority-'));
  try {
    await ensureCertificates({ ...needs, folder: own });
    writeFileSync(path.join(own, 'ca.key'), readFileSync(path.join(own, 'client-ca.key')));
    const error = await ensureCertificates({ ...needs, folder: own }).catch((reason: Error) => reason);
    assert.ok(error instanceof Error && error.message.includes(`${path.join(own, 'ca.key')} is not the key of`), String(error));
  } finally {
    rmSync(own, { recursive: true });
  }
});
damaged('that stand in the place of each other, or are of a time that the clock has not reached, are told and stay', async () => {
  const own = mkdtempSync(path.join(tmpdir(), 'authority-'));
  const contents = (): string[] => readdirSync(own).map((each) => readFileSync(path.join(own, each), 'utf8'));
  const refusal = async (changes: Partial<CertificateNeeds> = {}): Promise<string> =>
    ensureCertificates({ ...needs, folder: own, ...changes }).then(
      () => 'none',
      (error: Error) => error.message,
    );
  try {
    await ensureCertificates({ ...needs, folder: own });
    const before = contents();
    assert.match(
      await refusal({ now: Date.now() - 20 * 365 * DAY }),
      /ca\.crt is valid from .* on, and the clock of this machine says .*: set the clock$/,
    );
    assert.equal(contents(), before);
    for (const ending of ['crt', 'key']) writeFileSync(path.join(own, `client-ca.${ending}`), readFileSync(path.join(own, `ca.${ending}`)));
    const exchanged = contents();
    assert.match(
      await refusal(),
      /client-ca\.crt is the certificate of CN=cluster-authority, where it always is that of CN=cluster-client-authority: bring it back/,
    );
    assert.equal(contents(), exchanged);
  } finally {
    rmSync(own, { recursive: true });
  }
});
const exported = (key: string): string => JSON.stringify(createPrivateKey(key).export({ format: 'jwk' }));
damaged('of which a letter is another is an error with its path, wherever that letter stands', async () => {
  const own = mkdtempSync(path.join(tmpdir(), 'authority-'));
  try {
    await ensureCertificates({ ...needs, folder: own });
    for (const file of ['ca.crt', 'client-ca.crt', 'ca.key']) {
      const place = path.join(own, file);
      const whole = readFileSync(place, 'utf8');
      // between the first line and the last one
      for (let at = whole.indexOf('\n') + 1; at < whole.lastIndexOf('\n-----'); at += 5) {
        if (whole[at] === '\n') continue;
        const changed = `${whole.slice(0, at)}${whole[at] === 'A' ? 'B' : 'A'}${whole.slice(at + 1)}`;
        writeFileSync(place, changed);
        const error = await ensureCertificates({ ...needs, folder: own }).catch((reason: Error) => reason);
        // nothing hangs on some letters of a key, such as the version of its form
        if (file === 'ca.key' && !(error instanceof Error)) assert.is(exported(changed), exported(whole));
        else assert.ok(error instanceof Error && error.message.includes(path.join(own, file.slice(0, -4))), `${file} at ${at}: ${error}`);
      }
      writeFileSync(place, whole);
    }
  } finally {
    rmSync(own, { recursive: true });
  }
});
damaged.run();

const renewed = suite('certificates of a server that runs');
const home = mkdtempSync(path.join(tmpdir(), 'renewed-'));
const running: CertificateNeeds = { ...needs, folder: home };
const files = () => Object.fromEntries(readdirSync(home).map((file) => [file, readFileSync(path.join(home, file), 'utf8')]));
const endOf = (file: string) => new X509Certificate(readFileSync(path.join(home, file))).validToDate.getTime();
renewed.before(() => ensureCertificates(running).then(() => undefined));
renewed.after(() => rmSync(home, { recursive: true }));
renewed('are to be renewed sixty days before their end', async () => {
  const { renewal } = await ensureCertificates(running);
  assert.is(renewal, Math.min(endOf('server.crt'), endOf('administrator.crt')) - 60 * DAY);
});
renewed('stay as they are before that', async () => {
  const before = files();
  assert.is((await renewCertificates(running, true))?.serving.certificate, before['server.crt']);
  assert.equal(files(), before);
});
renewed('are made by one process, and read by the others when they are there', async () => {
  const before = files();
  const late = { ...running, now: Date.now() + 310 * DAY };
  assert.is(await renewCertificates(late, false), undefined);
  assert.equal(files(), before);
  const made = await renewCertificates(late, true);
  const after = files();
  const changed = Object.keys(after).filter((file) => after[file] !== before[file]);
  assert.equal(changed.sort(), ['administrator.crt', 'administrator.key', 'server.crt', 'server.key']);
  assert.equal(await renewCertificates(late, false), made);
  assert.is(made?.serving.certificate, after['server.crt']);
  assert.ok((made?.renewal ?? 0) > late.now);
});
renewed('keep their authorities near the end of these too, and are not made without them', async () => {
  const authority = files()['ca.crt'];
  await renewCertificates({ ...running, now: Date.now() + 3_600 * DAY }, true);
  assert.is(files()['ca.crt'], authority);
  for (const file of ['ca.crt', 'ca.key']) rmSync(path.join(home, file));
  const refusal = await renewCertificates(running, true).catch((error: Error) => error.message);
  assert.ok(typeof refusal === 'string' && refusal.startsWith(`${home} has no authorities any more`), String(refusal));
});
renewed.run();

const names = suite('names of the serving certificate');
const shared = suite('certificates of the servers of a process');
shared('are those of before for the same names, and not kept for all names that there ever were', async () => {
  const certificates = new SharedCertificates();
  const of = (name: string) => certificates.of({ names: [name], administrator: 'cluster-admin' });
  const first = await of('first.example');
  for (let i = 0; i < 7; i++) await of(`next-${i}.example`);
  assert.is(await of('first.example'), first);
  for (let i = 7; i < 15; i++) await of(`next-${i}.example`);
  assert.is.not(await of('first.example'), first);
  assert.equal((await of('first.example')).authority, first.authority);
});
shared.run();

const identity = createIdentity({ names: { defaultService: { cluster: 'cluster', kubernetes: 'kubernetes' } }, behaviour: {} }, 'cluster');
const addresses = { bindAddress: '127.0.0.1', serviceAddresses: ['10.0.0.1'], further: [''] };
names('hold this machine and the service', () => {
  const found = servingNames(addresses, identity);
  for (const name of ['localhost', '127.0.0.1', '::1', '10.0.0.1', 'kubernetes.default.svc', 'cluster.default.svc'])
    assert.ok(found.includes(name), name);
  assert.equal(found, [...new Set(found)].sort());
  assert.not(found.includes(''));
});
names('hold the address to listen on', () =>
  assert.ok(servingNames({ ...addresses, bindAddress: '10.1.2.3' }, identity).includes('10.1.2.3')),
);
names('never hold a wildcard', () => assert.not(servingNames({ ...addresses, bindAddress: '0.0.0.0' }, identity).includes('0.0.0.0')));
names.run();
