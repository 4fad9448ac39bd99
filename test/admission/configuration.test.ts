/** What --admission-control-config-file says to plugins, through a whole server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../runtime/embedded/start-server.ts';

const test = suite('the configuration of admission');
let folder: string;
test.before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'admission-'));
});
test.after(() => rm(folder, { recursive: true }));

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n';
const EMBEDDED = '- name: PodNodeSelector\n  configuration: { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: zone=x } }\n';

/** @returns the node selector of a new pod, or why no server starts */
async function outcome(files: Readonly<Record<string, string>>, plugin = 'PodNodeSelector'): Promise<unknown> {
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const flags = { 'admission-control-config-file': path.join(folder, 'main.yaml'), 'enable-admission-plugins': [plugin] };
  let server: Awaited<ReturnType<typeof startServer>>;
  try {
    server = await startServer({ dialect: 'kubernetes', flags: { ...flags, 'disable-admission-plugins': ['ServiceAccount'] } });
  } catch (error) {
    return (error as Error).message.replaceAll(`${folder}/`, '');
  }
  try {
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    // biome-ignore lint/suspicious/noExplicitAny: of a pod one member matters
    const made = (await server.client.request('POST', '/api/v1/namespaces/default/pods', pod)) as any;
    return made.spec.nodeSelector;
  } finally {
    await server.stop();
  }
}

const ROWS: readonly (readonly [name: string, files: Readonly<Record<string, string>>, expected: object | RegExp | undefined])[] = [
  ['in the file itself', { 'main.yaml': HEAD + EMBEDDED }, { zone: 'x' }],
  [
    'in a file of its own, beside the first',
    {
      'main.yaml': `${HEAD}- name: PodNodeSelector\n  path: own.yaml\n`,
      'own.yaml': 'podNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: zone=y\n',
    },
    { zone: 'y' },
  ],
  ['of another plugin', { 'main.yaml': `${HEAD}- name: Priority\n` }, undefined],
  // as in 1.32, where nobody asks for these
  [
    'beside a name that no plugin has, and one that is empty',
    { 'main.yaml': `${HEAD}- name: Nobody\n- path: no.yaml\n${EMBEDDED}` },
    { zone: 'x' },
  ],
  ['in the first of two entries', { 'main.yaml': `${HEAD}${EMBEDDED}${EMBEDDED.replace('zone=x', 'zone=y')}` }, { zone: 'x' }],
  ['beside a plugin that does not run', { 'main.yaml': `${HEAD}- name: EventRateLimit\n  path: none.yaml\n${EMBEDDED}` }, { zone: 'x' }],
  ['in a file of the plugin alone', { 'main.yaml': 'podNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: zone=z\n' }, { zone: 'z' }],
  [
    'in a file of the plugin, with a member that a configuration of all does not have',
    { 'main.yaml': `${HEAD.replace('plugins:', 'podNodeSelectorPluginConfig: {}\nplugins:')}${EMBEDDED}` },
    /main\.yaml: unknown field "podNodeSelectorPluginConfig"/,
  ],
  ['a file that is not there', { 'main.yaml': `${HEAD}- name: PodNodeSelector\n  path: none.yaml\n` }, /none\.yaml/],
  ['another kind', { 'main.yaml': 'apiVersion: v1\nkind: Config\n' }, /main\.yaml/],
  [
    'one that the plugin does not take',
    { 'main.yaml': `${HEAD}- name: PodNodeSelector\n  configuration: { podNodeSelectorPluginConfig: 1 }\n` },
    /podNodeSelectorPluginConfig is to be an object/,
  ],
];
for (const [name, files, expected] of ROWS)
  test(name, async () => {
    const found = await outcome(files);
    if (expected instanceof RegExp) assert.match(String(found), expected);
    else assert.equal(found, expected);
  });

const SECURITY = 'pod-security.admission.config.k8s.io';
const CLASS = { kind: 'PodSecurityConfiguration', defaults: { enforce: 'restricted' } };
const embedded = (configuration: object) => `${HEAD}- name: PodSecurity\n  configuration: ${JSON.stringify(configuration)}\n`;

/** @returns how a pod is refused, or why no server starts */
const refusal = async (files: Readonly<Record<string, string>>): Promise<string> =>
  String(await outcome(files).catch((error: Error) => error.message));

for (const version of ['v1', 'v1beta1', 'v1alpha1'])
  test(`pod security is configured by ${version}, in the file itself or beside it`, async () => {
    const text = JSON.stringify({ apiVersion: `${SECURITY}/${version}`, ...CLASS });
    const violates = /forbidden: violates PodSecurity "restricted:latest"/;
    assert.match(await refusal({ 'main.yaml': embedded(JSON.parse(text)) }), violates);
    assert.match(await refusal({ 'main.yaml': `${HEAD}- name: PodSecurity\n  path: own.yaml\n`, 'own.yaml': text }), violates);
  });

