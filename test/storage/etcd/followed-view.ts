/** A follower of an etcd that is in the test's hands, and the view that it keeps. */
import { suite, type Test } from 'uvu';
import { EtcdFollower } from '../../../runtime/storage/etcd/etcd-follower.ts';
import { KeyNames } from '../../../runtime/storage/etcd/key-names.ts';
import { OwnWrites } from '../../../runtime/storage/etcd/own-writes.ts';
import type { ReadValue, ValueCodec } from '../../../runtime/storage/etcd/value-codec.ts';
import { MemoryData } from '../../../runtime/storage/memory/memory-data.ts';
import { MemoryView } from '../../../runtime/storage/memory/memory-view.ts';
import { shown } from '../contract/store.ts';
import { HeldEtcd } from './held-etcd.ts';
import { plainValues } from './plain-values.ts';

/** The view of a store, without its writes. */
export class View extends MemoryView {
  announced = 0;

  replace(data: MemoryData): void {
    this.replaceData(data);
  }

  advanced(): void {
    this.announced++;
    this.announce();
  }

  all(): string[] {
    return shown(this.range({ start: '', end: '' }));
  }
}

/** Values that begin with `slow` are read when the test says so, by their text; others that begin with `bad` cannot be read. */
class HeldCodec implements ValueCodec {
  readonly toEtcd = plainValues.toEtcd;
  readonly #held = new Map<string, (value: ReadValue | Promise<ReadValue>) => void>();
  /** what was said of values that had not come to be read */
  readonly #early = new Map<string, () => ReadValue | Promise<ReadValue>>();

  fromEtcd(key: string, value: Uint8Array): ReadValue | Promise<ReadValue> {
    const text = Buffer.from(value).toString();
    if (text.startsWith('slow')) return this.#slow(text);
    if (text.startsWith('bad')) throw new Error(`${key} cannot be read`);
    return plainValues.fromEtcd(key, value) as ReadValue;
  }

  async #slow(text: string): Promise<ReadValue> {
    const early = this.#early.get(text);
    if (early === undefined) return new Promise((resolve) => this.#held.set(text, resolve));
    this.#early.delete(text);
    return early();
  }

  /** @param problem why it cannot be read; absent: it can */
  let(text: string, problem?: string): void {
    const read = (): ReadValue | Promise<ReadValue> =>
      problem === undefined ? { bytes: Buffer.from(text), revisionOffset: -1 } : Promise.reject(new Error(problem));
    const held = this.#held.get(text);
    if (held === undefined) this.#early.set(text, read);
    else held(read());
    this.#held.delete(text);
  }
}

export interface Followed {
  readonly etcd: HeldEtcd;
  readonly view: View;
  readonly codec: HeldCodec;
  readonly follower: EtcdFollower;
  readonly ownWrites: OwnWrites;
  /** reasons; `none` says that etcd can be followed again */
  readonly troubles: string[];
}

/** Milliseconds in which what is told comes. */
export const LATE = 10_000;

/** Milliseconds for which no watch is silent for too long. */
export const SILENCE = 3_000;

export interface FollowingSuite {
  readonly follows: Test;
  /** @param prepare what is there when it begins */
  row(title: string, body: (followed: Followed) => Promise<void>, prepare?: (etcd: HeldEtcd) => void): void;
}

/** A suite in which every row has a follower of its own. */
export function followingSuite(name: string): FollowingSuite {
  const follows = suite(name);
  // timers of the follower keep no process alive
  let alive: NodeJS.Timeout;
  follows.before(() => {
    alive = setInterval(() => {}, 1_000);
  });
  follows.after(() => clearInterval(alive));
  const row = (title: string, body: (followed: Followed) => Promise<void>, prepare: (etcd: HeldEtcd) => void = () => {}): void => {
    follows(title, () => withFollower(body, prepare));
  };
  return { follows, row };
}

async function withFollower(body: (followed: Followed) => Promise<void>, prepare: (etcd: HeldEtcd) => void): Promise<void> {
  const etcd = new HeldEtcd();
  prepare(etcd);
  etcd.compacted = etcd.revision;
  const [view, codec, ownWrites] = [new View(new MemoryData()), new HeldCodec(), new OwnWrites()];
  const troubles: string[] = [];
  const follower = await EtcdFollower.start({
    client: etcd.client,
    names: new KeyNames('/r'),
    codec,
    ownWrites,
    silence: SILENCE,
    replaced: (data) => view.replace(data),
    advanced: () => view.advanced(),
    received: () => {},
    onTrouble: (reason) => void troubles.push(reason?.message ?? 'none'),
    onEnd: (reason) => void troubles.push(`ended: ${reason.message}`),
  });
  try {
    await body({ etcd, view, codec, follower, ownWrites, troubles });
  } finally {
    await follower.stop();
  }
}

export const turn = () => new Promise(setImmediate);
