/** The process of a program that is a client, for the bench: node --expose-gc client-process.ts, forked. It does one task after the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FOLLOWERS, type Followed, type Follower, type FollowerName } from './followers.ts';
import { nowMicroseconds, SENT_AT } from './load/watchers.ts';

export type ClientTask =
  | { readonly kind: 'open'; readonly name: FollowerName; readonly followed: Followed }
  | { readonly kind: 'sync' }
  /** brings memory to rest */
  | { readonly kind: 'rest' }
  /** of changes since it was last asked */
  | { readonly kind: 'delays' };

export interface ClientAnswer {
  /** of `sync` */
  readonly milliseconds?: number;
  readonly objects?: number;
  /** of `delays`: milliseconds from the time that a config map says that it was sent at until a handler had it, one for each change */
  readonly delays?: readonly number[];
}

/** Milliseconds until timers and connections of a start are done. */
const SETTLE = 1_000;
const MARK = new RegExp(`^${SENT_AT}(\\d{16})$`);

let follower: Follower | undefined;
let delays: number[] = [];

async function act(task: ClientTask): Promise<ClientAnswer> {
  if (task.kind === 'open') {
    follower = await FOLLOWERS[task.name](task.followed);
    return {};
  }
  switch (task.kind) {
    case 'sync':
      return synced(follower as Follower);
    case 'rest':
      await sleep(SETTLE);
      for (let i = 0; i < 3; i++) globalThis.gc?.();
      return {};
    case 'delays': {
      const told = delays;
      delays = [];
      return { delays: told };
    }
  }
}

async function synced(follower: Follower): Promise<ClientAnswer> {
  const began = performance.now();
  await follower.sync();
  const milliseconds = performance.now() - began;
  follower.onChange(({ data }) => {
    const [, sentAt] = MARK.exec(data?.written ?? '') ?? [];
    if (sentAt !== undefined) delays.push((nowMicroseconds() - Number(sentAt)) / 1_000);
  });
  return { milliseconds, objects: follower.size() };
}

process.on('message', (task: ClientTask) => {
  act(task).then(
    (answer) => process.send?.({ answer }),
    (error) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit());
