/** Statistics of how many seats a level could have used over time, as 1.32 computes them. */

export interface DemandStatistics {
  readonly highWatermark: number;
  readonly average: number;
  readonly deviation: number;
  readonly smoothed: number;
}

/** The weight of the last period's smoothed demand in the next one, as in 1.32. */
const SMOOTHING = 0.977;

export class SeatDemand {
  #value = 0;
  #since: number;
  #begun: number;
  #highest = 0;
  #sum = 0;
  #squares = 0;
  #statistics: DemandStatistics = { highWatermark: 0, average: 0, deviation: 0, smoothed: 0 };

  /** @param now milliseconds of the same clock as in all other calls */
  constructor(now: number) {
    this.#since = now;
    this.#begun = now;
  }

  set(value: number, now: number): void {
    const lasted = now - this.#since;
    if (lasted > 0) {
      this.#sum += lasted * this.#value;
      this.#squares += lasted * this.#value * this.#value;
      this.#since = now;
    }
    this.#value = value;
    if (value > this.#highest) this.#highest = value;
  }

  /** statistics of the last period that has ended */
  get statistics(): DemandStatistics {
    return this.#statistics;
  }

  /** Ends a period, and begins the next one. */
  endPeriod(now: number): DemandStatistics {
    this.set(this.#value, now);
    const duration = now - this.#begun;
    const { smoothed, average, deviation } = this.#statistics;
    this.#statistics = duration > 0 ? this.#over(duration, smoothed) : { highWatermark: this.#highest, average, deviation, smoothed };
    this.#begun = now;
    this.#sum = 0;
    this.#squares = 0;
    this.#highest = this.#value;
    return this.#statistics;
  }

  #over(duration: number, smoothed: number): DemandStatistics {
    const average = this.#sum / duration;
    const deviation = Math.sqrt(Math.max(0, this.#squares / duration - average * average));
    const envelope = average + deviation;
    return {
      highWatermark: this.#highest,
      average,
      deviation,
      smoothed: Math.max(envelope, SMOOTHING * smoothed + (1 - SMOOTHING) * envelope),
    };
  }
}
