import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../generated/metrics.ts';
import { createAdmission } from '../../runtime/admission/chain.ts';
import { ORDERED_PLUGINS } from '../../runtime/admission/ordered-plugins.ts';
import type { AdmissionAttributes } from '../../runtime/admission/request/attributes.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { LongObject } from '../../runtime/registry/stored-objects/long-value.ts';

/** All but these two are off: AlwaysAdmit has no step, AlwaysDeny refuses everything. */
function only(enabled: readonly string[], metrics: Metrics) {
  const disabled = ORDERED_PLUGINS.filter(({ name, byDefault }) => byDefault && !enabled.includes(name)).map(({ name }) => name);
  return createAdmission({ catchUp() {}, enabled, disabled, metrics } as unknown as Parameters<typeof createAdmission>[0]);
}

async function countsOf(metrics: Metrics): Promise<string[]> {
  const lines = (await metrics.text()).body.split('\n');
  return lines.filter((line) => line.startsWith('apiserver_admission_') && line.includes('_count{')).sort();
}

const attributes = (operation: AdmissionAttributes['operation']): AdmissionAttributes =>
  ({
    operation,
    resource: { groupResource: { group: '', resource: 'pods' } },
    name: 'a',
    options: {},
    request: { warn() {} },
  }) as unknown as AdmissionAttributes;

const test = suite('figures of admission');
test('tell of phases, and of plugins that are asked for an operation', async () => {
  const metrics = new Metrics(metricsData);
  const admission = only(['AlwaysPullImages'], metrics);
  for (const operation of ['create', 'create', 'delete'] as const) {
    const of = { ...attributes(operation), resource: { groupResource: { group: '', resource: 'services' } } } as AdmissionAttributes;
    await admission.mutate(of);
    await admission.validate(of);
  }
  const plugin = 'apiserver_admission_controller_admission_duration_seconds_count';
  const step = 'apiserver_admission_step_admission_duration_seconds_count';
  const rows = (type: string) => [
    `${plugin}{name="AlwaysPullImages",operation="CREATE",rejected="false",type="${type}"} 2`,
    `${step}{operation="CREATE",rejected="false",type="${type}"} 2`,
    `${step}{operation="DELETE",rejected="false",type="${type}"} 1`,
  ];
  assert.equal(await countsOf(metrics), [...rows('admit'), ...rows('validate')].sort());
});
test('tell who has refused', async () => {
  const metrics = new Metrics(metricsData);
  const admission = only(['AlwaysDeny'], metrics);
  const refused = await Promise.try(() => admission.validate(attributes('update'))).then(
    () => false,
    () => true,
  );
  assert.ok(refused);
  assert.equal(await countsOf(metrics), [
    'apiserver_admission_controller_admission_duration_seconds_count{name="AlwaysDeny",operation="UPDATE",rejected="true",type="validate"} 1',
    'apiserver_admission_step_admission_duration_seconds_count{operation="UPDATE",rejected="true",type="validate"} 1',
  ]);
});
test('tell nothing of a request that another thread is to answer, which tells of it', async () => {
  const metrics = new Metrics(metricsData);
  const admission = only(['AlwaysPullImages'], metrics);
  const long = Object.defineProperty({ ...attributes('create') }, 'object', {
    get() {
      throw new LongObject();
    },
  });
  const outcome = await Promise.try(() => admission.mutate(long)).catch((error: unknown) => error);
  assert.instance(outcome, LongObject);
  assert.equal(await countsOf(metrics), []);
});
test.run();
