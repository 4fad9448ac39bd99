/** Figures of seeds that providers with a key management service make and look for. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import { EncryptionFigures } from '../../../runtime/assembly/encryption/encryption-figures.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';

const test = suite('figures of encryption');

const linesOf = async (metrics: Metrics): Promise<string[]> =>
  (await metrics.text()).body.split('\n').filter((line) => /^apiserver_storage_.*(_total|_count)/.test(line));

test('seeds that are made are measured, those that cannot be are counted, and so are those that are not known', async () => {
  const [figures, metrics] = [new EncryptionFigures(), new Metrics(metricsData)];
  assert.is(
    figures.seedGenerated(() => 'before there is anywhere to show it'),
    'before there is anywhere to show it',
  );
  figures.show(metrics);
  assert.equal((await linesOf(metrics)).toSorted(), [
    'apiserver_storage_data_key_generation_duration_seconds_count 1',
    'apiserver_storage_data_key_generation_failures_total 0',
    'apiserver_storage_envelope_transformation_cache_misses_total 0',
  ]);
  assert.throws(
    () =>
      figures.seedGenerated(() => {
        throw new Error('no random bytes');
      }),
    'no random bytes',
  );
  figures.seedGenerated(() => 'another');
  for (let i = 0; i < 3; i++) figures.seedMissed();
  assert.equal((await linesOf(metrics)).toSorted(), [
    'apiserver_storage_data_key_generation_duration_seconds_count 2',
    'apiserver_storage_data_key_generation_failures_total 1',
    'apiserver_storage_envelope_transformation_cache_misses_total 3',
  ]);
});

test.run();
