/** What the server passes on to a node agent that runs no pods: checkpoints and pods by `proxy`; logs, commands and ports are answered plainly. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ensureCertificates } from '../../../runtime/server/certificates/certificates.ts';
import { type AgentProcess, startAgentProcess } from '../../harness/agent-process.ts';
import { Client, type Json } from '../../harness/client.ts';
import { AGENT_ADDRESS } from '../../harness/node-agent.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { TestRuntime } from '../../node-agent/test-runtime.ts';

const POD = '/api/v1/namespaces/default/pods/web';
const PROXY = '/api/v1/nodes/near/proxy';

const relays = suite('relays to an agent that runs no pods');
let directory: string;
let server: TestServer;
let runtime: TestRuntime;
let agent: AgentProcess;
let client: Client;

const file = (name: string, content: string): string => {
  const place = path.join(directory, name);
  writeFileSync(place, content, { mode: 0o600 });
  return place;
};
async function create(url: string, body: object): Promise<void> {
  const { status, text } = await client.post(url, body);
  assert.is(status, 201, text);
}
relays.before(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'agent-relays-'));
  const { clientAuthority, administrator } = await ensureCertificates({
    folder: path.join(directory, 'pki'),
    names: ['127.0.0.1'],
    administrator: 'apiserver-of-the-test',
  });
  server = await startServer({
    dialect: 'kubernetes',
    preload: path.join(import.meta.dirname, '../../harness/pod-network.ts'),
    flags: [
      '--kubelet-preferred-address-types=InternalIP',
      `--kubelet-client-certificate=${file('client.pem', administrator.certificate)}`,
      `--kubelet-client-key=${file('client-key.pem', administrator.key)}`,
    ],
  });
  client = new Client(server);
  runtime = await new TestRuntime(path.join(directory, 'runtime.sock')).start();
  runtime.addPod('default', 'web', ['nginx']);
  agent = await startAgentProcess(server, {
    nodeIp: AGENT_ADDRESS,
    configuration: {
      containerRuntimeEndpoint: `unix://${runtime.socket}`,
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true, cacheTTL: '1ms' },
        x509: { clientCAFile: file('client-authority.pem', clientAuthority) },
      },
    },
  });
  const spec = { nodeName: 'near', containers: [{ name: 'nginx', image: 'registry.example/nginx:1' }] };
  await create('/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
});
relays.after(async () => {
  client.close();
  await agent.stop();
  runtime.stop();
  await server.stop();
  rmSync(directory, { recursive: true });
});

relays('the pods that the runtime of the node has', async () => {
  const answer = await client.get(`${PROXY}/pods`);
  assert.is(answer.status, 200, answer.text);
  assert.equal(
    answer.body.items.map(({ metadata }: Json) => metadata.name),
    ['web'],
  );
});
relays('a checkpoint of a container', async () => {
  const answer = await client.post(`${PROXY}/checkpoint/default/web/nginx`, '');
  assert.is(answer.status, 200, answer.text);
  assert.match(answer.body.items.join(), /^\/.*\/checkpoints\/checkpoint-web_default-nginx-.*Z\.tar$/);
  const absent = await client.post(`${PROXY}/checkpoint/default/web/log`, '');
  assert.equal([absent.status, absent.text.trim()], [404, 'container log does not exist']);
});
relays('logs of containers: the agent says that it has none', async () => {
  const { status, text } = await client.get(`${POD}/log`);
  assert.is(status, 501, text);
  assert.match(text, /this node agent runs no pods: it has no logs of containers/);
});
const channels: [name: string, url: string, what: string][] = [
  ['commands', `${POD}/exec?command=id&stdout=true`, 'commands in containers'],
  ['terminals', `${POD}/attach?stdout=true`, 'terminals of containers'],
  ['forwarded ports', `${POD}/portforward`, 'forwarded ports'],
];
for (const [name, url, what] of channels)
  relays(`${name}: the agent says that it has none`, async () => {
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };
    const { status, text } = await client.post(url, '', headers);
    assert.is(status, 501, text);
    assert.match(text, new RegExp(`this node agent runs no pods: it has no ${what}`));
  });
relays('figures of pods, and whatever no agent has', async () => {
  const figures = await client.get(`${PROXY}/stats/summary`);
  assert.is(figures.status, 501, figures.text);
  assert.is((await client.get(`${PROXY}/nothing`)).status, 404);
});
relays.run();
