/** Tokens of an OpenID provider: believed only as its configuration has it. */

import { createHmac } from 'node:crypto';
import { exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import { type IssuerConfiguration, issuerOfFlags, type OpenIdFlags } from '../../../runtime/authentication/issuers/issuer-configuration.ts';
import { IssuerTokens } from '../../../runtime/authentication/issuers/issuer-tokens.ts';
import { type Outcome, Refusal } from '../../../runtime/authentication/outcome.ts';
import type { User } from '../../../runtime/contract/request-context.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { Provider } from './provider.ts';

const folder = new OpenSsl();
const provider = await Provider.start(folder);
await provider.addKey('one');
await provider.addKey('two', 'ES256');
const other = await Provider.start(folder);
await other.addKey('theirs');
// a key that is nobody's
const { publicKey, privateKey } = await generateKeyPair('RS256');
const publicPem = await exportSPKI(publicKey);

const FLAGS: OpenIdFlags = {
  'oidc-issuer-url': provider.url,
  'oidc-client-id': 'client',
  'oidc-ca-file': folder.write('authority.pem', provider.authority),
  'oidc-username-claim': 'sub',
  'oidc-username-prefix': '',
  'oidc-groups-claim': '',
  'oidc-groups-prefix': '',
  'oidc-required-claim': {},
  'oidc-signing-algs': ['RS256'],
};
const opened: IssuerTokens[] = [];
const metrics = new Metrics(metricsData);
function tokens(changed: Partial<OpenIdFlags> = {}, further: Partial<IssuerConfiguration> = {}): IssuerTokens {
  const made = new IssuerTokens({ ...issuerOfFlags({ ...FLAGS, ...changed }), ...further }, metrics, 'id');
  opened.push(made);
  return made;
}
const said = (outcome: Outcome<User>): string => (outcome instanceof Refusal ? outcome.reason : JSON.stringify(outcome));

const users = suite('users of an issuer');
const now = Math.floor(Date.now() / 1000);
const mapped: [name: string, flags: Partial<OpenIdFlags>, claims: object, user: Partial<User> | RegExp][] = [
  ['have the issuer before their name', {}, {}, { name: `${provider.url}#jane`, groups: [], uid: '', extra: {} }],
  ['have the given prefix', { 'oidc-username-prefix': 'p:' }, {}, { name: 'p:jane' }],
  ['have no prefix for a hyphen', { 'oidc-username-prefix': '-' }, {}, { name: 'jane' }],
  ['have none for an e-mail address', { 'oidc-username-claim': 'email' }, { email: 'j@x.org', email_verified: true }, { name: 'j@x.org' }],
  ['may leave open whether the address is verified', { 'oidc-username-claim': 'email' }, { email: 'j@x.org' }, { name: 'j@x.org' }],
  ['need a verified address', { 'oidc-username-claim': 'email' }, { email: 'j@x.org', email_verified: false }, /not verified/],
  ['need the claim', { 'oidc-username-claim': 'login' }, {}, /"login" is not present/],
  ['need a text in it', { 'oidc-username-claim': 'login' }, { login: 7 }, /no text/],
  ['may have an empty name', { 'oidc-username-claim': 'login' }, { login: '' }, { name: `${provider.url}#` }],
  ['may have null for a name, which is an empty one', { 'oidc-username-claim': 'login' }, { login: null }, { name: `${provider.url}#` }],
  ['are not named by what all objects have', { 'oidc-username-claim': 'constructor' }, {}, /not present/],
  [
    'have groups of a list',
    { 'oidc-groups-claim': 'groups', 'oidc-groups-prefix': 'g:' },
    { groups: ['a', 'b'] },
    { groups: ['g:a', 'g:b'] },
  ],
  ['have a single group', { 'oidc-groups-claim': 'groups' }, { groups: 'a' }, { groups: ['a'] }],
  ['may have no groups', { 'oidc-groups-claim': 'groups' }, {}, { groups: [] }],
  ['have no groups for null', { 'oidc-groups-claim': 'groups' }, { groups: null }, { groups: [] }],
  [
    'have empty groups, also for null in a list',
    { 'oidc-groups-claim': 'groups', 'oidc-groups-prefix': 'g:' },
    { groups: ['', null, 'a'] },
    { groups: ['g:', 'g:', 'g:a'] },
  ],
  ['need groups that are texts', { 'oidc-groups-claim': 'groups' }, { groups: [1] }, /no groups/],
  ['have the required claims', { 'oidc-required-claim': { tenant: 'x' } }, { tenant: 'x' }, {}],
  ['have an empty required claim for null', { 'oidc-required-claim': { tenant: '' } }, { tenant: null }, {}],
  ['may have any identifier', {}, { jti: 7 }, { name: `${provider.url}#jane`, extra: {} }],
  ['may have null for what is not asked for', {}, { nonce: null, nbf: null }, {}],
  ['may have times that are texts', {}, { exp: String(now + 60), nbf: String(now), iat: '1' }, {}],
  ['need a text for the subject', {}, { sub: 7 }, /another type/],
  ['need a number for a time', {}, { exp: 'tomorrow' }, /another type/],
  ['need a time where they say when they were made', {}, { iat: null }, /another type/],
  ['lack a required claim', { 'oidc-required-claim': { tenant: 'x' } }, {}, /"tenant" is not present/],
  ['have another value in a required claim', { 'oidc-required-claim': { tenant: 'x' } }, { tenant: 'y' }, /does not match/],
];
for (const [name, flags, claims, expected] of mapped)
  users(name, async () => {
    const outcome = await tokens(flags).find(await provider.sign('one', claims as JWTPayload));
    if (expected instanceof RegExp) assert.match(said(outcome), expected);
    else assert.equal({ ...outcome, ...expected }, outcome, said(outcome));
  });
users.run();

const refused = suite('tokens of an issuer');
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const good = { iss: provider.url, aud: 'client', sub: 'jane', exp: now + 600 };
const hmac = (() => {
  const text = `${part({ alg: 'HS256', kid: 'one' })}.${part(good)}`;
  return `${text}.${createHmac('sha256', publicPem).update(text).digest('base64url')}`;
})();
const forgeries: [name: string, token: string | Promise<string>, reason: RegExp | undefined][] = [
  ['of another issuer are not its', provider.sign('one', { iss: 'https://other.example' }), undefined],
  ['that are no tokens are not its', 'a.b.c', undefined],
  ['for others are refused', provider.sign('one', { aud: ['other', 'more'] }), /other audiences/],
  ['without an audience are refused', provider.sign('one', { aud: undefined }), /other audiences/],
  ['that have expired are refused', provider.sign('one', { exp: now - 1 }), /expired/],
  ['without an end are refused', provider.sign('one', { exp: undefined }), /expired/],
  ['by another algorithm than allowed are refused', provider.sign('two'), /no key/],
  ['without a signature are refused', `${part({ alg: 'none' })}.${part(good)}.`, /no key/],
  ['with a public key for a secret are refused', hmac, /no key/],
  ['of a key of nobody are refused', new SignJWT(good).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey), /no key/],
];
for (const [name, token, reason] of forgeries)
  refused(name, async () => {
    const outcome = await tokens().find(await token);
    if (reason === undefined) assert.is(outcome, undefined);
    else assert.match(said(outcome), reason);
  });
