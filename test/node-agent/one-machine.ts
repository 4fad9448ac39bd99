/**
 * A whole cluster on one machine, to try things out: a server, the agent of one node, and a container runtime for tests that has one pod. `make cluster` runs it.
 *
 *   --dialect=cluster|kubernetes   kubernetes by default
 *   --data-dir=FOLDER              kept; a temporary folder that goes with the cluster by default
 *   --port=10250                   of the agent
 *   --secure-port=6443             of the server
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { TestRuntime } from './test-runtime.ts';

const { values: flags } = parseArgs({
  options: {
    dialect: { type: 'string', default: 'kubernetes' },
    'data-dir': { type: 'string' },
    port: { type: 'string', default: '10250' },
    'secure-port': { type: 'string', default: '6443' },
  },
});

const folder = flags['data-dir'] === undefined ? mkdtempSync(path.join(tmpdir(), 'cluster-')) : path.resolve(flags['data-dir']);
mkdirSync(folder, { recursive: true });
const data = path.join(folder, 'data');
const pki = path.join(data, 'pki');
const programs: ChildProcess[] = [];

/** Starts a program, and waits until it prints that. @throws Error where it ends before */
async function start(program: string, args: readonly string[], ready: RegExp): Promise<void> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '../../runtime/main', program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  programs.push(child);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${program} ended with ${code}`);
  });
  const printed = Promise.withResolvers<void>();
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    out = (out + part).slice(-10_000);
    if (ready.test(out)) printed.resolve();
  });
  await Promise.race([printed.promise, failed]);
  failed.catch((error: Error) => end(error.message));
}

/** A client configuration with which nodes join. */
function invite(): string {
  const args = ['invite', `--dialect=${flags.dialect}`, `--kubeconfig=${data}/admin.conf`];
  return execFileSync(process.execPath, [path.join(import.meta.dirname, '../../runtime/main/cluster-node-agent.js'), ...args], {
    encoding: 'utf8',
  });
}

let isEnding = false;
async function end(problem?: string): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  if (problem !== undefined) console.error(problem);
  for (const program of programs.reverse()) {
    if (program.exitCode !== null || program.signalCode !== null) continue;
    program.kill('SIGTERM');
    await once(program, 'exit');
  }
  runtime.stop();
  if (flags['data-dir'] === undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(problem === undefined ? 0 : 1);
}

const runtime = new TestRuntime(path.join(folder, 'runtime.sock'));
rmSync(runtime.socket, { force: true });
await runtime.start();
runtime.addPod('default', 'web', ['nginx']);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end());

try {
  await start(
    'cluster-apiserver.js',
    [
      `--dialect=${flags.dialect}`,
      `--data-dir=${data}`,
      `--secure-port=${flags['secure-port']}`,
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      '--enable-bootstrap-token-auth',
      '--controllers=*,node-lifecycle-controller,taint-eviction-controller,csrapproving,csrsigning',
      '--kubelet-preferred-address-types=InternalIP',
      `--kubelet-client-certificate=${pki}/administrator.crt`,
      `--kubelet-client-key=${pki}/administrator.key`,
    ],
    /./,
  );
  const invitation = path.join(folder, 'join.conf');
  writeFileSync(invitation, invite(), { mode: 0o600 });
  const isKubernetes = flags.dialect === 'kubernetes';
  const configuration = path.join(folder, 'agent.yaml');
  writeFileSync(
    configuration,
    JSON.stringify({
      apiVersion: isKubernetes ? 'kubelet.config.k8s.io/v1beta1' : 'node-agent.config.cluster.io/v1beta1',
      kind: isKubernetes ? 'KubeletConfiguration' : 'NodeAgentConfiguration',
      address: '127.0.0.1',
      port: Number(flags.port),
      healthzPort: 0,
      failSwapOn: false,
      rotateCertificates: true,
      containerRuntimeEndpoint: `unix://${runtime.socket}`,
      authentication: { anonymous: { enabled: false }, x509: { clientCAFile: path.join(pki, 'client-ca.crt') } },
    }),
  );
  await start(
    'cluster-node-agent.js',
    [
      `--dialect=${flags.dialect}`,
      `--config=${configuration}`,
      `--bootstrap-kubeconfig=${invitation}`,
      `--kubeconfig=${folder}/agent.conf`,
      `--root-dir=${folder}/node`,
      `--node-ip=127.0.0.1`,
    ],
    /speaks for node/,
  );
  console.log(`
The node ${hostname().toLowerCase()} is there. Control-C ends it all.

  export KUBECONFIG=${data}/admin.conf
  kubectl get nodes -o wide
  curl -k --cert ${pki}/administrator.crt --key ${pki}/administrator.key -X POST https://127.0.0.1:${flags.port}/checkpoint/default/web/nginx
`);
} catch (error) {
  await end((error as Error).message);
}
