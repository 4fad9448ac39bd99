import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { servedVersions } from '../../runtime/registry/runtime-config.ts';

const test = suite('runtime config');
const known = [
  { group: '', version: 'v1', enabledByDefault: true },
  { group: 'batch', version: 'v1', enabledByDefault: true },
  { group: 'batch', version: 'v1beta1', enabledByDefault: false },
  { group: 'batch', version: 'v2alpha1', enabledByDefault: false },
];
const served = (config: Record<string, string>): string[] =>
  known.filter(servedVersions(new Map(Object.entries(config)), known)).map(({ group, version }) => `${group}/${version}`);

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

test('unknown versions and values are refused', () => {
  assert.throws(() => served({ 'nope/v1': 'true' }), /no group version is named "nope\/v1"/);
  assert.throws(() => served({ 'batch/v1': 'yes' }), /must be true or false/);
});

test.run();
