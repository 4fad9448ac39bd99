import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ORDERED_PLUGINS } from '../../runtime/admission/ordered-plugins.ts';
import { partsOf } from './asking.ts';

const test = suite('the list of plugins');

/** Of plugins that do nothing without one. */
const CONFIGURATIONS: Readonly<Record<string, object>> = {
  EventRateLimit: { limits: [{ type: 'Server', qps: 1, burst: 1 }] },
  ImagePolicyWebhook: {},
};

test('has each name once', () => {
  const names = ORDERED_PLUGINS.map(({ name }) => name);
  assert.is(new Set(names).size, names.length);
});

test('ends with what must see the object as it will be', () => {
  assert.equal(
    ORDERED_PLUGINS.slice(-2).map(({ name }) => name),
    ['ResourceQuota', 'AlwaysDeny'],
  );
});

test('has plugins that do something in at least one phase, but for AlwaysAdmit', () => {
  for (const { name, make } of ORDERED_PLUGINS) {
    const { mutate, validate, reserve } = make(partsOf({ configuration: (plugin) => CONFIGURATIONS[plugin], featureEnabled: () => true }));
    assert.is(mutate !== undefined || validate !== undefined || reserve !== undefined, name !== 'AlwaysAdmit', name);
  }
});

test.run();
