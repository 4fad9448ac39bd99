import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serverAddress, writeClientConfiguration } from '../../../runtime/server/certificates/client-configuration.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'configuration-'));
const file = path.join(folder, 'admin.conf');
const base = { file, name: 'cluster', server: 'https://127.0.0.1:6443', authority: 'AUTHORITY' };

const written = suite('client configuration');
written('is read by a client library', () => {
  assert.is(writeClientConfiguration({ ...base, user: { certificate: 'CERTIFICATE', key: 'KEY' } }), file);
  const config = new KubeConfig();
  config.loadFromFile(file);
  assert.is(config.getCurrentCluster()?.server, base.server);
  assert.is(Buffer.from(config.getCurrentCluster()?.caData ?? '', 'base64').toString(), 'AUTHORITY');
  assert.is(Buffer.from(config.getCurrentUser()?.certData ?? '', 'base64').toString(), 'CERTIFICATE');
  assert.is(Buffer.from(config.getCurrentUser()?.keyData ?? '', 'base64').toString(), 'KEY');
});
written('may hold a token', () => {
  writeClientConfiguration({ ...base, user: { token: 'a: "b"' } });
  const config = new KubeConfig();
  config.loadFromFile(file);
  assert.is(config.getCurrentUser()?.token, 'a: "b"');
});
written('is for its owner alone', () => assert.is(statSync(file).mode & 0o777, 0o600));
written('stays where nothing changed', () => {
  const before = statSync(file).ino;
  writeClientConfiguration({ ...base, user: { token: 'a: "b"' } });
  assert.is(statSync(file).ino, before);
  assert.match(readFileSync(file, 'utf8'), 'current-context: cluster');
});
written.after(() => rmSync(folder, { recursive: true }));
written.run();

const addresses = suite('address for clients');
const rows: [bind: string, server: string][] = [
  ['127.0.0.1', 'https://127.0.0.1:6443'],
  ['0.0.0.0', 'https://127.0.0.1:6443'],
  ['::', 'https://127.0.0.1:6443'],
  ['::1', 'https://[::1]:6443'],
  ['10.1.2.3', 'https://10.1.2.3:6443'],
];
for (const [bind, server] of rows) addresses(`of ${bind}`, () => assert.is(serverAddress(bind, 6443), server));
addresses.run();
