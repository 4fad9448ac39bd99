import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chosenControllers } from '../../runtime/controllers/chosen-controllers.ts';

const test = suite('--controllers');

const USUAL = [
  'namespace',
  'garbagecollector',
  'clusterrole-aggregation',
  'serviceaccount',
  'serviceaccount-token',
  'root-ca-cert-publisher',
  'pvc-protection',
  'pv-protection',
  'volumeattributesclass-protection-controller',
  'podgc',
  'validatingadmissionpolicy-status-controller',
  'storage-version-gc',
  'resourcequota',
];
const without = (...names: string[]) => USUAL.filter((name) => !names.includes(name));

const rows: [words: string[], runs: string[]][] = [
  [['*'], USUAL],
  [['-*'], []],
  [[], []],
  [['namespace'], ['namespace']],
  [['garbage-collector-controller'], ['garbagecollector']],
  [['*', '-namespace'], without('namespace')],
  [['-namespace-controller', '*', '-clusterrole-aggregation'], without('namespace', 'clusterrole-aggregation')],
  [['namespace', '-namespace'], ['namespace']],
  [
    ['*', 'tokencleaner'],
    [...USUAL, 'tokencleaner'],
  ],
  [['bootstrap-signer-controller'], ['bootstrapsigner']],
  [['deployment'], []],
  [['storageversion-garbage-collector-controller'], ['storage-version-gc']],
  [['nodelifecycle'], ['nodelifecycle']],
  [
    ['*', 'node-lifecycle-controller', 'taint-eviction-controller'],
    [...USUAL, 'nodelifecycle', 'taint-eviction'],
  ],
];
for (const [words, runs] of rows) test(words.join() || 'nothing', () => assert.equal(chosenControllers(words), runs));

const together: [words: string[], runs: string[]][] = [
  [['nodelifecycle'], ['nodelifecycle', 'taint-eviction']],
  [
    ['nodelifecycle', '-taint-eviction-controller'],
    ['nodelifecycle', 'taint-eviction'],
  ],
  [['taint-eviction-controller'], []],
];
for (const [words, runs] of together)
  test(`${words} without the gate SeparateTaintEvictionController`, () => assert.equal(chosenControllers(words, false), runs));

test('a name that nobody has', () =>
  assert.throws(() => chosenControllers(['*', '-namespaces']), /"namespaces" is not in the list of known controllers/));

test.run();
