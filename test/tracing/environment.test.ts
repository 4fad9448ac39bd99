/** What the environment says of traces. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  batchLimits,
  collectorHeaders,
  type Environment,
  EnvironmentError,
  resourceAttributes,
} from '../../runtime/tracing/environment.ts';

const test = suite('traces and the environment');
test('an empty one says nothing', () => {
  for (const environment of [{}, { OTEL_EXPORTER_OTLP_HEADERS: '', OTEL_RESOURCE_ATTRIBUTES: '', OTEL_BSP_SCHEDULE_DELAY: '' }]) {
    assert.equal(collectorHeaders(environment), {});
    assert.is(resourceAttributes(environment).size, 0);
    assert.equal(batchLimits(environment), { queued: 2_048, batch: 512, delay: 5_000 });
  }
});
test('headers for traces count before those for everything', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_HEADERS: 'Api-Key=a%2Cb%20c, other=1,',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'other=2=3',
  };
  assert.equal(collectorHeaders(environment), { 'api-key': 'a,b c', other: '2=3' });
});
test('attributes of the program are texts', () => {
  const environment = { OTEL_RESOURCE_ATTRIBUTES: 'k8s.cluster.name=a%3Db,__proto__=x' };
  assert.equal(
    [...resourceAttributes(environment)],
    [
      ['k8s.cluster.name', 'a=b'],
      ['__proto__', 'x'],
    ],
  );
});
test('limits are bounded, and a batch is no longer than what may wait', () => {
  const environment = { OTEL_BSP_MAX_QUEUE_SIZE: '100', OTEL_BSP_SCHEDULE_DELAY: '1000' };
  assert.equal(batchLimits(environment), { queued: 100, batch: 100, delay: 1_000 });
  assert.is(batchLimits({ OTEL_BSP_MAX_QUEUE_SIZE: '99999999' }).queued, 100_000);
  assert.is(batchLimits({ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '7' }).batch, 7);
});
const wrong: [name: string, read: (environment: Environment) => unknown, environment: Environment, message: string][] = [
  ['no pair', collectorHeaders, { OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b' }, 'OTEL_EXPORTER_OTLP_HEADERS: entry 2 is not KEY=VALUE'],
  ['an escape', resourceAttributes, { OTEL_RESOURCE_ATTRIBUTES: 'a=%zz' }, 'OTEL_RESOURCE_ATTRIBUTES: entry 1 has an escape that is none'],
  ['a name', collectorHeaders, { OTEL_EXPORTER_OTLP_HEADERS: 'a b=1' }, 'OTEL_EXPORTER_OTLP_HEADERS: "a b" is no name of a header'],
  [
    'a name of gRPC',
    collectorHeaders,
    { OTEL_EXPORTER_OTLP_HEADERS: 'grpc-timeout=1' },
    'OTEL_EXPORTER_OTLP_HEADERS: "grpc-timeout" is no name of a header',
  ],
  [
    'a value',
    collectorHeaders,
    { OTEL_EXPORTER_OTLP_HEADERS: 'a=secret%0A' },
    'OTEL_EXPORTER_OTLP_HEADERS: the value of a holds what no header may hold',
  ],
  ['a number', batchLimits, { OTEL_BSP_SCHEDULE_DELAY: '0' }, 'OTEL_BSP_SCHEDULE_DELAY: "0" is no number from 1 to 999999999'],
];
for (const [name, read, environment, message] of wrong)
  test(`what is wrong is named: ${name}`, () => {
    assert.throws(
      () => read(environment),
      (error: Error) => error instanceof EnvironmentError && error.message === message,
    );
  });
test.run();
