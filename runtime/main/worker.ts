/** The side of a worker: hears what the supervisor orders, and tells it what this process writes. */
import type { Socket } from 'node:net';
import type { Reread } from '../files/followed-files.ts';
import type { Figures } from '../observability/figures.ts';
import type { LogLevels } from '../observability/log-levels.ts';
import type { ServedStorage } from '../storage/storage.ts';
import type { FiguresOfOthers } from './other-figures.ts';
import type { Order, Report } from './worker-protocol.ts';

export interface WorkerParts {
  readonly storage: ServedStorage;
  /** @returns path of the client configuration */
  lead(): Promise<string>;
  serve(): void;
  /** what this process has counted */
  figures(): Figures;
  resetFigures(): void;
  setLogLevels(levels: Partial<LogLevels>): void;
  /** who has asked for what the others have counted */
  readonly others: Pick<FiguresOfOthers, 'answered'>;
  readAgain(): Promise<Reread>;
  take(connection: Socket): void;
  stop(): void;
  fail(error: unknown): void;
}

/** @returns to be called when this process takes no more connections */
export function joinWorkers({
  storage,
  lead,
  serve,
  figures,
  resetFigures,
  others,
  setLogLevels,
  readAgain,
  take,
  stop,
  fail,
}: WorkerParts): () => void {
  let followed = 0;
  let leaving = false;
  process.on('message', (message: Order, connection: Socket | undefined) => {
    switch (message.order) {
      case 'lead':
        lead().then((configuration) => tell({ report: 'leading', configuration }), fail);
        return;
      case 'serve':
        return serve();
      case 'take':
        // our end alone: the supervisor hands it to another one
        if (leaving) return void connection?.destroy();
        // before anything is read: what nobody took is handed to another worker when this one dies
        tell({ report: 'taken', id: message.id });
        // absent where the client was faster
        if (connection !== undefined) take(connection);
        return;
      case 'came':
        return tell({ report: 'came', upTo: message.upTo });
      case 'follow':
        followed = Math.max(followed, message.revision);
        storage.notify();
        return;
      case 'count':
        return tell({ report: 'figures', question: message.question, figures: figures() });
      case 'resetFigures':
        return resetFigures();
      case 'figures':
        return others.answered(message.id, message.figures);
      case 'pulse':
        return tell({ report: 'serves' });
      case 'readAgain':
        readAgain().then((reread) => tell({ report: 'reread', question: message.question, reread }), fail);
        return;
      case 'logLevels':
        return setLogLevels(message.levels);
      default:
        stop();
    }
  });
  storage.onCommit((revision) => {
    if (revision > followed) tell({ report: 'committed', revision });
  });
  tell({ report: 'started' });
  return () => {
    leaving = true;
    tell({ report: 'leaving' });
  };
}

export function tell(report: Report): void {
  // of a supervisor that is gone `disconnect` tells
  if (process.connected) process.send?.(report, undefined, undefined, () => {});
}
