import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chosenControllers } from '../../runtime/controllers/chosen-controllers.ts';

const test = suite('--controllers');

const rows: [words: string[], runs: string[]][] = [
  [['*'], ['namespace', 'garbagecollector', 'clusterrole-aggregation']],
  [['-*'], []],
  [[], []],
  [['namespace'], ['namespace']],
  [['garbage-collector-controller'], ['garbagecollector']],
  [
    ['*', '-namespace'],
    ['garbagecollector', 'clusterrole-aggregation'],
  ],
  [['-namespace-controller', '*', '-clusterrole-aggregation'], ['garbagecollector']],
  [['namespace', '-namespace'], ['namespace']],
  [
    ['*', 'tokencleaner'],
    ['namespace', 'garbagecollector', 'clusterrole-aggregation'],
  ],
  [['deployment'], []],
];
for (const [words, runs] of rows) test(words.join() || 'nothing', () => assert.equal(chosenControllers(words), runs));

test('a name that nobody has', () =>
  assert.throws(() => chosenControllers(['*', '-namespaces']), /"namespaces" is not in the list of known controllers/));

test.run();