test('what is wrong with the configuration of pod security is told, with its place', async () => {
  const wrong = { apiVersion: `${SECURITY}/v1`, kind: CLASS.kind, defaults: { enforce: 'x' }, more: 1 };
  const levels = /defaults\.enforce: Invalid value: "x": must be one of privileged, baseline, restricted/;
  const inside = await refusal({ 'main.yaml': embedded(wrong) });
  for (const each of [/main\.yaml: the configuration of PodSecurity/, levels, /unknown field "more"/]) assert.match(inside, each);
  const beside = await refusal({ 'main.yaml': `${HEAD}- name: PodSecurity\n  path: own.yaml\n`, 'own.yaml': JSON.stringify(wrong) });
  for (const each of [/own\.yaml/, levels]) assert.match(beside, each);
  assert.match(await refusal({ 'main.yaml': embedded({ apiVersion: 'v1', kind: 'Pod' }) }), /PodSecurity/);
});

const OF_KINDS = {
  EventRateLimit: {
    apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
    right: { limits: [{ type: 'Server', qps: 1, burst: 1, cacheSize: -1 }] },
  },
  PodTolerationRestriction: {
    apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
    right: { default: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }], whitelist: [] },
  },
} as const;
const configured = (name: keyof typeof OF_KINDS, stated: object): Promise<unknown> => {
  const configuration = JSON.stringify({ apiVersion: OF_KINDS[name].apiVersion, kind: 'Configuration', ...stated });
  return outcome({ 'main.yaml': `${HEAD}- name: ${name}\n  configuration: ${configuration}\n` }, name);
};
for (const [name, { apiVersion, right }] of Object.entries(OF_KINDS) as [keyof typeof OF_KINDS, (typeof OF_KINDS)['EventRateLimit']][])
  test(`${name} is configured by the kind that 1.32 has for it, and by no other`, async () => {
    assert.is(await configured(name, right), undefined);
    assert.is(await configured(name, { ...right, more: 1 }), undefined);
    for (const other of [
      { kind: 'Config' },
      { apiVersion: 'v1' },
      { apiVersion: apiVersion.replace('v1alpha1', 'v1') },
      { kind: undefined },
    ])
      assert.match(String(await configured(name, { ...right, ...other })), new RegExp(`the configuration of ${name}`));
  });

const WRONG: readonly (readonly [name: keyof typeof OF_KINDS, stated: object, message: RegExp])[] = [
  ['EventRateLimit', {}, /limits: Invalid value: .*must not be empty/],
  ['EventRateLimit', { limits: [] }, /limits: Invalid value: .*must not be empty/],
  ['EventRateLimit', { limits: {} }, /limits/],
  [
    'EventRateLimit',
    { limits: [{ type: 'Node', qps: 1, burst: 1 }] },
    /limits\[0\]\.type: Unsupported value: "Node": supported values: "Server", "Namespace", "User", "SourceAndObject"/,
  ],
  ['EventRateLimit', { limits: [{ qps: 1, burst: 1 }] }, /limits\[0\]\.type: Unsupported value: ""/],
  ['EventRateLimit', { limits: [{ type: 'User', qps: '1', burst: 1 }] }, /qps/],
  [
    'EventRateLimit',
    { limits: [{ type: 'User', burst: -1 }] },
    /limits\[0\]\.burst: Invalid value: -1: must be positive.*limits\[0\]\.qps: Invalid value: 0: must be positive/s,
  ],
  [
    'EventRateLimit',
    { limits: [{ type: 'User', qps: 1, burst: 1, cacheSize: -1 }] },
    /limits\[0\]\.cacheSize: Invalid value: -1: must not be negative/,
  ],
  ['PodTolerationRestriction', { default: [{ key: 'a b', operator: 'Exists' }] }, /default\[0\]\.key: Invalid value: "a b"/],
  ['PodTolerationRestriction', { whitelist: [{ key: 'a', operator: 'Often' }] }, /whitelist\[0\]\.operator: Unsupported value: "Often"/],
  ['PodTolerationRestriction', { default: 'none' }, /default/],
];
for (const [name, stated, message] of WRONG)
  test(`what is wrong with the configuration of ${name} is told: ${JSON.stringify(stated)}`, async () => {
    assert.match(String(await configured(name, stated)), message);
  });

test.run();
