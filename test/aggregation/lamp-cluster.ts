/** A server with another one behind it that answers `lamps.example`, as the tests of aggregation have it. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../harness/client.ts';
import { startServer, type TestServer } from '../harness/server.ts';
import { AggregatedServer, Authorities, json } from './aggregated-server.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const ENDPOINTS = '/api/v1/namespaces/default/endpoints';
export const APISERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
export const LAMPS = '/apis/lamps.example/v1';

export const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'lamps.example/v1',
  resources: [
    { name: 'lamps', singularName: 'lamp', namespaced: true, kind: 'Lamp', verbs: ['get', 'list'], shortNames: ['lp'] },
    { name: 'lamps/status', singularName: '', namespaced: true, kind: 'Lamp', verbs: ['get'] },
  ],
};

export interface Expected {
  readonly status: string;
  readonly reason: string;
}

export const PASSED: Expected = { status: 'True', reason: 'Passed' };

/** @throws Error with the answer where it is refused */
export async function ok(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering;
  assert.ok(status < 300, `${status} ${text}`);
  return body;
}

export class LampCluster {
  readonly authorities: Authorities;
  readonly lamps: AggregatedServer;
  readonly server: TestServer;
  readonly admin: Client;
  readonly alice: Client;

  private constructor(authorities: Authorities, lamps: AggregatedServer, server: TestServer) {
    this.authorities = authorities;
    this.lamps = lamps;
    this.server = server;
    this.admin = new Client(server);
    this.alice = new Client(server, server.tokens.alice);
  }

  /** Both servers; nothing leads from one to the other yet. @param nodeFlags of the one in front */
  static async start(nodeFlags: readonly string[] = []): Promise<LampCluster> {
    const authorities = new Authorities();
    const lamps = await new AggregatedServer(authorities, 'lamps.default.svc').start();
    lamps.answers[LAMPS] = (_, response) => json(response, RESOURCES);
    const server = await startServer({
      dialect: 'kubernetes',
      flags: [...authorities.flags, '--service-cluster-ip-range=10.99.0.0/16', '--requestheader-username-headers=X-Remote-User'],
      preload: path.join(import.meta.dirname, '../harness/pod-network.ts'),
      nodeFlags,
    });
    return new LampCluster(authorities, lamps, server);
  }

  async stop(): Promise<void> {
    this.alice.close();
    this.admin.close();
    assert.equal(this.server.faults(), []);
    assert.is(await this.server.stop(), 0, this.server.log());
    await this.lamps.stop();
  }

  get #ports(): object[] {
    return [{ name: 'https', port: this.lamps.port }];
  }

  async makeService(name = 'lamps'): Promise<void> {
    const metadata = { name };
    await ok(this.admin.post(SERVICES, { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: this.#ports } }));
  }

  async makeEndpoints(name = 'lamps'): Promise<void> {
    const subsets = [{ addresses: [{ ip: '10.99.7.7' }], ports: this.#ports }];
    await ok(this.admin.post(ENDPOINTS, { apiVersion: 'v1', kind: 'Endpoints', metadata: { name }, subsets }));
  }

  /** All that leads to version v1 of the group, until it is available. */
  async serveLamps(): Promise<void> {
    await ok(this.admin.post(APISERVICES, this.apiService('lamps.example', 'v1')));
    await this.makeService();
    await this.makeEndpoints();
    await this.available('v1.lamps.example', PASSED);
  }

  /** Waits until the garbage collector has found out what the server has: its question takes a connection for itself. */
  async discovered(): Promise<void> {
    const { asked } = this.lamps;
    for (let i = 0; i < 200; i++, await sleep(50)) {
      const at = asked.findIndex(({ url }) => url === '/apis');
      if (at >= 0 && asked.slice(at).some(({ url }) => url === LAMPS)) return sleep(50);
    }
    throw new Error('nobody has asked what the server has');
  }

  /** Another service that leads to the same server, and answers version v1 of a group; nobody looks at the server's name. */
  async serve(service: string, group: string): Promise<void> {
    await this.makeService(service);
    await this.makeEndpoints(service);
    const place = { namespace: 'default', name: service, port: this.lamps.port };
    const spec = { service: place, caBundle: undefined, insecureSkipTLSVerify: true };
    await ok(this.admin.post(APISERVICES, this.apiService(group, 'v1', spec)));
  }

  apiService(group: string, version: string, spec: object = {}) {
    return {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        groupPriorityMinimum: 2000,
        versionPriority: 15,
        caBundle: this.authorities.caBundle,
        service: { namespace: 'default', name: 'lamps', port: this.lamps.port },
        ...spec,
      },
    };
  }

  /** @returns the condition, once it is as expected */
  async available(name: string, { status, reason }: Expected): Promise<Json> {
    for (let i = 0; i < 200; i++) {
      const object = await ok(this.admin.get(`${APISERVICES}/${name}`));
      const [condition] = object.status?.conditions ?? [];
      if (condition?.status === status && condition.reason === reason) return condition;
      await sleep(50);
    }
    throw new Error(`${name} is not ${status} for ${reason}: ${(await this.admin.get(`${APISERVICES}/${name}`)).text}`);
  }

  /** Any change of the APIService has its server asked anew. */
  async touch(): Promise<void> {
    await ok(this.admin.patch(`${APISERVICES}/v1.lamps.example`, { metadata: { annotations: { now: `${Math.random()}` } } }));
  }
}

/** In which `/apis` has the resources of all versions. */
export const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