refused('for one of several audiences are good', async () => {
  const { issuer } = issuerOfFlags(FLAGS);
  const both = tokens({}, { issuer: { ...issuer, audiences: ['first', 'client'] } });
  assert.not.instance(await both.find(await provider.sign('one', { aud: ['client', 'x'] })), Refusal);
});
refused('that are not valid yet are refused', async () => {
  // told from now: the tests before may have taken longer than the difference to what is good
  const nbf = Math.floor(Date.now() / 1000) + 70;
  assert.match(said(await tokens().find(await provider.sign('one', { nbf }))), /not valid yet/);
});
refused('that are not valid for a moment yet are good', async () => {
  assert.not.instance(await tokens().find(await provider.sign('one', { nbf: now + 50 })), Refusal);
});
refused('of the one issuer that may leave out its scheme are its', async () => {
  const url = 'https://accounts.google.com';
  const { configuration } = provider;
  provider.configuration = { ...configuration, issuer: url };
  const { issuer } = issuerOfFlags(FLAGS);
  const google = tokens({}, { issuer: { ...issuer, url, discoveryURL: new URL('/elsewhere', provider.url).href } });
  for (const iss of [url, 'accounts.google.com']) assert.not.instance(await google.find(await provider.sign('one', { iss })), Refusal, iss);
  assert.is(await google.find(await provider.sign('one')), undefined);
  provider.configuration = configuration;
  assert.is(await tokens().find(await provider.sign('one', { iss: provider.url.slice('https://'.length) })), undefined);
});
refused('that name no key are tried with each', async () => {
  await provider.addKey('three');
  assert.not.instance(await tokens().find(await provider.sign('three', {}, {})), Refusal);
});
refused.run();

