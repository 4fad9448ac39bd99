/** What is left of a start whose etcd cannot be reached. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flagsData } from '../../../generated/flags.ts';
import { identity as identityData } from '../../../generated/identity.ts';
import { KeyManagementService } from '../../../generated/node-interfaces/key-management.ts';
import { openEtcdStore } from '../../../runtime/assembly/store/etcd-store.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import { FollowedFiles } from '../../../runtime/files/followed-files.ts';
import { InterfaceServer } from '../../../runtime/node-agent/grpc/interface-server.ts';
import { parseFlags } from '../../../runtime/server/flags/flags.ts';
import type { Log } from '../../../runtime/server/log/log.ts';
import { writePrivately } from '../../harness/encryption.ts';

const test = suite('a store in etcd that cannot be opened');

/** Sockets that this process has, of both ends. */
const pipes = (): number => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;

test('leaves no connection to a key service', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'etcd-store-'));
  const socket = path.join(folder, 'kms.sock');
  let asked = 0;
  const service = new InterfaceServer().answer(KeyManagementService.Status, () => {
    asked++;
    return { version: 'v2', healthz: 'ok', keyId: 'key' };
  });
  await service.listen(socket);
  try {
    const kms = { apiVersion: 'v2', name: 'kms', endpoint: `unix://${socket}` };
    const configuration = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['secrets'], providers: [{ kms }, { identity: {} }] }],
    };
    const file = path.join(folder, 'encryption.json');
    writePrivately(file, JSON.stringify(configuration));
    const flags = ['--etcd-servers=http://127.0.0.1:1', '--storage-initialization-timeout=1s', `--encryption-provider-config=${file}`];
    const identity = createIdentity(identityData, 'kubernetes');
    const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log, isEnabled: () => false };
    const before = pipes();
    const setup = { parsed: parseFlags(flags, flagsData, identity), identity, log, followedFiles: new FollowedFiles() };
    const error = await openEtcdStore(setup).catch((thrown: unknown) => thrown);
    assert.match((error as Error).message, /etcd/);
    assert.ok(asked > 0, 'the service was asked');
    for (const end = performance.now() + 3_000; pipes() > before && performance.now() < end; ) await sleep(20);
    assert.is(pipes(), before);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
});

test.run();
