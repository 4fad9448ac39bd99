/** Bodies in which several things are wrong: what 1.32 tells of them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeObject } from '../../../runtime/endpoints/bodies/body.ts';
import { loadKind } from '../../kinds/kind.ts';

const test = suite('faults in bodies');
const kinds = { findKind: () => Promise.resolve(undefined) };

const REFUSED = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal ';

const ROWS: readonly (readonly [name: string, encoding: 'json' | 'yaml', body: string, message: string | undefined])[] = [
  [
    'JSON: the first one that is written',
    'json',
    '{"metadata":5,"data":[]}',
    `${REFUSED}number into Go struct field ConfigMap.metadata of type v1.ObjectMeta`,
  ],
  [
    'YAML: the first one by name',
    'yaml',
    'metadata: 5\ndata: []\n',
    `${REFUSED}array into Go struct field ConfigMap.data of type map[string]string`,
  ],
  [
    'YAML: the first one by name, further in',
    'yaml',
    'metadata: {uid: [], name: 1}\n',
    `${REFUSED}number into Go struct field ObjectMeta.metadata.name of type string`,
  ],
  [
    'a member that is written again, the first time wrongly',
    'json',
    '{"metadata":{"name":["a"],"name":"a"}}',
    `${REFUSED}array into Go struct field ObjectMeta.metadata.name of type string`,
  ],
  [
    'a member that is written again, the second time wrongly',
    'json',
    '{"metadata":{"name":"a","name":["a"]}}',
    `${REFUSED}array into Go struct field ObjectMeta.metadata.name of type string`,
  ],
  [
    'a member that is written again behind another that is wrong',
    'json',
    '{"metadata":{"name":"a"},"data":[],"metadata":{"name":1}}',
    `${REFUSED}array into Go struct field ConfigMap.data of type map[string]string`,
  ],
  [
    'an element of a list that is written again',
    'json',
    '{"metadata":{"name":"a","finalizers":[1]},"metadata":{"finalizers":["x/y"]}}',
    `${REFUSED}number into Go struct field ObjectMeta.metadata.finalizers of type string`,
  ],
  ['members that are written again, rightly', 'json', '{"data":{"a":"1"},"data":{"b":"2","b":"3"},"metadata":{"name":"a"}}', undefined],
];

for (const [name, encoding, body, message] of ROWS)
  test(name, async () => {
    const kind = await loadKind('v1', 'ConfigMap');
    const decoded = await Promise.try(() => decodeObject(Buffer.from(body), encoding, kind, 'Warn', kinds, () => {})).catch(
      (error) => error,
    );
    assert.is(decoded instanceof Error ? decoded.message : undefined, message);
  });

const YAML = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, name: b}\ndata:\n  a: b\n  a: c\n';
const REPEATED = ['line 3: key "name" already set in map', 'line 6: key "a" already set in map'];

test('YAML: keys that stand twice are one error of strict validation, and a warning each', async () => {
  const kind = await loadKind('v1', 'ConfigMap');
  const body = Buffer.from(`${YAML}foo: bar\n`);
  const decoded = await decodeObject(body, 'yaml', kind, 'Warn', kinds, () => {});
  assert.equal(decoded.warnings, [...REPEATED, 'unknown field "foo"']);
  const refused = await Promise.try(() => decodeObject(body, 'yaml', kind, 'Strict', kinds, () => {})).catch((error) => error);
  assert.is(
    refused.message,
    `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  ${REPEATED.join('\n  ')}, unknown field "foo"`,
  );
});

test('YAML: what JSON cannot express is no error of JSON', async () => {
  const kind = await loadKind('v1', 'ConfigMap');
  const refused = await Promise.try(() => decodeObject(Buffer.from('a: .inf'), 'yaml', kind, 'Warn', kinds, () => {})).catch(
    (error) => error,
  );
  assert.is(
    refused.message,
    'the object provided is unrecognized (must be of type ConfigMap): json: unsupported value: +Inf (613a202e696e66)',
  );
});

/** Types with names of their own are those of the version that is sent. */
const NAMED: readonly (readonly [apiVersion: string, kind: string, spec: object, message: string])[] = [
  ...['v1alpha3', 'v1beta1'].map(
    (version) =>
      [
        `resource.k8s.io/${version}`,
        'ResourceClaim',
        { devices: { constraints: [{ matchAttribute: 1 }] } },
        `number into Go struct field DeviceConstraint.spec.devices.constraints.matchAttribute of type ${version}.FullyQualifiedName`,
      ] as const,
  ),
  [
    'admissionregistration.k8s.io/v1alpha1',
    'MutatingAdmissionPolicy',
    { matchConditions: [1] },
    'number into Go struct field MutatingAdmissionPolicySpec.spec.matchConditions of type v1alpha1.MatchCondition',
  ],
];

for (const [apiVersion, kind, spec, message] of NAMED)
  test(`names of types in ${apiVersion}`, async () => {
    const body = Buffer.from(JSON.stringify({ spec }));
    const loaded = await loadKind(apiVersion, kind);
    const decoded = await Promise.try(() => decodeObject(body, 'json', loaded, 'Warn', kinds, () => {})).catch((error) => error);
    assert.ok(decoded instanceof Error && decoded.message.endsWith(`: json: cannot unmarshal ${message}`), decoded.message);
  });

test.run();