const distributed = suite('groups that stand in another token');
const place = (path = '/claims') => `${new URL(provider.url).origin}${path}`;
/** Whom a token names, whose groups are in what the place answers. */
async function distributedUser(answer: string, claims: JWTPayload = {}, flags: Partial<OpenIdFlags> = {}): Promise<Outcome<User>> {
  provider.distributed = answer;
  const authorities = folder.write('authorities.pem', provider.authority + other.authority);
  const found = tokens({ 'oidc-groups-claim': 'groups', 'oidc-groups-prefix': 'g:', 'oidc-ca-file': authorities, ...flags });
  const sources = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: place(), access_token: 'secret' } } };
  return found.find(await provider.sign('one', { ...sources, ...claims }));
}
const ofGroups = () => provider.sign('one', { groups: ['a', 'b'] });
distributed('of the same issuer are fetched with the access token', async () => {
  const user = (await distributedUser(await ofGroups())) as User;
  assert.equal([user.groups, provider.credentials], [['g:a', 'g:b'], 'Bearer secret']);
  const open = { _claim_sources: { src1: { endpoint: place() } } };
  assert.equal(((await distributedUser(await ofGroups(), open)) as User).groups, ['g:a', 'g:b']);
  assert.is(provider.credentials, undefined, 'without a token none is sent');
});
distributed('may be of another issuer, whose keys are found as those of any', async () => {
  const user = (await distributedUser(await other.sign('theirs', { groups: ['c'] }))) as User;
  assert.equal(user.groups, ['g:c']);
});
distributed('are where their place leads, with the access token on the same host alone', async () => {
  provider.redirects.set('/first', '/claims');
  const at = (path: string): JWTPayload => source({ endpoint: place(path), access_token: 'secret' });
  assert.equal(((await distributedUser(await ofGroups(), at('/first'))) as User).groups, ['g:a', 'g:b']);
  assert.is(provider.credentials, 'Bearer secret');
  provider.redirects.set('/first', place().replace('127.0.0.1', 'localhost'));
  assert.match(said(await distributedUser(await ofGroups(), at('/first'))), /localhost:\d+\/claims: /);
  provider.redirects.set('/first', 'http://127.0.0.1/claims');
  assert.match(said(await distributedUser(await ofGroups(), at('/first'))), /\/first leads to no https address/);
  provider.redirects.set('/first', '/first');
  assert.match(said(await distributedUser(await ofGroups(), at('/first'))), /stopped after 10 redirects/);
  provider.redirects.clear();
});
distributed('are not asked for where the token holds groups itself, names no source for them, or none are wanted', async () => {
  provider.asked.length = 0;
  assert.equal(((await distributedUser('', { groups: ['own'] })) as User).groups, ['g:own']);
  assert.equal(((await distributedUser('', { _claim_names: { roles: 'src1' } })) as User).groups, []);
  assert.equal(((await distributedUser('', { _claim_sources: { src1: { JWT: 'x' } } })) as User).groups, []);
  assert.equal(((await distributedUser('', { _claim_names: null })) as User).groups, []);
  assert.equal(((await distributedUser('', { _claim_sources: { src1: null } })) as User).groups, []);
  assert.equal(((await distributedUser('', { _claim_sources: { src1: { endpoint: null } } })) as User).groups, []);
  assert.equal(((await distributedUser('', {}, { 'oidc-groups-claim': '' })) as User).groups, []);
  assert.not(provider.asked.includes('/claims'));
});
for (const [status, isBelieved] of [
  [201, true],
  [226, true],
  [227, false],
  [299, false],
  [300, false],
] as const)
  distributed(`are ${isBelieved ? 'believed' : 'refused'} where the place answers ${status}`, async () => {
    provider.distributedStatus = status;
    const outcome = await distributedUser(await ofGroups());
    provider.distributedStatus = 200;
    if (isBelieved) assert.equal((outcome as User).groups, ['g:a', 'g:b']);
    else assert.match(said(outcome), new RegExp(`answers ${status}$`));
  });
