import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ruleModules } from '../../../generated/rules.ts';
import { emulate } from '../../../runtime/assembly/setup/chosen-api.ts';
import { BuiltInApi } from '../../../runtime/registry/resources/built-in-api.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('kinds');

const release = '1.24';
const { groupVersions: data, hubs } = await emulate(release);
const builtIn = new BuiltInApi({ data, hubs, identity, rules: ruleModules, serves: () => true, featureEnabled: () => false, release });
const daemonSets = await builtIn.storedKinds.kind('apps', 'v1', 'DaemonSet');

/** The member `maxSurge` has a gate here. */
const stored = (rollingUpdate: object) => ({
  kind: 'DaemonSet',
  apiVersion: 'apps/v1',
  metadata: { name: 'a' },
  spec: { selector: {}, template: { metadata: {}, spec: { containers: [] } }, updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
});
for (const reuses of [false, true])
  for (const given of [{}, { maxUnavailable: 1 }, { maxUnavailable: 0, maxSurge: 1 }])
    test(`a stored object gets no default of a member whose gate is off, and keeps what it has: ${JSON.stringify(given)}, reused: ${reuses}`, () => {
      const { spec } = daemonSets.completed(stored({ ...given }), { reuses });
      assert.equal({ ...spec.updateStrategy.rollingUpdate }, { maxUnavailable: 1, ...given });
    });

test.run();
