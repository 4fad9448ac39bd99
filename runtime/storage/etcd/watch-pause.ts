/** Times between the watches of an etcd that is followed. */
import { EtcdError } from './client/etcd-error.ts';

/** Milliseconds until the watch is begun anew: at first, and at most. */
export const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;
/** The same at most while no member is there: to look costs little, and writes wait until the watch goes on. */
const LONGEST_PAUSE_AWAY = 1_000;

/** @param pause before the watch that has told nothing new. @param ended why it has ended. @returns milliseconds before the next one */
export function longerPause(pause: number, ended: Error): number {
  const isAway = ended instanceof EtcdError && ended.isUnavailable;
  return Math.min(isAway ? LONGEST_PAUSE_AWAY : LONGEST_PAUSE, pause * 2);
}
