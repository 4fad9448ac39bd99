/** Objects that no cluster does without come back when they are deleted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeStoredObject, StoredObject } from '../../runtime/registry/stored-objects/stored-object.ts';
import { ensureSystemNamespaces, lookAfterSystemObjects, makeSystemObjects } from '../../runtime/system-objects/start.ts';
import { eventually, TestCluster } from '../controllers/server.ts';

const test = suite('looking after objects of the system');

const KEYS = [
  'namespaces/kube-node-lease',
  'apiregistration.k8s.io/apiservices/v1.apps',
  'flowschemas/exempt',
  'prioritylevelconfigurations/catch-all',
];

test('what was deleted is made again', async () => {
  const cluster = await TestCluster.create();
  const { server } = cluster;
  const { storage } = server;
  try {
    await ensureSystemNamespaces(server);
    await makeSystemObjects(server);
    const stop = lookAfterSystemObjects(server, 20);
    try {
      for (const key of KEYS) {
        const before = storage.get(key);
        assert.ok(before !== undefined, key);
        const object = new StoredObject(before.value).parse();
        await storage.delete(key, before.revision, encodeStoredObject(object, 0, []));
        await eventually(
          () => (storage.get(key)?.revision ?? 0) > before.revision,
          () => `${key} is not there again`,
        );
      }
    } finally {
      await stop();
    }
  } finally {
    await cluster.remove();
  }
});

test.run();
