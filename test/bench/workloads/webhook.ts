/** New pods that admission webhooks are asked about, which are on this machine, beside pods that none is asked about and the question alone. */
import { type ChildProcess, fork } from 'node:child_process';
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
/** Milliseconds that a webhook takes which does more than to allow: several of them are to be waited for together. */
const SLOW = 10;

interface Case {
  readonly name: string;
  readonly kind: 'Validating' | 'Mutating';
  /** webhooks that a create asks */
  readonly count: number;
}

/** Cases that are compared, which take about as long: who is asked after a long pause takes longer to answer. */
interface Group {
  readonly name: string;
  /** milliseconds until a webhook answers */
  readonly after: number;
  readonly cases: readonly Case[];
}

const NONE: Case = { name: 'no webhook', kind: 'Validating', count: 0 };
const VALIDATING: readonly Case[] = [
  { name: '1 validating webhook', kind: 'Validating', count: 1 },
  { name: '4 validating webhooks', kind: 'Validating', count: 4 },
];
const GROUPS: readonly Group[] = [
  { name: '', after: 0, cases: [NONE, ...VALIDATING, { name: '1 mutating webhook', kind: 'Mutating', count: 1 }] },
  { name: ` (${SLOW} ms each)`, after: SLOW, cases: [NONE, ...VALIDATING] },
];

export async function measureWebhook(bench: Bench): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-webhook-'));
  const webhook = fork(path.join(import.meta.dirname, '../allowing-webhook.ts'), [folder]);
  try {
    const [port] = (await once(webhook, 'message')) as [number];
    const authority = readFileSync(path.join(folder, 'ca.crt'), 'utf8');
    const target = { host: '127.0.0.1', port, token: 'asked-for-by-nobody', authority };
    for (const group of GROUPS) await measure(bench, webhook, target, group);
  } finally {
    webhook.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Loop = Pick<ClosedLoop, 'target' | 'request'>;

async function measure(bench: Bench, process: ChildProcess, webhook: Target, group: Group): Promise<void> {
  const { target, options } = bench;
  const creates: Loop[] = [];
  for (const each of group.cases) {
    const namespace = await bench.makeNamespace();
    if (each.count > 0) await configure(bench, webhook, namespace, each, group.after);
    creates.push({ target, request: requestText(target, 'POST', `/api/v1/namespaces/${namespace}/pods`, podBody()) });
  }
  const warm = await run(bench, creates, { first: 0, seconds: options.warmUpSeconds });
  process.send('the last question');
  const [question] = (await once(process, 'message')) as [string];
  const alone = { target: webhook, request: requestText(webhook, 'POST', pathAfter(group.after), question) };
  await run(bench, [alone], { first: 0, seconds: options.warmUpSeconds });
  const first = Math.max(...warm.map(({ sent }) => sent));
  const [ofWebhook, ...others] = await run(bench, [alone, ...creates], { first, seconds: options.seconds });
  report(bench, group, ofWebhook as AlternatingResult, others);
}

/** @param first number of an object that is not there */
async function run(
  { load }: Bench,
  loops: readonly Loop[],
  { first, seconds }: Pick<ClosedLoop, 'first' | 'seconds'>,
): Promise<AlternatingResult[]> {
  const all = loops.map((loop): ClosedLoop => ({ kind: 'closedLoop', connections: 1, first, seconds, ...loop }));
  const results: AlternatingResult[] = await load.run({ kind: 'alternatingLoops' as const, loops: all });
  const failed = results.find(({ failures }) => failures > 0);
  if (failed !== undefined) throw new Error(`${WORKLOAD}: ${failed.failures} requests failed, first: ${failed.firstFailure}`);
  return results;
}

/** What webhooks add is told beside what one takes that is asked the same without a server of this API. */
function report(
  { report: tell }: Bench,
  { name: of, cases }: Group,
  alone: AlternatingResult,
  creates: readonly AlternatingResult[],
): void {
  const row = (name: string, { perSecond, p50Ms, p99Ms }: AlternatingResult) => ({ workload: WORKLOAD, name, perSecond, p50Ms, p99Ms });
  tell(row(`the webhook alone${of}`, alone));
  const none = (creates[0] as AlternatingResult).p50Ms;
  for (const [index, { name, count }] of cases.entries()) {
    const result = creates[index] as AlternatingResult;
    const added = result.p50Ms - none;
    tell({
      ...row(`create with ${name}${of}`, result),
      ...(count > 0 && { note: `adds ${added.toFixed(2)} ms: ${(added - alone.p50Ms).toFixed(2)} ms more than the webhook alone` }),
    });
  }
}

const pathAfter = (milliseconds: number): string => (milliseconds > 0 ? `/after/${milliseconds}` : '/');

async function configure(
  { target, groupDomain }: Bench,
  webhook: Target,
  namespace: string,
  { kind, count }: Case,
  after: number,
): Promise<void> {
  const group = `admissionregistration.${groupDomain}`;
  const selector = { matchExpressions: [{ key: await nameLabel(target, namespace), operator: 'In', values: [namespace] }] };
  const webhooks = Array.from({ length: count }, (_, index) => ({
    name: `webhook-${index}.bench.example.com`,
    clientConfig: {
      url: `https://${webhook.host}:${webhook.port}${pathAfter(after)}`,
      caBundle: Buffer.from(webhook.authority ?? '').toString('base64'),
    },
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
