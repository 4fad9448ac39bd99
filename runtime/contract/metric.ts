/** The description of a metric, from `schemas/metrics.yaml`. */
export interface MetricData {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly stability: 'ALPHA' | 'BETA' | 'STABLE';
  /** the release in which the metric got its stability; absent for ALPHA */
  readonly since?: string;
  readonly labels?: readonly string[];
  /** the upper bounds of a histogram's buckets, ascending; a bucket without a bound is added */
  readonly buckets?: readonly number[];
  /** how the values of several processes are combined; absent for the sum of counters, and for the highest of gauges */
  readonly combined?: 'sum' | 'highest';
  readonly help: string;
  /** the release that announced that the metric will be removed; absent if it stays */
  readonly deprecated?: string;
}
