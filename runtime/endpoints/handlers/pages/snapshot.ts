import type { Context } from 'koa';
import { answerOf } from '../../../connections/client-answer.ts';
import { whenClientGone } from '../../../connections/client-gone.ts';
import { newMethodNotAllowed, newTooManyRequests } from '../../../status/status.ts';
import type { SnapshotSource } from '../../../storage/snapshot/store-snapshot.ts';

/** Seconds after which who finds another one taking a snapshot may ask again. */
const RETRY = 10;

/** All that is stored, as a file that says whether it is whole. */
export function snapshotHandler(snapshots: SnapshotSource) {
  return async (context: Context): Promise<void> => {
    if (context.method !== 'GET') throw newMethodNotAllowed();
    const taken = snapshots.take();
    if (taken === undefined) throw newTooManyRequests('a snapshot is being taken already', RETRY);
    const bytes = await taken;
    // who has gone meanwhile reads none of it
    whenClientGone(context.res, () => bytes.destroy());
    context.res.setHeader('content-type', 'application/octet-stream');
    answerOf(context).pipe(200, bytes);
  };
}
