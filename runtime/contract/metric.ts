/** A figure that the server shows, as `schemas/metrics.yaml` states it. */
export interface MetricData {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly stability: 'ALPHA' | 'BETA' | 'STABLE';
  /** of one that is not ALPHA: the release in which it became what it is */
  readonly since?: string;
  readonly labels?: readonly string[];
  /** of a histogram: upper bounds, ascending; one without bound is added */
  readonly buckets?: readonly number[];
  /** what is told of several processes: of gauges the highest counts, unless they are added up; counters are added up, unless the highest counts */
  readonly combined?: 'sum' | 'highest';
  readonly help: string;
  /** the release that announced that it goes */
  readonly deprecated?: string;
}
