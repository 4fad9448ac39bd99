/** A server with one node, whose agent is written for tests, and pods on it. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from './client.ts';
import { AGENT_ADDRESS, NodeAgent } from './node-agent.ts';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

export interface AgentCluster {
  readonly server: TestServer;
  readonly agent: NodeAgent;
  readonly client: Client;
  /** path of the pod `name` */
  pod(name: string): string;
  stop(): Promise<void>;
}

/** Where connections to `AGENT_ADDRESS` arrive on this machine. */
const POD_NETWORK = path.join(import.meta.dirname, 'pod-network.ts');

/**
 * Its pods in the namespace `default`: `one` with a container `main`; `two` with `left`, `right` and the init container `first`; `waiting`, on
 * no node; `lost`, on a node that does not exist; `strayed`, on a node without an address.
 */
export async function startAgentCluster(options: Pick<ServerOptions, 'flags' | 'preload' | 'env'> = {}): Promise<AgentCluster> {
  const directory = await mkdtemp(path.join(tmpdir(), 'agent-cluster-'));
  const agent = await NodeAgent.start(directory);
  const { authority, administrator } = agent.certificates;
  const file = (name: string, text: string): string => {
    const target = path.join(directory, name);
    writeFileSync(target, text, { mode: 0o600 });
    return target;
  };
  const server = await startServer({
    dialect: 'kubernetes',
    preload: options.preload ?? POD_NETWORK,
    ...(options.env !== undefined && { env: options.env }),
    flags: [
      `--kubelet-certificate-authority=${file('authority.pem', authority)}`,
      `--kubelet-client-certificate=${file('client.pem', administrator.certificate)}`,
      `--kubelet-client-key=${file('client-key.pem', administrator.key)}`,
      ...(options.flags ?? []),
    ],
  });
  const client = new Client(server);
  const must = async (answer: Promise<{ status: number; text: string }>): Promise<void> => {
    const { status, text } = await answer;
    if (status !== 201) throw new Error(text);
  };
  const addNode = (name: string, status: object): Promise<void> =>
    must(client.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name }, status }));
  await addNode('near', {
    addresses: [{ type: 'InternalIP', address: AGENT_ADDRESS }],
    daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
  });
  await addNode('nowhere', { addresses: [{ type: 'Other', address: '10.1.1.1' }] });
  const pods = '/api/v1/namespaces/default/pods';
  const addPod = (name: string, nodeName: string | undefined, containers: readonly string[], initContainers: readonly string[] = []) => {
    const named = (names: readonly string[]): object[] => names.map((each) => ({ name: each, image: 'registry.example/image:1' }));
    const spec = { nodeName, containers: named(containers), initContainers: named(initContainers) };
    return must(client.post(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }));
  };
  await addPod('one', 'near', ['main']);
  await client.patch(`${pods}/one/status`, { status: { phase: 'Running' } });
  await addPod('two', 'near', ['left', 'right'], ['first']);
  await addPod('waiting', undefined, ['main']);
  await addPod('lost', 'gone', ['main']);
  await addPod('strayed', 'nowhere', ['main']);
  return {
    server,
    agent,
    client,
    pod: (name) => `${pods}/${name}`,
    async stop() {
      client.close();
      await server.stop();
      await agent.stop();
      await rm(directory, { recursive: true });
    },
  };
}
