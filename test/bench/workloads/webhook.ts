/** New pods that admission webhooks are asked about, which are on this machine, beside pods that none is asked about and the question alone. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Bench, request } from '../bench.ts';
import type { AlternatingResult } from '../load/alternating-loops.ts';
import type { ClosedLoop } from '../load/closed-loop.ts';
import { podBody } from '../objects.ts';
import { requestText, type Target } from '../target.ts';

const WORKLOAD = 'webhook';
/** Webhooks that a create asks, of one kind or the other. */
const CASES = [
  { name: 'no webhook', kind: 'Validating', count: 0 },
  { name: '1 validating webhook', kind: 'Validating', count: 1 },
  { name: '4 validating webhooks', kind: 'Validating', count: 4 },
  { name: '1 mutating webhook', kind: 'Mutating', count: 1 },
] as const;

export async function measureWebhook(bench: Bench): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-webhook-'));
  const webhook = fork(path.join(import.meta.dirname, '../allowing-webhook.ts'), [folder]);
  try {
    const [port] = (await once(webhook, 'message')) as [number];
    const authority = readFileSync(path.join(folder, 'ca.crt'), 'utf8');
    await measure(bench, { host: '127.0.0.1', port, token: 'asked-for-by-nobody', authority });
  } finally {
    webhook.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(bench: Bench, webhook: Target): Promise<void> {
  const { target, load, options } = bench;
  const loops: Pick<ClosedLoop, 'target' | 'request'>[] = [{ target: webhook, request: question(bench, webhook) }];
  for (const { kind, count } of CASES) {
    const namespace = await bench.makeNamespace();
    if (count > 0) await configure(bench, webhook, namespace, kind, count);
    loops.push({ target, request: requestText(target, 'POST', `/api/v1/namespaces/${namespace}/pods`, podBody()) });
  }
  const run = async (first: number, seconds: number): Promise<AlternatingResult[]> => {
    const all = loops.map((loop): ClosedLoop => ({ kind: 'closedLoop', connections: 1, first, seconds, ...loop }));
    const results: AlternatingResult[] = await load.run({ kind: 'alternatingLoops' as const, loops: all });
    const failed = results.find(({ failures }) => failures > 0);
    if (failed !== undefined) throw new Error(`${WORKLOAD}: ${failed.failures} requests failed, first: ${failed.firstFailure}`);
    return results;
  };
  const warm = await run(0, options.warmUpSeconds);
  const [alone, ...creates] = await run(Math.max(...warm.map(({ sent }) => sent)), options.seconds);
  report(bench, alone as AlternatingResult, creates);
}

/** What webhooks add is told beside what one takes that is asked without a server of this API. */
function report({ report: tell }: Bench, alone: AlternatingResult, creates: readonly AlternatingResult[]): void {
  tell({ workload: WORKLOAD, name: 'the webhook alone', perSecond: alone.perSecond, p50Ms: alone.p50Ms, p99Ms: alone.p99Ms });
  const [none] = creates as [AlternatingResult];
  for (const [index, { perSecond, p50Ms, p99Ms }] of creates.entries()) {
    const added = p50Ms - none.p50Ms;
    tell({
      workload: WORKLOAD,
      name: `create with ${CASES[index]?.name}`,
      perSecond,
      p50Ms,
      p99Ms,
      ...(index > 0 && { note: `adds ${added.toFixed(2)} ms: ${(added - alone.p50Ms).toFixed(2)} ms more than the webhook alone` }),
    });
  }
}

async function configure({ target, groupDomain }: Bench, webhook: Target, namespace: string, kind: string, count: number): Promise<void> {
  const group = `admissionregistration.${groupDomain}`;
  const selector = { matchExpressions: [{ key: await nameLabel(target, namespace), operator: 'In', values: [namespace] }] };
  const webhooks = Array.from({ length: count }, (_, index) => ({
    name: `webhook-${index}.bench.example.com`,
    clientConfig: { url: `https://${webhook.host}:${webhook.port}/`, caBundle: Buffer.from(webhook.authority ?? '').toString('base64') },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    namespaceSelector: selector,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }));
  const body = { apiVersion: `${group}/v1`, kind: `${kind}WebhookConfiguration`, metadata: { name: namespace }, webhooks };
  await request(target, 'POST', `/apis/${group}/v1/${kind.toLowerCase()}webhookconfigurations`, JSON.stringify(body));
}

/** The key of the label by which each namespace has its name. */
async function nameLabel(target: Target, namespace: string): Promise<string> {
  const { metadata } = JSON.parse((await request(target, 'GET', `/api/v1/namespaces/${namespace}`)).toString());
  const found = Object.entries(metadata.labels).find(([, value]) => value === namespace);
  if (found === undefined) throw new Error(`${WORKLOAD}: namespaces have no label with their names`);
  return found[0];
}

/** As a server of this API asks. */
function question({ groupDomain }: Bench, webhook: Target): string {
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  const review = {
    kind: 'AdmissionReview',
    apiVersion: `admission.${groupDomain}/v1`,
    request: {
      uid: 'd9f8f0a5-6d4c-4bd6-a5b4-0c2a1a7b4c11',
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: 'pod',
      namespace: 'bench',
      operation: 'CREATE',
      userInfo: { username: 'bench', uid: 'bench', groups: ['system:masters', 'system:authenticated'] },
      object: JSON.parse(podBody()),
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: `meta.${groupDomain}/v1` },
    },
  };
  return requestText(webhook, 'POST', '/?timeout=10s', JSON.stringify(review));
}