const source = (members: object) => ({ _claim_sources: { src1: members } });
const broken: [name: string, answer: () => string | Promise<string>, claims: JWTPayload, reason: RegExp][] = [
  ['the names are no object', () => '', { _claim_names: 'x' }, /_claim_names is no object/],
  ['there are no sources', () => '', { _claim_sources: undefined }, /no _claim_sources/],
  ['the source is missing', () => '', { _claim_sources: {} }, /does not have its source "src1"/],
  ['the address is no text', () => '', source({ endpoint: 7 }), /_claim_sources is no object of sources/],
  ['the name of the source of another claim is no text', () => '', { _claim_names: { roles: 7 } }, /_claim_names is no object of texts/],
  ['the source of another claim is none', () => '', { _claim_names: {}, _claim_sources: { src2: 'x' } }, /is no object of sources/],
  ['no source is stated', () => '', { _claim_sources: null }, /does not have its source "src1"/],
  ['its source has no name', () => '', { _claim_names: { groups: null } }, /does not have its source ""/],
  ['the address is not https', () => '', source({ endpoint: 'http://127.0.0.1/claims' }), /no https address/],
  ['the place has nothing', () => '', {}, /answers 404/],
  ['the place has no token', () => 'x', {}, /is no token/],
  ['the token has no groups', () => provider.sign('one'), {}, /does not have it/],
  ['the token is for others', () => provider.sign('one', { groups: ['a'], aud: 'x' }), {}, /other audiences/],
  ['the token has expired', () => provider.sign('one', { groups: ['a'], exp: now - 1 }), {}, /expired/],
  [
    'nobody known signed it',
    () => new SignJWT({ ...good, groups: ['a'] }).setProtectedHeader({ alg: 'RS256' }).sign(privateKey),
    {},
    /no key/,
  ],
  ['it names an issuer without TLS', () => provider.sign('one', { iss: 'http://x', groups: ['a'] }), {}, /is no token/],
];
for (const [name, answer, claims, reason] of broken)
  distributed(`are refused where ${name}`, async () => {
    const outcome = await distributedUser(await answer(), claims);
    assert.instance(outcome, Refusal);
    assert.match(said(outcome), reason);
    assert.not.match(said(outcome), 'secret');
  });
distributed.run();

