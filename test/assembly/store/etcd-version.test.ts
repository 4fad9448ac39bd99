import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tellsProgressTruly } from '../../../runtime/assembly/store/etcd-version.ts';

const test = suite('versions of etcd');

for (const [version, expected] of [
  ['3.5.16', true],
  ['3.5.13', true],
  ['3.5.12', false],
  ['3.5.9', false],
  ['3.4.31', true],
  ['3.4.30', false],
  ['3.3.99', false],
  ['3.6.0', true],
  ['3.6.0-rc.1', true],
  ['4.0.0', true],
  ['2.3.8', false],
  ['', false],
  ['none', false],
] as const)
  test(`${JSON.stringify(version)} tells ${expected ? 'truly' : 'perhaps too early'} how far a watch is`, () =>
    assert.is(tellsProgressTruly(version), expected));

test.run();
