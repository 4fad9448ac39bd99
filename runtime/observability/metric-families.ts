/** Converts metrics to protobuf for collectors that ask for it: a MetricFamily of Prometheus for each name, each with its length as a varint before it. */
import type { WireField, WireMessage } from '../contract/node-interface.ts';
import { encodeWireMessage } from '../schema/protobuf/wire-messages.ts';
import { BackwardWriter } from '../schema/protobuf/writer.ts';

interface Label {
  readonly name: string;
  readonly value: string;
}

interface Bucket {
  readonly cumulativeCount: bigint;
  readonly upperBound: bigint;
}

/** One series of a metric. Numbers of the type double are the bits of their IEEE 754 form. */
interface Metric {
  readonly label: readonly Label[];
  readonly gauge?: { readonly value: bigint };
  readonly counter?: { readonly value: bigint };
  readonly histogram?: { sampleCount: bigint; sampleSum: bigint; readonly bucket: Bucket[] };
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: number;
  readonly metric: Metric[];
}

/** Describes a member that is sent whenever it is set, even if it is zero. */
const single = (name: string, number: number, type: WireField['type']): WireField => ({
  name,
  number,
  rule: 'single',
  optional: true,
  type,
});
const repeated = (name: string, number: number, type: WireField['type']): WireField => ({ name, number, rule: 'repeated', type });

const LABEL: WireMessage<Label> = { name: 'LabelPair', fields: [single('name', 1, 'string'), single('value', 2, 'string')] };
const VALUE: WireMessage = { name: 'Value', fields: [single('value', 1, 'fixed64')] };
const BUCKET: WireMessage<Bucket> = {
  name: 'Bucket',
  fields: [single('cumulativeCount', 1, 'uint64'), single('upperBound', 2, 'fixed64')],
};
const HISTOGRAM: WireMessage = {
  name: 'Histogram',
  fields: [single('sampleCount', 1, 'uint64'), single('sampleSum', 2, 'fixed64'), repeated('bucket', 3, () => BUCKET)],
};
const METRIC: WireMessage<Metric> = {
  name: 'Metric',
  fields: [
    repeated('label', 1, () => LABEL),
    single('gauge', 2, () => VALUE),
    single('counter', 3, () => VALUE),
    single('histogram', 7, () => HISTOGRAM),
  ],
};
const FAMILY: WireMessage<Family> = {
  name: 'MetricFamily',
  fields: [single('name', 1, 'string'), single('help', 2, 'string'), single('type', 3, 'enum'), repeated('metric', 4, () => METRIC)],
};

/** The numbers of the types in Prometheus' enumeration MetricType. */
const TYPES: Readonly<Record<string, number>> = { counter: 0, gauge: 1, histogram: 4 };

/** @param text metrics in the text format of Prometheus; only of the types in `TYPES`, and with the lines HELP and TYPE before each name's values */
export function metricFamilies(text: string): Buffer {
  const pieces: Buffer[] = [];
  for (const family of familiesOf(text)) {
    const message = encodeWireMessage(FAMILY, family);
    pieces.push(lengthOf(message), message);
  }
  return Buffer.concat(pieces);
}

function lengthOf({ length }: Buffer): Buffer {
  const writer = new BackwardWriter();
  writer.varint(length);
  return writer.finish();
}

const SAMPLE = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/;

/** Reads the families of the text that have values. */
function* familiesOf(text: string): Generator<Family> {
  let help = '';
  let family: Family | undefined;
  let histograms = new Map<string, Metric>();
  for (const line of text.split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') help = unescaped(rest);
    else if (keyword === 'TYPE') {
      if (family !== undefined && family.metric.length > 0) yield family;
      family = { name, help, type: TYPES[rest] as number, metric: [] };
      histograms = new Map();
    } else {
      const sample = SAMPLE.exec(line);
      if (sample !== null && family !== undefined) addSample(family, histograms, sample as unknown as readonly string[]);
    }
  }
  if (family !== undefined && family.metric.length > 0) yield family;
}

function addSample(family: Family, histograms: Map<string, Metric>, [, name = '', braces = '', value = '']: readonly string[]): void {
  const labels = labelsOf(braces);
  if (family.type === TYPES.gauge) family.metric.push({ label: labels, gauge: { value: bitsOf(value) } });
  else if (family.type === TYPES.counter) family.metric.push({ label: labels, counter: { value: bitsOf(value) } });
  else {
    const label = labels.filter((each) => each.name !== 'le');
    const key = JSON.stringify(label);
    let metric = histograms.get(key);
    if (metric === undefined) {
      metric = { label, histogram: { sampleCount: 0n, sampleSum: 0n, bucket: [] } };
      histograms.set(key, metric);
      family.metric.push(metric);
    }
    addPart(metric.histogram as NonNullable<Metric['histogram']>, name.slice(family.name.length), labels, value);
  }
}

/** Adds a line of the text to its histogram. The bucket up to infinity is left out, because the count says the same. */
function addPart(histogram: NonNullable<Metric['histogram']>, part: string, labels: readonly Label[], value: string): void {
  const bound = labels.find(({ name }) => name === 'le')?.value;
  if (part === '_sum') histogram.sampleSum = bitsOf(value);
  else if (part === '_count') histogram.sampleCount = BigInt(value);
  else if (bound !== undefined && bound !== '+Inf') histogram.bucket.push({ cumulativeCount: BigInt(value), upperBound: bitsOf(bound) });
}

function labelsOf(braces: string): Label[] {
  const found = braces.matchAll(/([^=,"]+)="((?:[^"\\]|\\.)*)"/g);
  return Array.from(found, ([, name = '', value = '']) => ({ name, value: unescaped(value) }));
}

const unescaped = (text: string): string => text.replace(/\\([\\n"])/g, (_, mark: string) => (mark === 'n' ? '\n' : mark));

const bits = new DataView(new ArrayBuffer(8));

function bitsOf(text: string): bigint {
  bits.setFloat64(0, NUMBERS.get(text) ?? Number(text));
  return bits.getBigUint64(0);
}

const NUMBERS: ReadonlyMap<string, number> = new Map([
  ['+Inf', Number.POSITIVE_INFINITY],
  ['-Inf', Number.NEGATIVE_INFINITY],
  ['Nan', Number.NaN],
]);
