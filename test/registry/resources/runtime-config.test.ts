import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { servedVersions } from '../../../runtime/registry/resources/runtime-config.ts';

const test = suite('runtime config');
const known = [
  { group: '', version: 'v1', enabledByDefault: true, resources: [{ name: 'pods' }] },
  { group: 'batch', version: 'v1', enabledByDefault: true, resources: [{ name: 'jobs' }, { name: 'cronjobs' }] },
  { group: 'batch', version: 'v1beta1', enabledByDefault: false, resources: [{ name: 'jobs' }, { name: 'cronjobs' }] },
  { group: 'batch', version: 'v2alpha1', enabledByDefault: false, resources: [] },
];
const served = (config: Record<string, string>): string[] =>
  known.filter((each) => servedVersions(new Map(Object.entries(config)), known)(each)).map(({ group, version }) => `${group}/${version}`);

for (const [name, config, want] of [
  ['nothing said', {}, ['/v1', 'batch/v1']],
  ['a version on', { 'batch/v2alpha1': '' }, ['/v1', 'batch/v1', 'batch/v2alpha1']],
  ['a version off', { 'batch/v1': 'false' }, ['/v1']],
  ['all on', { 'api/all': 'true' }, ['/v1', 'batch/v1', 'batch/v1beta1', 'batch/v2alpha1']],
  ['all on but alpha', { 'api/alpha': 'false', 'api/all': 'true' }, ['/v1', 'batch/v1', 'batch/v1beta1']],
  ['all off but core', { 'api/all': 'false', v1: 'true' }, ['/v1']],
  ['core by its path', { 'api/v1': 'false' }, ['batch/v1']],
] as const) {
  test(name, () => assert.equal(served(config), want));
}

/** Resources of batch. */
const servedResources = (config: Record<string, string>): string[] => {
  const serves = servedVersions(new Map(Object.entries(config)), known);
  return known
    .filter(({ group }) => group !== '')
    .flatMap((each) => each.resources.filter(({ name }) => serves(each, name)).map(({ name }) => `${each.version}/${name}`));
};
for (const [name, config, want] of [
  ['a resource off', { 'batch/v1/jobs': 'false' }, ['v1/cronjobs']],
  ['a resource on', { 'batch/v1beta1/cronjobs': 'true' }, ['v1/jobs', 'v1/cronjobs', 'v1beta1/cronjobs']],
  ['a resource on whose version is off', { 'batch/v1/jobs': '', 'batch/v1': 'false' }, ['v1/jobs']],
  ['a resource off where all is on', { 'api/all': 'true', 'batch/v1beta1/jobs': 'false' }, ['v1/jobs', 'v1/cronjobs', 'v1beta1/cronjobs']],
] as const)
  test(name, () => assert.equal(servedResources(config), want));

test('unknown resources are refused, and those of the core', () => {
  for (const key of ['batch/v1/nope', 'batch/v1/jobs/status', 'api/v1/pods', 'v1/pods', 'batch/v3/jobs'])
    assert.throws(() => served({ [key]: 'false' }), `no group version or resource is named ${JSON.stringify(key)}`);
});

test('resources of a version whose kinds are all gone change nothing', () => {
  assert.equal(served({ 'batch/v2alpha1/scheduledjobs': 'true' }), ['/v1', 'batch/v1']);
  for (const key of ['batch/v2alpha1/', 'batch/v2alpha1/a/b', 'batch/v2alpha10/a'])
    assert.throws(() => served({ [key]: 'true' }), /no group version or resource is named/);
});

test('unknown versions and values are refused', () => {
  assert.throws(() => served({ 'nope/v1': 'true' }), /no group version or resource is named "nope\/v1"/);
  assert.throws(() => served({ 'batch/v1': 'yes' }), /must be true or false/);
});

test.run();
