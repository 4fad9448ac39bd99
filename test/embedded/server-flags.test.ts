import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flagsData } from '../../generated/flags.ts';
import { identity as identityData } from '../../generated/identity.ts';
import { createIdentity } from '../../runtime/contract/identity.ts';
import { commandLine, type ServerFlags } from '../../runtime/embedded/server-flags.ts';
import { parseFlags } from '../../runtime/server/flags/flags.ts';

const test = suite('flags of an embedded server');
const flags: ServerFlags = {
  'cors-allowed-origins': ['//a{1,2}\\.example$', '"', ' b'],
  'service-cluster-ip-range': ['10.1.0.0/24', 'fd00::/112'],
  'service-account-issuer': ['https://a', 'https://b'],
  'oidc-required-claim': { role: 'a,b' },
  'runtime-config': { 'api/all': true },
  'enable-admission-plugins': [],
};
for (const [name, value] of Object.entries(flags))
  test(`--${name} is what its member says`, () => {
    const { values } = parseFlags(commandLine({ [name]: value }), flagsData, createIdentity(identityData, 'kubernetes'));
    assert.equal(values[name as keyof typeof values], name === 'runtime-config' ? { 'api/all': 'true' } : value);
  });
test.run();
