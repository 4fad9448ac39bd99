/** Pauses between two watches of etcd. */
import { EtcdError } from './client/etcd-error.ts';

/** The first pause until the next watch begins, in milliseconds. */
export const FIRST_PAUSE = 50;
/** The longest pause, in milliseconds. */
const LONGEST_PAUSE = 5_000;
/** The longest pause, in milliseconds, while no member can be reached. It is short, because trying costs little and writes wait for the watch. */
const LONGEST_PAUSE_AWAY = 1_000;

/** @param pause milliseconds before the watch that has told nothing new. @param ended why that watch ended. @returns milliseconds before the next one */
export function longerPause(pause: number, ended: Error): number {
  const isAway = ended instanceof EtcdError && ended.isUnavailable;
  return Math.min(isAway ? LONGEST_PAUSE_AWAY : LONGEST_PAUSE, pause * 2);
}
