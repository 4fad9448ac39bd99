/** Puts together what etcd sends in parts: of a revision that is not complete yet nothing is told, and no more than that is held. */
import type { EtcdEvent } from './requests.ts';

export class Fragments {
  /** the events of one revision, which may not be complete */
  #held: EtcdEvent[] = [];

  /**
   * @param events in etcd's order
   * @param more whether the answer has further parts
   * @returns what is complete
   */
  add(events: readonly EtcdEvent[], more: boolean): readonly EtcdEvent[] {
    const known = this.#held.length === 0 ? events : [...this.#held, ...events];
    const last = known.at(-1);
    if (!more || last === undefined) {
      this.#held = [];
      return known;
    }
    let complete = known.length;
    while (complete > 0 && known[complete - 1]?.kv.modRevision === last.kv.modRevision) complete--;
    this.#held = known.slice(complete);
    return known.slice(0, complete);
  }
}