const keys = suite('keys of an issuer');
keys('are fetched once for many tokens, and again for one of an unknown key, but not for each such token', async () => {
  const issuer = tokens();
  provider.asked.length = 0;
  await Promise.all([1, 2, 3].map(async (n) => assert.not.instance(await issuer.find(await provider.sign('one', { n })), Refusal)));
  assert.is(provider.asked.length, 2, 'the configuration and the keys');
  await provider.addKey('new');
  for (let n = 0; n < 5; n++) assert.match(said(await issuer.find(await provider.sign('new', { n }))), /no key/);
  assert.is(provider.asked.length, 2, 'they were fetched a moment ago');
});
keys('are not known while the provider is out of order', async () => {
  provider.status = 500;
  const issuer = tokens();
  assert.match(said(await issuer.find(await provider.sign('one'))), /keys are not known: .*answers 500/);
  provider.status = 200;
});
keys('are not believed of a provider that calls itself otherwise', async () => {
  const { configuration } = provider;
  provider.configuration = { ...configuration, issuer: `${provider.url}/` };
  assert.match(said(await tokens().find(await provider.sign('one'))), /calls itself/);
  provider.configuration = { ...configuration, jwks_uri: 'http://127.0.0.1/keys' };
  assert.match(said(await tokens().find(await provider.sign('one'))), /no https address/);
  provider.configuration = configuration;
});
keys('are not fetched of a server with a certificate of somebody else', async () => {
  const other = folder.write('other.pem', folder.authority('other').certificate);
  assert.match(said(await tokens({ 'oidc-ca-file': other }).find(await provider.sign('one'))), /keys are not known/);
});
keys('may be found where the provider leads', async () => {
  const { origin } = new URL(provider.url);
  provider.redirects.set('/issuer/.well-known/openid-configuration', '/first').set('/first', `${origin}/elsewhere`);
  provider.redirects.set('/issuer/keys', '/moved/keys');
  provider.asked.length = 0;
  assert.not.instance(await tokens().find(await provider.sign('one')), Refusal);
  assert.equal(provider.asked, ['/issuer/.well-known/openid-configuration', '/first', '/elsewhere', '/issuer/keys', '/moved/keys']);
  provider.redirects.set('/issuer/keys', '/issuer/keys');
  provider.asked.length = 0;
  assert.match(said(await tokens().find(await provider.sign('one'))), /keys are not known: .*stopped after 10 redirects/);
  assert.is(provider.asked.filter((path) => path === '/issuer/keys').length, 10);
  provider.redirects.set('/issuer/keys', 'http://127.0.0.1/keys');
  assert.match(said(await tokens().find(await provider.sign('one'))), /keys are not known: .*leads to no https address/);
  provider.redirects.clear();
});
keys('may be found by another address', async () => {
  const { issuer } = issuerOfFlags(FLAGS);
  provider.asked.length = 0;
  const elsewhere = tokens({}, { issuer: { ...issuer, discoveryURL: new URL('/elsewhere', provider.url).href } });
  assert.not.instance(await elsewhere.find(await provider.sign('one')), Refusal);
  assert.equal(provider.asked, ['/elsewhere', '/issuer/keys']);
});
keys.after(() => {
  for (const issuer of opened) issuer.close();
  provider.close();
  other.close();
  folder.remove();
});
keys.run();

const flags = suite('flags of OpenID Connect');
const wrong: [name: string, changed: Partial<OpenIdFlags>, message: RegExp][] = [
  ['an issuer without a client', { 'oidc-client-id': '' }, /need each other/],
  ['a client without an issuer', { 'oidc-issuer-url': '' }, /need each other/],
  ['an issuer without TLS', { 'oidc-issuer-url': 'http://x' }, /no https address/],
  ['an algorithm that takes a secret', { 'oidc-signing-algs': ['HS256'] }, /--oidc-signing-algs: "HS256"/],
  ['a file that is not there', { 'oidc-ca-file': '/nowhere' }, /--oidc-ca-file/],
];
for (const [name, changed, message] of wrong) flags(name, () => assert.throws(() => issuerOfFlags({ ...FLAGS, ...changed }), message));
flags.run();
