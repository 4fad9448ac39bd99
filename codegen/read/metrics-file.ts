/** Reads `schemas/metrics.yaml`: the metrics that the server shows, with their stability (rules 11a and 11b of the policy). */
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { formProblem } from './form-problem.ts';
import { releaseForm, type TableProblems } from './table-file.ts';

export const METRICS_FILE = 'schemas/metrics.yaml';

/** A metric, as the file states it. */
export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly stability: 'ALPHA' | 'BETA' | 'STABLE';
  /** The release in which the metric got its stability; absent for one that is ALPHA. */
  readonly since?: string;
  readonly labels?: readonly string[];
  /** Upper bounds of the buckets of a histogram, ascending. */
  readonly buckets?: readonly number[];
  /** How the values of several processes become one: by default gauges show the highest and counters the sum; this member states the other way. */
  readonly combined?: 'sum' | 'highest';
  readonly help: string;
  /** The release that announced that the metric goes; absent if none did. */
  readonly deprecated?: string;
}

/** The metrics by name. */
export type MetricRows = Readonly<Record<string, MetricRow>>;

const name = '^[a-z][a-z0-9_]*$';
const text = { type: 'string', minLength: 1 };
const ofType = (type: MetricRow['type']) => ({ properties: { type: { const: type } } });
const row = {
  type: 'object',
  properties: {
    type: { enum: ['counter', 'gauge', 'histogram'] },
    stability: { enum: ['ALPHA', 'BETA', 'STABLE'] },
    since: releaseForm,
    labels: { type: 'array', items: { type: 'string', pattern: '^[a-z][A-Za-z0-9_]*$' }, minItems: 1, uniqueItems: true },
    buckets: { type: 'array', items: { type: 'number' }, minItems: 1 },
    combined: { enum: ['sum', 'highest'] },
    help: text,
    deprecated: releaseForm,
  },
  required: ['type', 'stability', 'help'],
  additionalProperties: false,
  allOf: [
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: ofType('gauge'), then: { properties: { combined: { const: 'sum' } } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: ofType('counter'), then: { properties: { combined: { const: 'highest' } } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: ofType('histogram'), then: { required: ['buckets'], properties: { combined: false } }, else: { properties: { buckets: false } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: { properties: { stability: { const: 'ALPHA' } } }, then: { properties: { since: false } }, else: { required: ['since'] } },
  ],
};
const wellFormed = new Ajv({ allErrors: true, strict: false }).compile<MetricRows>({
  type: 'object',
  additionalProperties: row,
  propertyNames: { pattern: name },
});

/** @param yaml the text of the file */
export function readMetrics(yaml: string): MetricRows | TableProblems {
  const file: unknown = parse(yaml) ?? {};
  if (!wellFormed(file)) return { problems: (wellFormed.errors ?? []).map((e) => `${e.instancePath} ${formProblem(e)}`) };
  const unordered = Object.entries(file).filter(([, { buckets = [] }]) =>
    buckets.some((bound, index) => bound <= (buckets[index - 1] ?? -1)),
  );
  return unordered.length === 0
    ? file
    : { problems: unordered.map(([metric]) => `metric ${metric}: the bounds of its buckets do not ascend`) };
}
