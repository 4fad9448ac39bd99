/** A container runtime for a test, and the agent's view of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ContainerRuntime } from '../../runtime/node-agent/container-runtime/container-runtime.ts';
import { TestRuntime } from './test-runtime.ts';

export interface RuntimeContext {
  folder: string;
  test: TestRuntime;
  runtime: ContainerRuntime;
}

/** Milliseconds of calls. */
const TIMEOUT = 5_000;

export async function openRuntime(context: RuntimeContext, options: Parameters<TestRuntime['start']>[0] = {}): Promise<void> {
  context.folder = mkdtempSync(path.join(tmpdir(), 'runtime-'));
  context.test = await new TestRuntime(path.join(context.folder, 'runtime.sock')).start(options);
  context.runtime = new ContainerRuntime(context.test.socket, TIMEOUT);
}

export function closeRuntime({ folder, test, runtime }: RuntimeContext): void {
  runtime.close();
  test.stop();
  rmSync(folder, { recursive: true });
}

export const noSignal = new AbortController().signal;
