/** Several servers of one etcd are one server to their clients: what one has acknowledged the others show at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Client, Json } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { answered, CONFIGMAPS, configMap, eventually, nextEvents, type ServerOver, startOver, stopAll } from './over-etcd.ts';

const test = suite('several servers of one etcd');

const etcd = await startEtcd();
const servers: ServerOver[] = await Promise.all([startOver(etcd), startOver(etcd), startOver(etcd, ['--workers=2'])]);
const [one, two, workers] = servers.map(({ client }) => client) as [Client, Client, Client];
test.after(() => stopAll(etcd, ...servers));

const ROUNDS = 20;
const NAMESPACES = '/api/v1/namespaces';

const names = (list: Json): string[] => list.items.map(({ metadata }: Json) => metadata.name);

async function namespace(name: string): Promise<string> {
  await answered(201, one.post(NAMESPACES, { metadata: { name } }));
  return `${NAMESPACES}/${name}`;
}

for (const [what, from, to] of [
  ['one process to another', one, two],
  ['one process to workers', one, workers],
  ['workers to one process', workers, two],
  ['workers among themselves', workers, workers],
] as const)
  test(`what was acknowledged is there at once: ${what}`, async () => {
    const path = `${await namespace(what.replaceAll(' ', '-'))}/configmaps`;
    for (let i = 0; i < ROUNDS; i++) {
      const name = `n-${i}`;
      const { metadata } = await answered(201, from.post(path, configMap(name, { i: '0' })));
      const [got, listed, exact, notOlder, watched] = await Promise.all([
        answered(200, to.get(`${path}/${name}`)),
        answered(200, to.get(path)),
        answered(200, to.get(`${path}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`)),
        answered(200, to.get(`${path}/${name}?resourceVersion=${metadata.resourceVersion}`)),
        to.watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`),
      ]);
      assert.equal(got.metadata, metadata);
      assert.equal(notOlder.metadata, metadata);
      assert.ok(names(listed).includes(name));
      assert.ok(names(exact).includes(name));
      assert.is(exact.metadata.resourceVersion, metadata.resourceVersion);
      const changed = await answered(200, to.put(`${path}/${name}`, { ...got, data: { i: '1' } }));
      // each server publishes the certificates of its own authority
      const event = await watched.until(({ object }) => object.metadata.name === name);
      assert.is(event.type, 'MODIFIED');
      assert.is(event.object.metadata.resourceVersion, changed.metadata.resourceVersion);
      watched.close();
      assert.is((await from.get(`${path}/${name}`)).body.data.i, '1');
      if (i % 2 === 0) {
        await answered(200, to.delete(`${path}/${name}`));
        assert.is((await from.get(`${path}/${name}`)).status, 404);
        assert.not.ok(names((await from.get(path)).body).includes(name));
      }
    }
  });

test('a version that one server gave is known to the others at once, and pages go on at them', async () => {
  const path = `${await namespace('versions')}/configmaps`;
  for (let i = 0; i < 50; i++) {
    const { metadata } = await answered(201, one.post(path, configMap(`v-${String(i).padStart(3, '0')}`)));
    const exact = await answered(200, two.get(`${path}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`));
    assert.is(exact.metadata.resourceVersion, metadata.resourceVersion);
    await answered(201, two.post(path, configMap(`w-${String(i).padStart(3, '0')}`)));
    const page = await answered(200, two.get(`${path}?limit=1`));
    for (const besides of ['', '&resourceVersion=0'])
      await answered(200, one.get(`${path}?limit=1&continue=${page.metadata.continue}${besides}`));
  }
});

test('an older version is a conflict, whoever has it', async () => {
  const old = await answered(201, one.post(CONFIGMAPS, configMap('contested')));
  await answered(200, two.put(`${CONFIGMAPS}/contested`, { ...old, data: { a: '1' } }));
  for (const client of [one, two, workers]) {
    const refused = await client.put(`${CONFIGMAPS}/contested`, { ...old, data: { a: '2' } });
    assert.is(refused.status, 409);
    assert.match(refused.text, /the object has been modified/);
    assert.is(
      (await client.delete(`${CONFIGMAPS}/contested`, { preconditions: { resourceVersion: old.metadata.resourceVersion } })).status,
      409,
    );
    assert.is((await client.post(CONFIGMAPS, configMap('contested'))).body.reason, 'AlreadyExists');
  }
});

test('patches from everywhere are all made, one after the other', async () => {
  await answered(201, one.post(CONFIGMAPS, configMap('patched')));
  const clients = [one, two, workers];
  const patches = Array.from({ length: 60 }, (_, i) =>
    answered(200, (clients[i % 3] as Client).patch(`${CONFIGMAPS}/patched`, { data: { [`k${i}`]: 'x' } })),
  );
  const versions = (await Promise.all(patches)).map(({ metadata }) => metadata.resourceVersion);
  assert.is(new Set(versions).size, 60);
  for (const client of clients) assert.is(Object.keys((await answered(200, client.get(`${CONFIGMAPS}/patched`))).data).length, 60);
});

test('of many who create the same name one does', async () => {
  for (let i = 0; i < 10; i++) {
    const answers = await Promise.all([one, two, workers, one, two].map((client) => client.post(CONFIGMAPS, configMap(`raced-${i}`))));
    assert.equal(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
  }
});

test('watches of all servers see the writes of all, in one order', async () => {
  const path = `${await namespace('ordered')}/configmaps`;
  const from = (await answered(200, one.get(path))).metadata.resourceVersion;
  const watches = await Promise.all([one, two, workers, workers].map((client) => client.watch(`${path}?watch=1&resourceVersion=${from}`)));
  const clients = [one, two, workers];
  const write = async (client: Client, who: number): Promise<void> => {
    for (let i = 0; i < 30; i++) {
      const { metadata } = await answered(201, client.post(path, configMap(`w-${who}-${i}`)));
      await answered(200, client.patch(`${path}/${metadata.name}`, { data: { a: 'b' } }));
      await answered(200, client.delete(`${path}/${metadata.name}`));
    }
  };
  await Promise.all(clients.map(write));
  const seen = await Promise.all(
    watches.map(async (watch) => {
      const events: string[] = [];
      let last = 0;
      // the root certificates of the namespace come besides
      while (events.length < 3 * 3 * 30) {
        const { type, object } = await watch.next();
        if (!object.metadata.name.startsWith('w-')) continue;
        const revision = Number(object.metadata.resourceVersion);
        assert.ok(revision > last, `${revision} comes behind ${last}`);
        last = revision;
        events.push(`${type} ${object.metadata.name} ${revision}`);
      }
      watch.close();
      return events;
    }),
  );
  for (const events of seen) assert.equal(events, seen[0]);
});

test('definitions that one takes are served by the others within a moment, and go as soon', async () => {
  const group = 'shared.example.com';
  const definition = {
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await answered(201, two.post(definitions, definition));
  const path = `/apis/${group}/v1/widgets`;
  for (const client of [one, two, workers, workers])
    await eventually(
      () => client.get(path),
      ({ status }) => status === 200,
    );
  await answered(201, one.post(path, { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'w' }, size: 3 }));
  for (const client of [two, workers]) assert.is((await answered(200, client.get(`${path}/w`))).size, 3);
  await answered(200, workers.delete(`${definitions}/widgets.${group}`));
  for (const client of [one, two, workers])
    await eventually(
      () => client.get(path),
      ({ status }) => status === 404,
    );
  await answered(201, two.post(definitions, definition));
  for (const client of [one, two, workers]) {
    const { body } = await eventually(
      () => client.get(path),
      ({ status }) => status === 200,
    );
    assert.equal(body.items, []);
  }
});

test('a quota holds over all servers', async () => {
  const path = await namespace('limited');
  await answered(201, one.post(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { secrets: '5' } } }));
  await eventually(
    () => two.get(`${path}/resourcequotas/q`),
    ({ body }) => body.status?.hard?.secrets === '5',
  );
  const clients = [one, two, workers];
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => (clients[i % 3] as Client).post(`${path}/secrets`, { metadata: { name: `s-${i}` } })),
  );
  const made = answers.filter(({ status }) => status === 201).length;
  assert.is(made, 5, answers.map(({ status }) => status).join(' '));
  for (const { status, text } of answers)
    if (status !== 201) assert.match(text, /exceeded quota|Conflict|cannot be fulfilled/, `${status} ${text}`);
  assert.is((await answered(200, two.get(`${path}/resourcequotas/q`))).status.used.secrets, '5');
});

test('a namespace goes with all that the servers have put there', async () => {
  const path = await namespace('going');
  const clients = [one, two, workers];
  await Promise.all(
    Array.from({ length: 30 }, (_, i) => answered(201, (clients[i % 3] as Client).post(`${path}/configmaps`, configMap(`c-${i}`)))),
  );
  const watch = await two.watch(`${NAMESPACES}?watch=1&fieldSelector=metadata.name=going`);
  assert.is((await watch.next()).type, 'ADDED');
  await answered(200, two.delete(path));
  const refused = await one.post(`${path}/configmaps`, configMap('late'));
  assert.ok([403, 404, 409].includes(refused.status), refused.text);
  await watch.until(({ type }) => type === 'DELETED', 20_000);
  watch.close();
  for (const client of clients) {
    assert.is((await client.get(path)).status, 404);
    assert.equal((await answered(200, client.get(`${path}/configmaps`))).items, []);
  }
});

test('no address and no port of services is given twice', async () => {
  const path = `${await namespace('served')}/services`;
  const clients = [one, two, workers];
  const made = await Promise.all(
    Array.from({ length: 45 }, (_, i) =>
      answered(
        201,
        (clients[i % 3] as Client).post(path, { metadata: { name: `s-${i}` }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }),
      ),
    ),
  );
  assert.is(new Set(made.map(({ spec }) => spec.clusterIP)).size, 45);
  assert.is(new Set(made.map(({ spec }) => spec.ports[0].nodePort)).size, 45);
  const wanted = made[0].spec.clusterIP;
  for (const client of clients)
    assert.match(
      (await client.post(path, { metadata: { name: 'taken' }, spec: { clusterIP: wanted, ports: [{ port: 80 }] } })).text,
      /provided IP is already allocated/,
    );
  await answered(200, two.delete(`${path}/s-0`));
  await answered(201, workers.post(path, { metadata: { name: 'again' }, spec: { clusterIP: wanted, ports: [{ port: 80 }] } }));
});

test('one server of them ends, the others go on', async () => {
  const third = await startOver(etcd);
  const watch = await third.client.watch(
    `${CONFIGMAPS}?watch=1&resourceVersion=${(await answered(200, one.get(CONFIGMAPS))).metadata.resourceVersion}`,
  );
  await answered(201, third.client.post(CONFIGMAPS, configMap('from-the-third')));
  await nextEvents(watch, 1);
  third.client.close();
  await third.server.kill();
  await answered(200, one.patch(`${CONFIGMAPS}/from-the-third`, { data: { a: 'b' } }));
  await answered(200, two.delete(`${CONFIGMAPS}/from-the-third`));
});

test('servers of other authorities do not write against each other for ever', async () => {
  const path = '/api/v1/namespaces/default/configmaps?limit=1';
  const revision = async (): Promise<number> => Number((await answered(200, one.get(path))).metadata.resourceVersion);
  const before = await revision();
  await sleep(2_000);
  const written = (await revision()) - before;
  assert.ok(written < 100, `${written} writes within two seconds in which nobody asked for any`);
});

test('nothing was a fault of a server', () => {
  // controllers of several servers may be in each other's way, and try again
  const raced = /Operation cannot be fulfilled|is already allocated|already exists/;
  for (const { server } of servers)
    assert.equal(
      server.faults().filter((line) => !raced.test(line)),
      [],
    );
});

test.run();
