/** Mutating policies under the names of the other dialect, and without their gate. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../runtime/embedded/start-server.ts';
import { CONFIG_MAPS, configMap, createMap, label, patch, policy, policyFlags, rule, withPolicies } from './server.ts';

const cluster = suite('mutating policies of the dialect cluster');
withPolicies(cluster, 'cluster');
cluster('are served, and in effect', async () => {
  await policy('p', {
    mutations: [label('by', '"policy"'), patch('[JSONPatch{op: "add", path: "/data", value: {"api": object.apiVersion}}]')],
  });
  const { body, status } = await createMap('a');
  assert.is(status, 200);
  assert.equal([body.metadata.labels, body.data], [{ by: 'policy' }, { api: 'v1' }]);
});
cluster('refuse as they do in the other', async () => {
  await policy('p', { mutations: [label('by', 'object.none')] });
  const { body, status } = await createMap('a');
  assert.is(status, 403);
  assert.match(body.message, /^policy 'p' with binding 'p' denied request: expression '.*' resulted in error: no such key: none$/);
});
cluster.run();

const off = suite('mutating policies that are off');
const SPEC = { matchConstraints: { resourceRules: [rule()] }, reinvocationPolicy: 'Never', mutations: [label('by', '"policy"')] };
const GROUP = 'admissionregistration.k8s.io/v1alpha1';
const rows: readonly [name: string, flags: object][] = [
  ['without the gate', { 'feature-gates': { MutatingAdmissionPolicy: false } }],
  ['by a flag', { 'disable-admission-plugins': ['MutatingAdmissionPolicy'] }],
];
for (const [name, flags] of rows)
  off(name, async () => {
    const server = await startServer({ dialect: 'kubernetes', flags: { ...policyFlags('k8s.io'), ...flags } });
    try {
      const write = async (path: string, body: object) => {
        const answer = await server.client.fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        assert.is(answer.status, 201);
        return JSON.parse(await answer.text());
      };
      const metadata = { name: 'p' };
      const of = { apiVersion: GROUP, metadata };
      await write(`/apis/${GROUP}/mutatingadmissionpolicies`, { ...of, kind: 'MutatingAdmissionPolicy', spec: SPEC });
      const spec = { policyName: 'p' };
      await write(`/apis/${GROUP}/mutatingadmissionpolicybindings`, { ...of, kind: 'MutatingAdmissionPolicyBinding', spec });
      assert.is((await write(CONFIG_MAPS, configMap('a'))).metadata.labels, undefined);
    } finally {
      await server.stop();
    }
  });
off.run();
