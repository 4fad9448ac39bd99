/** The process that makes the load: gets one load at a time from its parent, and answers with what it measured. */
import { type AlternatingLoops, type AlternatingResults, runAlternatingLoops } from './alternating-loops.ts';
import { type ClosedLoop, type ClosedLoopResult, runClosedLoop } from './closed-loop.ts';
import { type Lists, type ListsResult, runLists } from './lists.ts';
import { runUpdates, type Updates, type UpdatesResult } from './updates.ts';
import { openWatchers, type Watchers, type WatchersResult } from './watchers.ts';

/** `stopWatchers` ends the watches that `watchers` opened. */
export type Load = ClosedLoop | AlternatingLoops<readonly ClosedLoop[]> | Lists | Updates | Watchers | { readonly kind: 'stopWatchers' };
export type LoadResult<L extends Load> = L extends ClosedLoop
  ? ClosedLoopResult
  : L extends AlternatingLoops<infer Loops>
    ? AlternatingResults<Loops>
    : L extends Lists
      ? ListsResult
      : L extends Updates
        ? UpdatesResult
        : L extends Watchers
          ? null
          : WatchersResult;

/** Ends the load under way where that has no end of its own; it has its result as ever. */
export interface Stop {
  readonly kind: 'stop';
}

let stopping = new AbortController();
let watchers: Awaited<ReturnType<typeof openWatchers>> | undefined;

async function run(load: Load): Promise<unknown> {
  switch (load.kind) {
    case 'closedLoop':
      return runClosedLoop(load);
    case 'alternatingLoops':
      return runAlternatingLoops(load);
    case 'lists':
      return runLists(load);
    case 'updates':
      stopping = new AbortController();
      return runUpdates(load, stopping.signal);
    case 'watchers':
      watchers = await openWatchers(load);
      return null;
    case 'stopWatchers':
      return watchers?.stop();
  }
}

process.on('message', (load: Load | Stop) => {
  if (load.kind === 'stop') return stopping.abort();
  run(load).then(
    (result) => process.send?.({ result }),
    (error) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit());
