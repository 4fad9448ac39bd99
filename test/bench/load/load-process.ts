import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { Load, LoadResult, Stop } from './worker.ts';

/** A process of its own for the load, so that measuring costs the server's process nothing. */
export class LoadProcess {
  readonly #child: ChildProcess = fork(path.join(import.meta.dirname, 'worker.ts'));

  /** One at a time. @throws Error of the load, or when the process ends */
  run<L extends Load>(load: L): Promise<LoadResult<L>> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('the load process ended'));
      this.#child.once('exit', onExit);
      this.#child.once('message', (message: { result: LoadResult<L>; error?: string }) => {
        this.#child.off('exit', onExit);
        if (message.error === undefined) resolve(message.result);
        else reject(new Error(message.error));
      });
      this.#child.send(load);
    });
  }

  /** Ends updates that have no end. */
  stop(): void {
    this.#child.send({ kind: 'stop' } satisfies Stop);
  }

  close(): void {
    this.#child.disconnect();
  }
}
