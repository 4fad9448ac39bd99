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
  'podgc',
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
];
for (const [words, runs] of rows) test(words.join() || 'nothing', () => assert.equal(chosenControllers(words), runs));

test('a name that nobody has', () =>
  assert.throws(() => chosenControllers(['*', '-namespaces']), /"namespaces" is not in the list of known controllers/));

test.run();
