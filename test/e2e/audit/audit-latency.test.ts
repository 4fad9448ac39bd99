/** What the audit says of slow requests: the time that webhooks and other steps took, under the names and in the form of 1.32. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerTo, hookTo } from '../../admission/webhooked-server.ts';
import { ConversionWebhook, send } from '../../custom-resources/conversion/webhook.ts';
import { AskedServer } from '../../endpoints/handlers/asked-server.ts';
import type { Json } from '../../harness/client.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const LATENCY = 'apiserver.latency.k8s.io/';

const folder = mkdtempSync(path.join(tmpdir(), 'audit-latency-'));
const log = path.join(folder, 'audit.log');
writeFileSync(path.join(folder, 'policy.yaml'), 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');

const test = suite('latency in the audit');
const webhook = await new ConversionWebhook().start();
const server = await AskedServer.start('kubernetes', { 'audit-policy-file': path.join(folder, 'policy.yaml'), 'audit-log-path': log });
test.after(async () => {
  await server.stop();
  await webhook.stop();
  rmSync(folder, { recursive: true });
});

/** Annotations of a request for a config map. */
async function annotationsOf(name: string, asked = 'create'): Promise<Record<string, string>> {
  for (;;) {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    const events: Json[] = lines.map((line) => JSON.parse(line));
    const found = events.find(({ stage, verb, objectRef }) => stage === 'ResponseComplete' && verb === asked && objectRef?.name === name);
    if (found !== undefined) return found.annotations;
    await sleep(5);
  }
}

/** Mutating webhooks are asked one after the other, validating ones at the same time. */
const rows: readonly [kind: string, other: string, milliseconds: number, least: number][] = [
  ['mutating', 'validating', 300, 600],
  ['validating', 'mutating', 600, 600],
];
for (const [kind, other, delay, least] of rows)
  test(`has what two ${kind} webhooks took of a slow request`, async () => {
    webhook.reply = (review, answer) => void setTimeout(() => send(answer, answerTo(review, {})), delay);
    const webhooks = ['a', 'b'].map((name) => hookTo(webhook, { name: `${name}.example.com` }));
    assert.is((await server.post(`${GROUP}/${kind}webhookconfigurations`, { metadata: { name: 'slow' }, webhooks })).status, 201);
    const began = performance.now();
    assert.is((await server.post(MAPS, { metadata: { name: kind } })).status, 201);
    // what two took at the same time is not added up: that would be more than the request took
    const most = performance.now() - began;
    const annotations = await annotationsOf(kind);
    const [, digits, unit] = /^([\d.]+)(ms|s)$/.exec(annotations[`${LATENCY}${kind}-webhook`] ?? '') ?? [];
    const took = Number(digits) * (unit === 's' ? 1_000 : 1);
    assert.ok(took >= least - 5 && took < most + 5, `${took} of ${most} ms`);
    assert.not.ok(`${LATENCY}${other}-webhook` in annotations);
    await server.ask('DELETE', `${GROUP}/${kind}webhookconfigurations/slow`);
  });

/** Steps of a slow request besides that of its webhook and all of it. */
const steps: readonly [what: string, method: string, verb: string, accept: string, steps: readonly string[]][] = [
  ['a create', 'POST', 'create', 'application/json', ['admission', 'etcd', 'response-write']],
  [
    'a create that is shown as YAML',
    'POST',
    'create',
    'application/yaml',
    ['admission', 'etcd', 'response-write', 'serialize-response-object', 'transform-response-object'],
  ],
  ['an update', 'PUT', 'update', 'application/json', ['admission', 'decode-response-object', 'etcd', 'response-write']],
  ['a delete', 'DELETE', 'delete', 'application/json', ['admission', 'etcd', 'response-write', 'serialize-response-object']],
];
for (const [index, [what, method, verb, accept, expected]] of steps.entries())
  test(`has what the steps of ${what} took`, async () => {
    const name = `steps-${index}`;
    if (method !== 'POST') assert.is((await server.post(MAPS, { metadata: { name } })).status, 201);
    webhook.reply = (review, answer) => void setTimeout(() => send(answer, answerTo(review, {})), 600);
    const webhooks = [hookTo(webhook, { name: 'a.example.com' })];
    assert.is((await server.post(`${GROUP}/validatingwebhookconfigurations`, { metadata: { name: 'slow' }, webhooks })).status, 201);
    const path = method === 'POST' ? MAPS : `${MAPS}/${name}`;
    const body = method === 'DELETE' ? undefined : { metadata: { name }, data: { a: 'b' } };
    const { status } = await server.ask(method, path, { body, headers: { accept } });
    assert.ok(status === 200 || status === 201, String(status));
    const found = Object.entries(await annotationsOf(name, verb)).filter(([key]) => key.startsWith(LATENCY));
    const took = found.map(([key]) => key.slice(LATENCY.length)).filter((step) => step !== 'total' && step !== 'validating-webhook');
    assert.equal(took.sort(), expected);
    for (const [key, text] of found) assert.match(text, /^(?:\d+\.)?\d+(?:ns|µs|ms|s)$/, key);
    await server.ask('DELETE', `${GROUP}/validatingwebhookconfigurations/slow`);
  });

test('has the same of a request that another thread does', async () => {
  const name = 'long';
  webhook.reply = (review, answer) => void setTimeout(() => send(answer, answerTo(review, {})), 600);
  const webhooks = [hookTo(webhook, { name: 'a.example.com' })];
  assert.is((await server.post(`${GROUP}/validatingwebhookconfigurations`, { metadata: { name: 'slow' }, webhooks })).status, 201);
  assert.is((await server.post(MAPS, { metadata: { name }, data: { a: 'long'.repeat(200_000) } })).status, 201);
  const annotations = await annotationsOf(name);
  for (const step of ['etcd', 'validating-webhook', 'admission', 'response-write']) assert.ok(`${LATENCY}${step}` in annotations, step);
  await server.ask('DELETE', `${GROUP}/validatingwebhookconfigurations/slow`);
});

test.run();
