import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { issueCertificate } from '../../../runtime/server/certificates/certificate-issuer.ts';
import { fileKinds, problemsOf } from '../../files/reader.ts';

const NAME = { group: 'apiserver.config.${groupDomain}', kind: 'AuthenticationConfiguration' };
const kinds = fileKinds();

const file = (members: object, version = 'v1beta1'): string =>
  stringify(
    { apiVersion: `apiserver.config.k8s.io/${version}`, kind: 'AuthenticationConfiguration', ...members },
    { aliasDuplicateObjects: false },
  );
const issuer = (more: object = {}) => ({ url: 'https://issuer.example', audiences: ['a'], ...more });
const mappings = (more: object = {}) => ({ username: { claim: 'sub', prefix: '' }, ...more });
const jwt = (more: object = {}) => ({ issuer: issuer(), claimMappings: mappings(), ...more });
const one = (more: object) => ({ jwt: [jwt(more)] });
const AT = 'jwt[0]';
const BOTH = "claim and expression can't both be set";

const rules = suite('configurations of authentication');
const cases: [name: string, members: object, problems: string[]][] = [
  ['nothing', {}, []],
  ['an issuer', one({}), []],
  ['two issuers', { jwt: [jwt(), jwt({ issuer: issuer({ url: 'https://b.example' }) })] }, []],
  ['65 issuers', { jwt: Array.from({ length: 65 }, () => jwt()) }, ['jwt: Too many: 65: must have at most 64 items']],
  ['an issuer twice', { jwt: [jwt(), jwt()] }, ['jwt[1].issuer.url: Duplicate value: "https://issuer.example"']],
  [
    'no issuer',
    one({ issuer: undefined }),
    [`${AT}.issuer.url: Required value`, `${AT}.issuer.audiences: Required value: at least one ${AT}.issuer.audiences is required`],
  ],
  [
    'another scheme',
    one({ issuer: issuer({ url: 'http://a' }) }),
    [`${AT}.issuer.url: Invalid value: "http://a": URL scheme must be https`],
  ],
  [
    'no URL',
    one({ issuer: issuer({ url: 'https://a:b' }) }),
    [`${AT}.issuer.url: Invalid value: "https://a:b": parse "https://a:b": invalid port ":b" after host`],
  ],
  [
    'a URL with more than a host and a path',
    one({ issuer: issuer({ url: 'https://u:p@a/b?c#d' }) }),
    [
      `${AT}.issuer.url: Invalid value: "https://u:p@a/b?c#d": URL must not contain a username or password`,
      `${AT}.issuer.url: Invalid value: "https://u:p@a/b?c#d": URL must not contain a query`,
      `${AT}.issuer.url: Invalid value: "https://u:p@a/b?c#d": URL must not contain a fragment`,
    ],
  ],
  ['another place for keys', one({ issuer: issuer({ discoveryURL: 'https://keys.example/k' }) }), []],
  [
    'the same place for keys',
    one({ issuer: issuer({ discoveryURL: 'https://issuer.example//' }) }),
    [`${AT}.issuer.discoveryURL: Invalid value: "https://issuer.example//": discoveryURL must be different from URL`],
  ],
  [
    'one place for keys of two',
    { jwt: ['a', 'b'].map((host) => jwt({ issuer: issuer({ url: `https://${host}`, discoveryURL: 'https://keys' }) })) },
    ['jwt[1].issuer.discoveryURL: Duplicate value: "https://keys"'],
  ],
  [
    'an empty audience, and one twice',
    one({ issuer: issuer({ audiences: ['', 'b', 'b'], audienceMatchPolicy: 'MatchAny' }) }),
    [`${AT}.issuer.audiences[0]: Required value`, `${AT}.issuer.audiences[2]: Duplicate value: "b"`],
  ],
  [
    'several audiences without a policy',
    one({ issuer: issuer({ audiences: ['a', 'b'] }) }),
    [`${AT}.issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences`],
  ],
  [
    'another policy',
    one({ issuer: issuer({ audienceMatchPolicy: 'MatchAll' }) }),
    [`${AT}.issuer.audienceMatchPolicy: Invalid value: "MatchAll": audienceMatchPolicy must be empty or MatchAny for single audience`],
  ],
  [
    'an authority that is none',
    one({ issuer: issuer({ certificateAuthority: 'secret' }) }),
    [`${AT}.issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates`],
  ],
  [
    'rules for claims',
    one({
      claimValidationRules: [
        { claim: 'hd', requiredValue: 'x' },
        { expression: 'claims.a == 1', message: 'm' },
      ],
    }),
    [],
  ],
  [
    'wrong rules for claims',
    one({
      claimValidationRules: [
        { claim: 'a', expression: 'true' },
        {},
        { claim: 'a', message: 'm' },
        { claim: 'a' },
        { expression: 'true', requiredValue: 'v' },
        { expression: 'true' },
      ],
    }),
    [
      `${AT}.claimValidationRules[0]: Invalid value: "a": ${BOTH}`,
      `${AT}.claimValidationRules[1]: Required value: claim or expression is required`,
      `${AT}.claimValidationRules[2].message: Invalid value: "m": may not be specified when claim is set`,
      `${AT}.claimValidationRules[3].claim: Duplicate value: "a"`,
      `${AT}.claimValidationRules[4].requiredValue: Invalid value: "v": may not be specified when expression is set`,
      `${AT}.claimValidationRules[5].expression: Duplicate value: "true"`,
    ],
  ],
  [
    'names by expressions',
    one({ claimMappings: { username: { expression: 'claims.sub' }, groups: { expression: 'claims.g' }, uid: { expression: 'claims.u' } } }),
    [],
  ],
  ['no name', one({ claimMappings: {} }), [`${AT}.claimMappings.username: Required value: claim or expression is required`]],
  [
    'a claim without a prefix',
    one({ claimMappings: { username: { claim: 'a' }, groups: { claim: 'g' } } }),
    ['username', 'groups'].map(
      (name) =>
        `${AT}.claimMappings.${name}.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
    ),
  ],
  [
    'an expression with a prefix',
    one({ claimMappings: { username: { expression: 'claims.a', prefix: '' } } }),
    [`${AT}.claimMappings.username.prefix: Invalid value: "": may not be specified when expression is set`],
  ],
  [
    'claims and expressions',
    one({ claimMappings: { username: { claim: 'a', expression: 'b' }, uid: { claim: 'a', expression: 'b' } } }),
    [`${AT}.claimMappings.username: Invalid value: "": ${BOTH}`, `${AT}.claimMappings.uid: Invalid value: "": ${BOTH}`],
  ],
  ['further attributes', one({ claimMappings: mappings({ extra: [{ key: 'example.org/a', valueExpression: 'claims.a' }] }) }), []],
  [
    'wrong further attributes',
    one({
      claimMappings: mappings({
        extra: [
          { key: 'a', valueExpression: 'x' },
          { key: 'example.org/A', valueExpression: 'x' },
          { key: 'x.k8s.io/a', valueExpression: 'x' },
          { key: 'example.org/b', valueExpression: 'x' },
          { key: 'example.org/b' },
        ],
      }),
    }),
    [
      `${AT}.claimMappings.extra[0].key: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")`,
      `${AT}.claimMappings.extra[1].key: Invalid value: "example.org/A": must be lowercase`,
      `${AT}.claimMappings.extra[2].key: Invalid value: "x.k8s.io/a": k8s.io, kubernetes.io and their subdomains are reserved for use by the cluster`,
      `${AT}.claimMappings.extra[4].key: Duplicate value: "example.org/b"`,
      `${AT}.claimMappings.extra[4].valueExpression: Required value`,
    ],
  ],
  [
    'rules for users',
    one({ userValidationRules: [{ expression: 'true' }, { expression: 'true' }, { message: 'm' }] }),
    [`${AT}.userValidationRules[1].expression: Duplicate value: "true"`, `${AT}.userValidationRules[2].expression: Required value`],
  ],
  ['anonymous requests for some paths', { anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }, []],
  ['no anonymous requests', { anonymous: { enabled: false } }, []],
  [
    'paths for no anonymous requests',
    { anonymous: { enabled: false, conditions: [{ path: '/livez' }] } },
    ['anonymous.conditions: Invalid value: [{"path":"/livez"}]: enabled should be set to true when conditions are defined'],
  ],
];
for (const [name, members, problems] of cases)
  rules(name, async () => assert.equal(await problemsOf(kinds, file(members), NAME), problems));

rules('authorities are certificates', async () => {
  const { certificate } = await issueCertificate({
    commonName: 'test',
    organizations: [],
    usage: 'authority',
    names: [],
    notBefore: Date.now(),
    notAfter: Date.now() + 3_600_000,
  });
  assert.equal(await problemsOf(kinds, file(one({ issuer: issuer({ certificateAuthority: certificate }) })), NAME), []);
});
rules('anonymous requests are left to the flag while the gate is off', async () => {
  const gated = fileKinds('kubernetes', { AnonymousAuthConfigurableEndpoints: 'false' });
  assert.equal(await problemsOf(gated, file({ anonymous: { enabled: true } }), NAME), [
    'anonymous: Forbidden: anonymous is not supported when AnonymousAuthConfigurableEndpoints feature gate is disabled',
  ]);
});
rules('the older version becomes the newer', async () => {
  const { object } = await kinds.parse(file(one({}), 'v1alpha1'), 'file', NAME);
  assert.is(object.apiVersion, 'apiserver.config.k8s.io/v1beta1');
  assert.is(object.jwt[0].issuer.url, 'https://issuer.example');
});
rules.run();
