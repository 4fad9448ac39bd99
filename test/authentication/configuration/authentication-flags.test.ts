/** Which headers of authenticating proxies count. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flagsData } from '../../../generated/flags.ts';
import { identity as identityData } from '../../../generated/identity.ts';
import { proxyHeaderNames } from '../../../runtime/authentication/configuration/authentication-flags.ts';
import type { ProxyHeaderNames } from '../../../runtime/authentication/proxy-headers.ts';
import { createIdentity, type Dialect } from '../../../runtime/contract/identity.ts';
import { parseFlags } from '../../../runtime/server/flags/flags.ts';

const NONE: ProxyHeaderNames = { username: [], uid: [], group: [], extraPrefix: [] };
const USUAL: ProxyHeaderNames = { username: ['x-remote-user'], uid: [], group: ['x-remote-group'], extraPrefix: ['x-remote-extra-'] };

const test = suite('headers of authenticating proxies');
const rows: [dialect: Dialect, argv: string[], names: ProxyHeaderNames][] = [
  ['cluster', [], USUAL],
  ['kubernetes', [], NONE],
  ['kubernetes', ['--delegated-authentication'], USUAL],
  [
    'cluster',
    ['--requestheader-username-headers=X-Who', '--requestheader-uid-headers=X-Id'],
    { ...USUAL, username: ['X-Who'], uid: ['X-Id'] },
  ],
  [
    'cluster',
    ['--requestheader-group-headers=A,B', '--requestheader-extra-headers-prefix=C-'],
    { ...USUAL, group: ['A', 'B'], extraPrefix: ['C-'] },
  ],
  ['kubernetes', ['--requestheader-username-headers=X-Who'], { ...NONE, username: ['X-Who'] }],
];
for (const [dialect, argv, names] of rows)
  test(`${dialect} ${argv.join(' ')}`, () => {
    const identity = createIdentity(identityData, dialect);
    assert.equal(proxyHeaderNames(parseFlags(argv, flagsData, identity).values, identity), names);
  });
test.run();
