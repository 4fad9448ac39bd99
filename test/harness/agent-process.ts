/** `cluster-node-agent` as a process of a test's own: on a free port, with a folder that nobody else has. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from './free-ports.ts';
import { programFile, projectRoot } from './programs.ts';
import type { TestServer } from './server.ts';

export interface AgentProcessOptions {
  /** of the configuration, besides what the harness states */
  readonly configuration?: object;
  readonly flags?: readonly string[];
  readonly nodeName?: string;
  /** the address that the node says it has; that of loopback by default */
  readonly nodeIp?: string;
}

export interface AgentProcess {
  readonly nodeName: string;
  /** the agent's folder */
  readonly rootDirectory: string;
  readonly port: number;
  /** what the process wrote to standard error so far */
  log(): string;
  /** @param token '' asks anonymously */
  ask(method: string, path: string, token: string): Promise<AgentReply>;
  /** Ends it as a signal does, and starts it again with what it had. */
  restart(): Promise<void>;
  /** Ends it without a word, as a crash would. */
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

export interface AgentReply {
  readonly status: number;
  readonly headers: https.RequestOptions['headers'];
  readonly body: string;
}

/** Milliseconds until it must have registered its node, for machines under load. */
const PATIENCE = 30_000;

/**
 * An agent that asks the server as its administrator who may do what, and remembers no answer.
 * @throws Error with what the process wrote where it does not come up
 */
export async function startAgentProcess(server: TestServer, options: AgentProcessOptions = {}): Promise<AgentProcess> {
  const { configuration = {}, flags = [], nodeName = 'near', nodeIp = '127.0.0.1' } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-process-'));
  const rootDirectory = path.join(folder, 'root');
  mkdirSync(rootDirectory);
  const configurationFile = path.join(folder, 'agent.yaml');
  const kubernetes = server.dialect === 'kubernetes';
  const stated = {
    apiVersion: kubernetes ? 'kubelet.config.k8s.io/v1beta1' : 'node-agent.config.cluster.io/v1beta1',
    kind: kubernetes ? 'KubeletConfiguration' : 'NodeAgentConfiguration',
    // 0 stands for the default in a configuration, and so for no free one
    port: await freePort(),
    healthzPort: 0,
    address: '127.0.0.1',
    failSwapOn: false,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true, cacheTTL: '1ms' } },
    authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '1ms', cacheUnauthorizedTTL: '1ms' } },
    ...configuration,
  };
  writeFileSync(configurationFile, JSON.stringify(stated));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // A test that fails half way ends its process without having stopped the agent.
  process.once('exit', remove);
  const args = [
    programFile('cluster-node-agent'),
    `--dialect=${server.dialect}`,
    `--config=${configurationFile}`,
    `--kubeconfig=${server.kubeconfig}`,
    `--root-dir=${rootDirectory}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${nodeIp}`,
    ...flags,
  ];
  let running = await RunningAgent.start(args).catch((error: unknown) => {
    process.removeListener('exit', remove);
    remove();
    throw error;
  });
  return {
    nodeName,
    rootDirectory,
    port: stated.port,
    log: () => running.log,
    ask: (method, url, token) => ask(stated.port, { method, path: url, token }),
    async restart() {
      await running.stop();
      running = await RunningAgent.start(args);
    },
    async kill() {
      await running.stop('SIGKILL');
    },
    async stop() {
      const code = await running.stop();
      process.removeListener('exit', remove);
      remove();
      return code;
    },
  };
}

class RunningAgent {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  log = '';

  private constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = () => this.#child.kill('SIGKILL');
    process.once('exit', end);
    this.#ended = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        process.removeListener('exit', end);
        resolve(code);
      });
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      this.log += part;
    });
  }

  /** @throws Error with what the process wrote where it does not come up */
  static async start(args: readonly string[]): Promise<RunningAgent> {
    const agent = new RunningAgent(args);
    try {
      await listening(agent.#child, () => agent.log);
      return agent;
    } catch (error) {
      await agent.stop('SIGKILL');
      throw error;
    }
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    return this.#ended;
  }
}

/** Waits until it has registered its node. */
function listening(child: ChildProcess, log: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`the agent ${why}\n${out}${log()}`));
    const timer = setTimeout(() => fail(`has not registered within ${PATIENCE} ms`), PATIENCE);
    let out = '';
    child.once('close', (code) => fail(`ended with ${code}`));
    child.once('close', () => clearTimeout(timer));
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      out += part;
      if (!/listening on port \d+/.test(out)) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The agent's certificate is one that it made itself: nobody could check it. */
function ask(port: number, { method, path: url, token }: { method: string; path: string; token: string }): Promise<AgentReply> {
  return new Promise((resolve, reject) => {
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
    const request = https.request({
      host: '127.0.0.1',
      port,
      method,
      path: url,
      headers,
      rejectUnauthorized: false,
      agent: false,
      timeout: PATIENCE,
    });
    request.once('error', reject);
    request.once('timeout', () => request.destroy(new Error('the agent did not answer')));
    request.once('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }), reject);
    });
    request.end();
  });
}
