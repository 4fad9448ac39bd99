/** What the audit says of slow requests: the time that webhooks took, under the names and in the form of 1.32. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerTo, hookTo } from '../admission/webhooked-server.ts';
import { ConversionWebhook, send } from '../custom-resources/conversion/webhook.ts';
import { AskedServer } from '../endpoints/handlers/asked-server.ts';
import type { Json } from '../harness/client.ts';

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

/** Annotations of the request that made a config map. */
async function annotationsOf(name: string): Promise<Record<string, string>> {
  for (;;) {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    const events: Json[] = lines.map((line) => JSON.parse(line));
    const found = events.find(
      ({ stage, verb, objectRef }) => stage === 'ResponseComplete' && verb === 'create' && objectRef?.name === name,
    );
    if (found !== undefined) return found.annotations;
    await sleep(5);
  }
}

/** Mutating webhooks are asked one after the other, validating ones at the same time. */
const rows: readonly [kind: string, other: string, milliseconds: number, least: number, most: number][] = [
  ['mutating', 'validating', 300, 600, 4_000],
  ['validating', 'mutating', 600, 600, 1_200],
];
for (const [kind, other, delay, least, most] of rows)
  test(`has what two ${kind} webhooks took of a slow request`, async () => {
    webhook.reply = (review, answer) => void setTimeout(() => send(answer, answerTo(review, {})), delay);
    const webhooks = ['a', 'b'].map((name) => hookTo(webhook, { name: `${name}.example.com` }));
    assert.is((await server.post(`${GROUP}/${kind}webhookconfigurations`, { metadata: { name: 'slow' }, webhooks })).status, 201);
    assert.is((await server.post(MAPS, { metadata: { name: kind } })).status, 201);
    const annotations = await annotationsOf(kind);
    const [, digits, unit] = /^([\d.]+)(ms|s)$/.exec(annotations[`${LATENCY}${kind}-webhook`] ?? '') ?? [];
    const took = Number(digits) * (unit === 's' ? 1_000 : 1);
    assert.ok(took >= least - 5 && took < most, `${took} ms`);
    assert.not.ok(`${LATENCY}${other}-webhook` in annotations);
    await server.ask('DELETE', `${GROUP}/${kind}webhookconfigurations/slow`);
  });

test.run();
