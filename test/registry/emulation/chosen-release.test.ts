import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chosenRelease } from '../../../runtime/registry/emulation/chosen-release.ts';

const range = { oldest: '1.16', current: '1.32' };
const chosen = (release: string, ...versions: string[]): string =>
  chosenRelease({ 'emulated-release': release, 'emulated-version': versions }, range);

const test = suite('the release that flags choose');
for (const [name, want, ...flags] of [
  ['is the current one where none is named', '1.32', ''],
  ['is the one that is named', '1.20', '1.20'],
  ['may be the oldest', '1.16', '1.16'],
  ['may be the current one', '1.32', '1.32'],
  ['may be written as versions are', '1.20', 'v1.20'],
  ['may be named by the flag of kube-apiserver', '1.31', '', '1.31'],
  ['may be named with the component', '1.31', '', 'kube=1.31'],
  ['may be named twice', '1.31', '1.31', 'kube=1.31', '1.31'],
] as const)
  test(name, () => assert.is(chosen(...(flags as [string])), want));

for (const [name, problem, ...flags] of [
  ['one that is too old', '--emulated-release=1.15: this server can have the API of a release from 1.16 to 1.32, and of no other', '1.15'],
  ['one that is to come', '--emulated-release=1.33: this server can have the API of a release from 1.16 to 1.32, and of no other', '1.33'],
  ['another major number', '--emulated-release=2.20: this server can have the API of a release from 1.16 to 1.32, and of no other', '2.20'],
  ['a patch', '--emulated-release=1.20.3: a release is named by two numbers, such as 1.32', '1.20.3'],
  ['a word', '--emulated-release=newest: a release is named by two numbers, such as 1.32', 'newest'],
  ['one number', '--emulated-version=1: a release is named by two numbers, such as 1.32', '', '1'],
  ['another component', '--emulated-version=wardle=1.2: "wardle" is no part of this server, which goes by kube', '', 'wardle=1.2'],
  ['a component of nothing', '--emulated-version=: a release is named by two numbers, such as 1.32', '', 'kube='],
  ['two that differ', '--emulated-release and --emulated-version name different releases: 1.20, 1.31', '1.20', '1.31'],
  ['two of one flag that differ', '--emulated-release and --emulated-version name different releases: 1.30, 1.31', '', '1.30', '1.31'],
] as const)
  test(`is not ${name}`, () =>
    assert.throws(
      () => chosen(...(flags as [string])),
      (error: Error) => error.message === problem,
    ));

test.run();
