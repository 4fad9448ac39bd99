/**
 * What runs in the containers of the agent that is written for tests. Commands are words: `echo WORDS`, `cat`, `fail CODE`, `flood MEBIBYTES`,
 * `count` (bytes of its input), `sizes` (of its terminal, until its input ends), `sleep` (reads nothing, for ever).
 */
import type { Duplex, Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** A command's streams; those that the client did not ask for are absent. */
export interface Terminal {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** JSON of each size that the terminal gets */
  readonly sizes: Readable | undefined;
}

const MEBIBYTE = Buffer.alloc(1024 * 1024, 'x');

/** @returns the exit code */
export async function run([program, ...words]: readonly string[], { stdin, stdout, stderr, sizes }: Terminal): Promise<number> {
  switch (program) {
    case 'echo':
      stdout?.write(`${words.join(' ')}\n`);
      return 0;
    case 'cat':
      for await (const chunk of stdin ?? []) stdout?.write(chunk);
      return 0;
    case 'fail':
      stderr?.write(`failing with ${words[0]}\n`);
      return Number(words[0]);
    case 'flood':
      for (let left = Number(words[0]); left > 0 && stdout?.destroyed === false; left--)
        await new Promise((resolve) => stdout.write(MEBIBYTE, resolve));
      return 0;
    case 'count': {
      let bytes = 0;
      for await (const chunk of stdin ?? []) bytes += chunk.length;
      stdout?.write(`${bytes}\n`);
      return 0;
    }
    case 'sizes':
      sizes?.on('data', (size: Buffer) => stdout?.write(size));
      for await (const _ of stdin ?? []);
      return 0;
    case 'sleep':
      return new Promise(() => {});
    default:
      return 127;
  }
}

/** The kind Status by which an agent tells how a command ended. */
export function exitStatus(code: number): object {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** What listens on every port of every pod: it says which port it is, then repeats what it hears. */
export async function answerPort(connection: Duplex, port: string): Promise<void> {
  connection.write(`port ${port}\n`);
  connection.pipe(connection);
  await finished(connection).catch(() => {});
}
