/** Which flags of authentication go together, and what they let in. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flagsData } from '../../../generated/flags.ts';
import { metricsData } from '../../../generated/metrics.ts';
import { createAuthenticator } from '../../../runtime/authentication/configuration/create-authenticator.ts';
import { readTokenKeys } from '../../../runtime/authentication/service-accounts/keys.ts';
import { OwnTokenSigner } from '../../../runtime/authentication/service-accounts/token-signer.ts';
import { FollowedFiles } from '../../../runtime/files/followed-files.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { parseFlags } from '../../../runtime/server/flags/flags.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { fileKinds } from '../../files/reader.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { identity } from '../../kinds/context.ts';
import { request } from '../requests.ts';

const folder = new OpenSsl();
const warnings: string[] = [];
const followedFiles = new FollowedFiles();
const silent = () => {};
const log = { debug: silent, info: silent, error: silent, warn: (_fields: object, message: string) => void warnings.push(message) };

const keys = readTokenKeys(
  { 'service-account-key-file': [], 'service-account-signing-key-file': '', 'tls-private-key-file': '' },
  folder.folder,
);

function create(...argv: string[]) {
  const { values: flags, given } = parseFlags(argv, flagsData, identity);
  return createAuthenticator({
    flags,
    given,
    identity,
    log,
    objects: undefined as never,
    fileKinds: async () => fileKinds('kubernetes', { AnonymousAuthConfigurableEndpoints: 'true' }),
    clientAuthorities: [],
    proxyAuthorities: undefined,
    tokenSigner: new OwnTokenSigner(keys),
    audiences: ['api'],
    labelSecret: async () => {},
    metrics: new Metrics(metricsData),
    followedFiles,
  });
}
function file(members: object): string {
  const name = path.join(folder.folder, 'authentication.json');
  writeFileSync(
    name,
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration', jwt: [], ...members }),
  );
  return `--authentication-config=${name}`;
}

const flags = suite('flags of authentication');
type Wrong = [name: string, argv: () => string[], message: RegExp];
const wrong: Wrong[] = [
  ['a file of tokens that is not there', () => ['--token-auth-file=/nowhere'], /nowhere/],
  [
    'a file and an issuer',
    () => [file({}), '--oidc-issuer-url=https://x', '--oidc-client-id=c'],
    /--authentication-config and --oidc-.* exclude each other/,
  ],
  [
    'a file that says who may be anonymous, and the flag',
    () => [file({ anonymous: { enabled: true } }), '--anonymous-auth=false'],
    /--anonymous-auth cannot be set/,
  ],
  ['an issuer without a client', () => ['--oidc-issuer-url=https://x'], /need each other/],
  ['a claim without an issuer', () => ['--oidc-username-claim=sub'], /^--oidc-username-claim: .* need both$/],
  [
    'an issuer with a password in its address',
    () => ['--oidc-issuer-url=https://u:p@x?y=1#f', '--oidc-client-id=c'],
    /^the flags of OpenID Connect:\n.*must not contain a username or password\n.*must not contain a query\n.*must not contain a fragment$/s,
  ],
  [
    'users without a claim',
    () => ['--oidc-issuer-url=https://x', '--oidc-client-id=c', '--oidc-username-claim='],
    /^the flags of OpenID Connect: jwt\[0\]\.claimMappings\.username: Required value: claim or expression is required$/,
  ],
  [
    'an issuer whose tokens are our own',
    () => ['--oidc-issuer-url=https://x', '--oidc-client-id=c', '--service-account-issuer=https://x'],
    /^--oidc-issuer-url: the tokens of "https:\/\/x" are this server's own$/,
  ],
  ...['--service-account-signing-key-file=k.pem', '--service-account-key-file=k.pem'].map(
    (other): Wrong => [
      `a signer besides ${other}`,
      () => ['--service-account-signing-endpoint=/s.sock', other],
      /^--service-account-signing-endpoint excludes --service-account-signing-key-file and --service-account-key-file$/,
    ],
  ),
  ...['abc', 'unix:///s.sock', '@', '@abc@', '@abc.abc  .ae', '@a..b', '/a b/c', './s.sock'].map(
    (endpoint): Wrong => [
      `a signer at ${endpoint}`,
      () => [`--service-account-signing-endpoint=${endpoint}`],
      /^--service-account-signing-endpoint: ".*" is neither an absolute path nor @NAME of a socket$/,
    ],
  ),
  [
    'keys without encryption',
    () => ['--service-account-jwks-uri=http://x/keys'],
    /^--service-account-jwks-uri: "http:\/\/x\/keys" is no https/,
  ],
  ['keys at no address', () => ['--service-account-jwks-uri=::'], /^--service-account-jwks-uri: "::" is no https address$/],
  ['tokens that live less than an hour', () => ['--service-account-max-token-expiration=59m59s'], /between 1 hour and 2\^32 seconds/],
  ['tokens that live too long', () => ['--service-account-max-token-expiration=4294967297s'], /between 1 hour and 2\^32 seconds/],
  [
    'a webhook of an unknown version',
    () => ['--authentication-token-webhook-config-file=x', '--authentication-token-webhook-version=v2'],
    /neither v1 nor v1beta1/,
  ],
  ['a webhook whose file is not there', () => ['--authentication-token-webhook-config-file=/nowhere'], /nowhere/],
  ['an issuer of our own that is no address', () => ['--service-account-issuer=https://[x'], /no valid address/],
  ['an issuer of our own twice', () => ['--service-account-issuer=a', '--service-account-issuer=a'], /repeated/],
];
for (const [name, argv, message] of wrong)
  flags(`${name} are refused`, async () => {
    const error = await create(...argv()).catch((thrown: unknown) => thrown);
    assert.instance(error, Error);
    assert.match((error as Error).message, message);
  });
for (const argv of [
  ['--service-account-max-token-expiration=1h'],
  ['--service-account-max-token-expiration=4294967296s'],
  ['--service-account-jwks-uri=https://x/keys'],
  ['--requestheader-uid-headers=X-Remote-Uid'],
  ...['/e/an_b-d/efg', '/e/', '@ebc.sock', '@ebc.eng.hij'].map((endpoint) => [`--service-account-signing-endpoint=${endpoint}`]),
  ['--requestheader-username-headers=', '--requestheader-allowed-names='],
])
  flags(`${argv.join(' ')} is taken`, async () => (await create(...argv)).close());
flags.run();

const tokens = suite('tokens of a file');
tokens('are UTF-8, in the file as in the header', async () => {
  const name = path.join(folder.folder, 'tokens.csv');
  writeFileSync(name, 'tökén-à,Zoë,1,grüppe\n');
  const authenticator = await create(`--token-auth-file=${name}`);
  const header = Buffer.from('Bearer tökén-à').toString('latin1');
  const user = await authenticator.authenticate(request({ Authorization: header }), '/', silent);
  assert.is(user.name, 'Zoë');
  assert.equal(user.groups, ['grüppe', 'system:authenticated']);
  authenticator.close();
});
const encoded = (token: string) => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
const both: [name: string, header: string, protocols: string, user: string | undefined][] = [
  ['of a WebSocket counts where that of the header is nobody’s', 'Bearer nope', `${encoded('good')}, x`, 'alice'],
  ['of the header counts first', 'Bearer good', `${encoded('other')}, x`, 'alice'],
  ['of the header counts where that of the WebSocket is broken', 'Bearer good', encoded('other'), 'alice'],
  ['that is nobody’s is refused in either place', 'Bearer nope', `${encoded('nope')}, x`, undefined],
];
for (const [name, header, protocols, wanted] of both)
  tokens(`one ${name}`, async () => {
    const file = path.join(folder.folder, 'both.csv');
    writeFileSync(file, 'good,alice,1\nother,bob,2\n');
    const authenticator = await create(`--token-auth-file=${file}`);
    const sent = request({ Authorization: header, Upgrade: 'websocket', 'Sec-WebSocket-Protocol': protocols });
    const find = () => authenticator.authenticate(sent, '/', silent);
    if (wanted === undefined) assert.throws(find, (error: unknown) => error instanceof StatusError && error.code === 401);
    else assert.is((await find()).name, wanted);
    authenticator.close();
  });
tokens.run();

const anonymous = suite('anonymous requests');
const some = { anonymous: { enabled: true, conditions: [{ path: '/livez' }, { path: '/readyz' }] } };
const rows: [name: string, argv: () => string[], open: string[], closed: string[]][] = [
  ['are let in by default', () => [], ['/livez', '/api'], []],
  ['are not where the flag is off', () => ['--anonymous-auth=false'], [], ['/livez']],
  ['reach what the file names, to the letter', () => [file(some)], ['/livez', '/readyz'], ['/livez/', '/livez/ping', '/healthz', '/api']],
  ['are off in the file', () => [file({ anonymous: { enabled: false } })], [], ['/livez']],
  ['are what the flag says where the file says nothing', () => [file({}), '--anonymous-auth=false'], [], ['/livez']],
  ['are not let in where everything is allowed', () => ['--authorization-mode=AlwaysAllow'], [], ['/livez']],
];
for (const [name, argv, open, closed] of rows)
  anonymous(name, async () => {
    const authenticator = await create(...argv());
    for (const where of open) assert.is((await authenticator.authenticate(request({}), where, silent)).name, 'system:anonymous', where);
    for (const where of closed)
      assert.throws(
        () => authenticator.authenticate(request({}), where, silent),
        (error: unknown) => error instanceof StatusError && error.code === 401,
      );
  });
anonymous('the headers of a proxy go, whoever sends them', async () => {
  const sent = request({ 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters', Accept: '*/*' });
  const user = await (await create('--requestheader-username-headers=X-Remote-User')).authenticate(sent, '/', silent);
  assert.is(user.name, 'system:anonymous');
  assert.equal(sent.rawHeaders, ['Accept', '*/*']);
});
anonymous('AlwaysAllow is said to refuse them', () => assert.ok(warnings.some((warning) => warning.includes('AlwaysAllow'))));
anonymous.after(() => folder.remove());
anonymous.run();
