/** Definitions that are deleted while several processes create their objects, and while admission would keep these. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answering, hookTo } from '../../admission/webhooked-server.ts';
import { ConversionWebhook } from '../../custom-resources/conversion/webhook.ts';
import { Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('deleted definitions of a whole server');
const WORKERS = 2;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/bolts.shop.example`;
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const BOLTS = '/apis/shop.example/v1/namespaces/default/bolts';

let server: TestServer;
let clients: Client[] = [];
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: [`--workers=${WORKERS}`] });
  clients = Array.from({ length: 3 * WORKERS }, () => new Client(server));
});
test.after(async () => {
  for (const client of clients) client.close();
  assert.is(await server.stop(), 0, server.log());
});

const first = (): Client => clients[0] as Client;

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 30_000; !(await holds()); await sleep(5)) if (performance.now() > end) assert.unreachable(what);
}

async function define(): Promise<void> {
  const names = { plural: 'bolts', singular: 'bolt', kind: 'Bolt', listKind: 'BoltList' };
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  const { status, text } = await first().post(DEFINITIONS, {
    metadata: { name: 'bolts.shop.example' },
    spec: { group: 'shop.example', scope: 'Namespaced', names, versions },
  });
  assert.is(status, 201, text);
  await until('established', async () =>
    (await first().get(DEFINITION)).body.status.conditions?.some((each: Json) => each.type === 'Established' && each.status === 'True'),
  );
}

const isGone = async (): Promise<boolean> => (await first().get(DEFINITION)).status === 404;
const bolt = (name: string, spec: object = {}) => ({ apiVersion: 'shop.example/v1', kind: 'Bolt', metadata: { name }, spec });

const createBolt = (client: Client, name: string) => client.post(BOLTS, bolt(name));
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const applyBolt = (client: Client, name: string) => client.patch(`${BOLTS}/${name}?fieldManager=test`, bolt(name), undefined, APPLY);

test('leave nothing of what is created meanwhile to the next definition of their name', async () => {
  for (let round = 0; round < 8; round++) {
    await define();
    let isOver = false;
    let next = 0;
    const statuses = new Set<number>();
    const writers = clients.map(async (client, index) => {
      while (!isOver) statuses.add((await (index % 2 === 0 ? createBolt : applyBolt)(client, `b${next++}`)).status);
    });
    await sleep(50);
    assert.is((await (clients.at(-1) as Client).delete(DEFINITION)).status, 200);
    await until('gone', isGone);
    await sleep(20);
    isOver = true;
    await Promise.all(writers);
    for (const status of statuses) assert.ok([201, 404, 405].includes(status), `${status}`);
    await define();
    assert.equal(
      (await first().get(BOLTS)).body.items.map(({ metadata }: Json) => metadata.name),
      [],
      `round ${round}`,
    );
    await first().delete(DEFINITION);
    await until('gone', isGone);
  }
});

const RULE = { apiGroups: ['shop.example'], apiVersions: ['*'], operations: ['DELETE'], resources: ['*'] };
const long = Array.from({ length: 60_000 }, (_, index) => `v${index}`);

test('take along what admission would keep, however long it is', async () => {
  await define();
  for (const each of [bolt('short'), bolt('long', { long })]) assert.is((await first().post(BOLTS, each)).status, 201);
  const spec = { matchConstraints: { resourceRules: [RULE] }, validations: [{ expression: 'false' }] };
  await first().post(`${ADMISSION}/validatingadmissionpolicies`, { metadata: { name: 'keep' }, spec });
  const binding = { metadata: { name: 'keep' }, spec: { policyName: 'keep', validationActions: ['Deny'] } };
  await first().post(`${ADMISSION}/validatingadmissionpolicybindings`, binding);
  await until('denied', async () => (await first().delete(`${BOLTS}/long?dryRun=All`)).status === 422);
  await first().delete(DEFINITION);
  await until('gone', isGone);
  await first().delete(`${ADMISSION}/validatingadmissionpolicybindings/keep`);
});

test('have no webhook asked about what they take along, however long it is', async () => {
  const webhook = await new ConversionWebhook().start();
  try {
    webhook.reply = answering({});
    await define();
    for (const each of [bolt('short'), bolt('long', { long })]) assert.is((await first().post(BOLTS, each)).status, 201);
    const hook = hookTo(webhook, { rules: [RULE], name: 'hook.example.com' });
    await first().post(`${ADMISSION}/validatingwebhookconfigurations`, { metadata: { name: 'asked' }, webhooks: [hook] });
    await until('asked', async () => {
      assert.is((await first().delete(`${BOLTS}/long?dryRun=All`)).status, 200);
      return webhook.asked.length > 0;
    });
    webhook.asked.length = 0;
    await first().delete(DEFINITION);
    await until('gone', isGone);
    assert.is(webhook.asked.length, 0);
  } finally {
    await webhook.stop();
  }
});

test.run();
