/** Events of audit: what recording a get and a create costs the thread that serves them, without a server and a disk. It needs no server to ask. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuditEvent } from '../../../runtime/audit/audit-event.ts';
import { AuditPolicy, type Level } from '../../../runtime/audit/audit-policy.ts';
import type { AuditSink } from '../../../runtime/audit/audit-sink.ts';
import type { AuditedClient } from '../../../runtime/audit/audited-client.ts';
import { Auditor } from '../../../runtime/audit/auditor.ts';
import { LineBuffer } from '../../../runtime/audit/log-line.ts';
import type { RecordedBody } from '../../../runtime/connections/recorded-body.ts';
import type { Bench } from '../bench.ts';
import { podBody } from '../objects.ts';

const REQUESTS = 30_000;
const ROUNDS = 7;
/** Events that are written together. */
const AT_ONCE = 64;

/** Beside requests of level None, which make no events. */
export async function measureAuditEvents({ report }: Bench): Promise<void> {
  const none = auditorOf('None');
  for (const level of ['Metadata', 'RequestResponse'] as const)
    for (const verb of ['get', 'create'] as const) {
      const recording = auditorOf(level);
      const times: number[] = [];
      const without: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        without.push(measure(none, verb));
        times.push(measure(recording, verb));
      }
      report({ workload: 'audit-events', name: `${verb}, ${level}`, processorUs: Math.min(...times) - Math.min(...without) });
    }
}

/** @returns processor time for one, microseconds */
function measure(auditor: Auditor, verb: 'get' | 'create'): number {
  const before = process.cpuUsage();
  for (let i = 0; i < REQUESTS; i++) record(auditor, verb, i);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

/** Makes the lines, and throws them away. */
class Discarded implements AuditSink {
  readonly #buffer = new LineBuffer();
  #events: AuditEvent[] = [];
  bytes = 0;
  take(event: AuditEvent): true {
    this.#events.push(event);
    if (this.#events.length < AT_ONCE) return true;
    for (const each of this.#events) if (!this.#buffer.add(each.pieces('\n'))) this.bytes += this.#buffer.take().length;
    this.bytes += this.#buffer.take().length;
    this.#events = [];
    return true;
  }
  async close(): Promise<void> {}
}

function auditorOf(level: Level): Auditor {
  return new Auditor({
    policy: new AuditPolicy({ rules: [{ level }] } as never),
    sink: new Discarded(),
    negotiator: { encodingOf: () => 'json' } as never,
    identity: { text: (text: string) => text.replace('${groupDomain}', 'cluster.io') } as never,
    mostOfAnswer: 1e6,
    log: { warn: console.error } as never,
    metrics: { counter: () => ({ with: () => ({ inc() {} }) }) } as never,
  });
}

const user = { name: 'bench', uid: 'bench', groups: ['system:authenticated'], extra: {} };
const socket = { remoteAddress: '127.0.0.1' };
const pod = JSON.parse(podBody());
const bytes = Buffer.from(podBody(4_900));

function record(auditor: Auditor, verb: 'get' | 'create', number: number): void {
  const name = `pod-${String(number % 100).padStart(8, '0')}`;
  const path = `/api/v1/namespaces/bench-0a1b2c3d/pods${verb === 'get' ? `/${name}` : ''}`;
  const answer = new FakeAnswer();
  const annotations = new Map<string, string>();
  const request = {
    id: '0d9f8f0a-6d4c-4bd6-a5b4-0c2a1a7b4c11',
    received: performance.now(),
    answer,
    info: {
      isResource: true,
      verb,
      path,
      namespace: 'bench-0a1b2c3d',
      group: '',
      version: 'v1',
      resource: 'pods',
      subresource: '',
      name: verb === 'get' ? name : '',
      query: new Map(),
    },
    user,
    annotations,
    timings: new Map(),
    annotate: (key: string, value: string) => annotations.set(key, value),
  } as unknown as AuditedClient;
  const req = {
    method: verb === 'get' ? 'GET' : 'POST',
    url: path,
    headers: { 'user-agent': 'bench' },
    socket,
  } as unknown as IncomingMessage;
  const res = { getHeader: () => undefined } as unknown as ServerResponse;
  auditor.begin(request, { req, res }, false);
  request.annotate('authorization.cluster.io/decision', 'allow');
  request.annotate('authorization.cluster.io/reason', `RBAC: allowed by ClusterRoleBinding "bench" of ClusterRole "admin" to User "bench"`);
  request.recorder?.answers();
  if (verb === 'create') request.recorder?.sent(pod);
  answer.send(verb === 'get' ? 200 : 201);
}

class FakeAnswer extends EventEmitter {
  status = 0;
  readonly contentType = 'application/json';
  #begun: ((status: number) => void) | undefined;
  #recorded: RecordedBody | undefined;
  whenBegun(listener: (status: number) => void): void {
    this.#begun = listener;
  }
  whenOver(listener: (end: 'whole') => void): void {
    this.once('close', () => listener('whole'));
  }
  record(body: RecordedBody): void {
    this.#recorded = body;
  }
  send(status: number): void {
    this.status = status;
    this.#begun?.(status);
    this.#recorded?.keep(bytes);
    this.emit('close');
  }
}
