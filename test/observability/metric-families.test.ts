import protobuf from 'protobufjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricFamilies } from '../../runtime/observability/metric-families.ts';

const test = suite('figures in protobuf');

/** Of https://github.com/prometheus/client_model, as far as the server has such figures. */
const PROTO = `syntax = "proto2";
message LabelPair { optional string name = 1; optional string value = 2; }
enum MetricType { COUNTER = 0; GAUGE = 1; SUMMARY = 2; UNTYPED = 3; HISTOGRAM = 4; }
message Value { optional double value = 1; }
message Bucket { optional uint64 cumulative_count = 1; optional double upper_bound = 2; }
message Histogram { optional uint64 sample_count = 1; optional double sample_sum = 2; repeated Bucket bucket = 3; }
message Metric { repeated LabelPair label = 1; optional Value gauge = 2; optional Value counter = 3; optional Histogram histogram = 7; }
message MetricFamily { optional string name = 1; optional string help = 2; optional MetricType type = 3; repeated Metric metric = 4; }`;
const Family = protobuf.parse(PROTO).root.lookupType('MetricFamily');

function read(bytes: Uint8Array): object[] {
  const reader = protobuf.Reader.create(bytes);
  const families: object[] = [];
  while (reader.pos < reader.len)
    families.push(Family.toObject(Family.decodeDelimited(reader), { longs: Number, enums: String, json: true }));
  return families;
}

test('are those of the text', () => {
  const text = String.raw`# HELP none nothing
# TYPE none counter

# HELP a_total [ALPHA] A \\ of\nlines
# TYPE a_total counter
a_total{x="1",y="q\"\\\n, z=\"{}"} 3
a_total 0

# HELP g gauge
# TYPE g gauge
g -1.5
g{x=""} +Inf
# HELP h histogram
# TYPE h histogram
h_bucket{x="1",le="0.5"} 1
h_bucket{x="1",le="+Inf"} 3
h_sum{x="1"} 7.25
h_count{x="1"} 3
h_bucket{x="2",le="0.5"} 0
h_bucket{x="2",le="+Inf"} 0
h_sum{x="2"} 0
h_count{x="2"} 0
`;
  const histogram = (x: string, [below, all, sum]: readonly number[]) => ({
    label: [{ name: 'x', value: x }],
    histogram: { sampleCount: all, sampleSum: sum, bucket: [{ cumulativeCount: below, upperBound: 0.5 }] },
  });
  assert.equal(read(metricFamilies(text)), [
    {
      name: 'a_total',
      help: '[ALPHA] A \\ of\nlines',
      type: 'COUNTER',
      metric: [
        {
          label: [
            { name: 'x', value: '1' },
            { name: 'y', value: 'q"\\\n, z="{}' },
          ],
          counter: { value: 3 },
        },
        { counter: { value: 0 } },
      ],
    },
    {
      name: 'g',
      help: 'gauge',
      type: 'GAUGE',
      metric: [{ gauge: { value: -1.5 } }, { label: [{ name: 'x', value: '' }], gauge: { value: 'Infinity' } }],
    },
    { name: 'h', help: 'histogram', type: 'HISTOGRAM', metric: [histogram('1', [1, 3, 7.25]), histogram('2', [0, 0, 0])] },
  ]);
});
test('are nothing of nothing', () => assert.is(metricFamilies('').length, 0));
test.run();
