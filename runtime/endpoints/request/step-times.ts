/** What steps of a request have taken. Most requests have a few steps: a list costs them less than a map would. */

interface StepTime {
  readonly step: string;
  milliseconds: number;
  next: StepTime | undefined;
}

export class StepTimes {
  #first: StepTime | undefined;

  /** @param step one of a fixed set of names */
  add(step: string, milliseconds: number): void {
    let last: StepTime | undefined;
    for (let each = this.#first; each !== undefined; each = each.next) {
      if (each.step === step) {
        each.milliseconds += milliseconds;
        return;
      }
      last = each;
    }
    const added = { step, milliseconds, next: undefined };
    if (last === undefined) this.#first = added;
    else last.next = added;
  }

  /** Milliseconds by step, in the order in which the steps were begun. */
  get all(): ReadonlyMap<string, number> {
    const all = new Map<string, number>();
    for (let each = this.#first; each !== undefined; each = each.next) all.set(each.step, each.milliseconds);
    return all;
  }
}
