/** What a supervisor and its workers tell each other (--workers). */

import type { Reread } from '../files/followed-files.ts';
import type { Figures } from '../observability/figures.ts';
import type { LogLevels } from '../observability/log-levels.ts';

/** What the supervisor tells a worker. */
export type Order =
  /** take the duties; answered by `leading` */
  | { readonly order: 'lead' }
  /** some process has the duties: the worker is ready */
  | { readonly order: 'serve' }
  /** comes with a connection; answered by `taken` */
  | { readonly order: 'take'; readonly id: number }
  /** connections up to that one were handed out before this; answered by `came` */
  | { readonly order: 'came'; readonly upTo: number }
  /** another process has written up to this revision */
  | { readonly order: 'follow'; readonly revision: number }
  /** tell what you have counted; answered by `figures` */
  | { readonly order: 'count'; readonly question: number }
  /** set back what you have counted (`Metrics.reset`) */
  | { readonly order: 'resetFigures' }
  /** the answer to `askFigures` */
  | { readonly order: 'figures'; readonly id: number; readonly figures: readonly Figures[] }
  /** log so much from now on; what is absent stays as it is */
  | { readonly order: 'logLevels'; readonly levels: Partial<LogLevels> }
  /** read your files again; answered by `reread` */
  | { readonly order: 'readAgain'; readonly question: number }
  /** answered by `serves`, at once */
  | { readonly order: 'pulse' }
  | { readonly order: 'stop' };

/** What a worker tells the supervisor. */
export type Report =
  /** what the start of the worker does now, for people */
  | { readonly report: 'starting'; readonly doing: string }
  | { readonly report: 'started' }
  | { readonly report: 'taken'; readonly id: number }
  /** of the connections up to that one those that were not taken have not come */
  | { readonly report: 'came'; readonly upTo: number }
  /** no more connections are taken by this worker: those that it has not taken are for others */
  | { readonly report: 'leaving' }
  /** what have the others counted? */
  | { readonly report: 'askFigures'; readonly id: number }
  /** this worker's figures were set back, and those of the others are to be */
  | { readonly report: 'resetFigures' }
  | { readonly report: 'logLevels'; readonly levels: Partial<LogLevels> }
  | { readonly report: 'figures'; readonly question: number; readonly figures: Figures }
  | { readonly report: 'reread'; readonly question: number; readonly reread: Reread }
  | { readonly report: 'serves' }
  | { readonly report: 'leading'; readonly configuration: string }
  | { readonly report: 'committed'; readonly revision: number };

/** Set in the environment of workers, to the port that the supervisor accepts connections on. */
export const PORT_VARIABLE = 'CLUSTER_APISERVER_WORKER_PORT';

/** Set there to what all workers of one start of the server have in common, and no other one. */
export const START_VARIABLE = 'CLUSTER_APISERVER_START';
