/** What labels of a namespace say of its pods. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isVersion, MODES, mayRefuseMore, type Policy, policyOf, textOf } from '../../../runtime/admission/pod-security/policy.ts';
import { settingsOf } from '../../../runtime/admission/pod-security/settings.ts';

const test = suite('policies of namespaces');
const P = 'pod-security.kubernetes.io/';
const defaults = settingsOf(undefined).defaults;
const textsOf = (policy: Policy) => MODES.map((mode) => textOf(policy[mode]));

const ROWS: readonly (readonly [
  name: string,
  labels: Record<string, string> | undefined,
  policy: readonly string[],
  errors: readonly string[],
])[] = [
  ['no labels', undefined, ['privileged:latest', 'privileged:latest', 'privileged:latest'], []],
  ['other labels', { a: 'b', 'pod-security.x.io/enforce': 'strict' }, ['privileged:latest', 'privileged:latest', 'privileged:latest'], []],
  [
    'all labels',
    {
      [`${P}enforce`]: 'baseline',
      [`${P}enforce-version`]: 'v1.25',
      [`${P}audit`]: 'restricted',
      [`${P}audit-version`]: 'latest',
      [`${P}warn`]: 'restricted',
      [`${P}warn-version`]: 'v1.0',
    },
    ['baseline:v1.25', 'restricted:latest', 'restricted:v1.0'],
    [],
  ],
  ['a version alone', { [`${P}enforce-version`]: 'v1.25' }, ['privileged:v1.25', 'privileged:latest', 'privileged:latest'], []],
  [
    'who refuses warns of what makes such pods',
    { [`${P}enforce`]: 'baseline', [`${P}enforce-version`]: 'v1.25' },
    ['baseline:v1.25', 'privileged:latest', 'baseline:v1.25'],
    [],
  ],
  [
    'a version for warnings alone is kept',
    { [`${P}enforce`]: 'restricted', [`${P}enforce-version`]: 'v1.25', [`${P}warn-version`]: 'v1.30' },
    ['restricted:v1.25', 'privileged:latest', 'restricted:v1.30'],
    [],
  ],
  [
    'a level for warnings counts, whatever is refused',
    { [`${P}enforce`]: 'restricted', [`${P}warn`]: 'privileged' },
    ['restricted:latest', 'privileged:latest', 'privileged:latest'],
    [],
  ],
  [
    'a level for warnings that is none counts as well',
    { [`${P}enforce`]: 'restricted', [`${P}warn`]: 'x' },
    ['restricted:latest', 'privileged:latest', 'privileged:latest'],
    [`metadata.labels[${P}warn]: Invalid value: "x": must be one of privileged, baseline, restricted`],
  ],
  [
    'levels that are none: the strictest for what is refused',
    { [`${P}warn`]: 'x', [`${P}audit`]: 'Baseline', [`${P}enforce`]: '' },
    ['restricted:latest', 'privileged:latest', 'privileged:latest'],
    [
      `metadata.labels[${P}enforce]: Invalid value: "": must be one of privileged, baseline, restricted`,
      `metadata.labels[${P}audit]: Invalid value: "Baseline": must be one of privileged, baseline, restricted`,
      `metadata.labels[${P}warn]: Invalid value: "x": must be one of privileged, baseline, restricted`,
    ],
  ],
  [
    'versions that are none',
    { [`${P}enforce`]: 'baseline', [`${P}enforce-version`]: '1.25', [`${P}warn-version`]: 'v2.0' },
    ['baseline:latest', 'privileged:latest', 'baseline:latest'],
    [
      `metadata.labels[${P}enforce-version]: Invalid value: "1.25": must be "latest" or "v1.x"`,
      `metadata.labels[${P}warn-version]: Invalid value: "v2.0": must be "latest" or "v1.x"`,
    ],
  ],
];
for (const [name, labels, policy, errors] of ROWS)
  test(name, () => {
    const judged = policyOf(labels, P, defaults);
    assert.equal(textsOf(judged.policy), policy);
    assert.equal(
      judged.errors.map(({ field, message }) => `${field}: ${message}`),
      errors,
    );
  });

test('labels stand before what is configured, each for itself', () => {
  const { defaults: configured } = settingsOf({
    kind: 'PodSecurityConfiguration',
    apiVersion: 'v1',
    defaults: { enforce: 'baseline', 'enforce-version': 'v1.24', warn: 'restricted' },
    exemptions: { usernames: null, namespaces: null, runtimeClasses: null },
  });
  assert.equal(textsOf(policyOf({ [`${P}enforce`]: 'restricted' }, P, configured).policy), [
    'restricted:v1.24',
    'privileged:latest',
    'restricted:latest',
  ]);
});

for (const [text, expected] of [
  ['latest', true],
  ['v1.0', true],
  ['v1.9', true],
  ['v1.32', true],
  ['v1.9223372036854775807', true],
  ['v1.9223372036854775808', false],
  ['v1.99999999999999999999', false],
  ['v1.01', false],
  ['v1', false],
  ['v1.', false],
  ['v1.1.0', false],
  ['Latest', false],
  ['', false],
] as const)
  test(`the version ${JSON.stringify(text)}`, () => assert.is(isVersion(text), expected));

for (const [now, before, expected] of [
  ['restricted:latest', 'baseline:latest', true],
  ['baseline:latest', 'restricted:latest', false],
  ['baseline:v1.25', 'restricted:latest', true],
  ['privileged:v1.25', 'restricted:latest', false],
  ['baseline:latest', 'baseline:latest', false],
] as const)
  test(`${now} after ${before}`, () => {
    const parse = (text: string) => {
      const [level, version] = text.split(':');
      return { level, version } as Policy['warn'];
    };
    assert.is(mayRefuseMore(parse(now), parse(before)), expected);
  });

test('warnings are those of the configuration where it wants more than the label that refuses', () => {
  const strict = { level: 'restricted', version: 'v1.20' } as const;
  const of = { ...defaults, enforce: strict, warn: strict };
  assert.equal(textsOf(policyOf({ [`${P}enforce`]: 'baseline' }, P, of).policy), [
    'baseline:v1.20',
    'privileged:latest',
    'restricted:v1.20',
  ]);
  const byDefault = policyOf({ a: 'b' }, P, { ...defaults, enforce: strict }).policy;
  assert.equal(textsOf(byDefault), ['restricted:v1.20', 'privileged:latest', 'privileged:latest'], 'no label refuses');
});

test.run();
