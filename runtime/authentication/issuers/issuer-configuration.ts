/** Reads which issuers of JSON web tokens the server trusts from a configuration file, or from the flags of OpenID Connect. */
import type { ApiObject } from '../../contract/object.ts';
import { FileError } from '../../files/file-error.ts';
import type { FileKinds } from '../../files/file-kinds.ts';
import { readFlagFile } from '../../files/flag-file.ts';
import type { ClaimExpressions } from './claim-expressions.ts';
import type { StatedIssuer } from './stated-issuer.ts';

export interface IssuerConfiguration extends StatedIssuer {
  /** the names of the algorithms that tokens may be signed with, such as `RS256` */
  readonly algorithms: readonly string[];
  /** absent if the configuration has no expressions */
  readonly expressions?: ClaimExpressions;
}

/** All algorithms that tokens may be signed with. Those with a shared secret are not among them, because whoever can verify such a token can also make one. */
export const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];

/**
 * Reads the issuers of a configuration file, and compiles their expressions.
 * @param configuration a valid object of the kind AuthenticationConfiguration
 * @param file the path of the file, for errors
 * @throws FileError that names every expression that does not compile
 */
export async function issuersOf(configuration: ApiObject, file: string): Promise<IssuerConfiguration[]> {
  const issuers = (configuration.jwt ?? []) as StatedIssuer[];
  if (!issuers.some(hasExpressions)) return issuers.map((issuer) => ({ ...issuer, algorithms: ALGORITHMS }));
  const { compileExpressions } = await import('./claim-expressions.ts');
  const problems: string[] = [];
  const configured = issuers.flatMap((issuer, index): IssuerConfiguration[] => {
    const expressions = compileExpressions(issuer, `jwt[${index}]`);
    if ('claimRules' in expressions) return [{ ...issuer, algorithms: ALGORITHMS, expressions }];
    problems.push(...expressions);
    return [];
  });
  if (problems.length > 0) throw new FileError(file, problems);
  return configured;
}

function hasExpressions({ claimMappings, claimValidationRules = [], userValidationRules = [] }: StatedIssuer): boolean {
  const { username, groups, uid, extra = [] } = claimMappings;
  return (
    [username, groups, uid, ...claimValidationRules].some((each) => Boolean(each?.expression)) ||
    extra.length + userValidationRules.length > 0
  );
}

/** The flags of OpenID Connect. */
export interface OpenIdFlags {
  readonly 'oidc-issuer-url': string;
  readonly 'oidc-client-id': string;
  readonly 'oidc-ca-file': string;
  readonly 'oidc-username-claim': string;
  readonly 'oidc-username-prefix': string;
  readonly 'oidc-groups-claim': string;
  readonly 'oidc-groups-prefix': string;
  readonly 'oidc-required-claim': Readonly<Record<string, string>>;
  readonly 'oidc-signing-algs': readonly string[];
}

/** Makes the one issuer that the flags describe. @throws Error that names the flag that is wrong or missing */
export function issuerOfFlags(flags: OpenIdFlags): IssuerConfiguration {
  const { 'oidc-issuer-url': url, 'oidc-client-id': audience, 'oidc-username-claim': username, 'oidc-groups-claim': groups } = flags;
  if (url === '' || audience === '') throw new Error('--oidc-issuer-url and --oidc-client-id need each other');
  if (URL.parse(url)?.protocol !== 'https:') throw new Error(`--oidc-issuer-url: ${JSON.stringify(url)} is no https address`);
  const unknown = flags['oidc-signing-algs'].find((algorithm) => !ALGORITHMS.includes(algorithm));
  if (unknown !== undefined) throw new Error(`--oidc-signing-algs: ${JSON.stringify(unknown)} is none of ${ALGORITHMS.join(', ')}`);
  return {
    issuer: {
      url,
      audiences: [audience],
      ...(flags['oidc-ca-file'] !== '' && { certificateAuthority: readFlagFile('oidc-ca-file', flags['oidc-ca-file']) }),
    },
    claimMappings: {
      username: { claim: username, prefix: usernamePrefix(flags) },
      ...(groups !== '' && { groups: { claim: groups, prefix: flags['oidc-groups-prefix'] } }),
    },
    claimValidationRules: Object.entries(flags['oidc-required-claim']).map(([claim, requiredValue]) => ({ claim, requiredValue })),
    algorithms: flags['oidc-signing-algs'],
  };
}

const CONFIGURATION = { group: 'apiserver.config.${groupDomain}', kind: 'AuthenticationConfiguration' };

/**
 * Checks the issuer of the flags by the same rules as one of a configuration file.
 * @param text resolves identity placeholders
 * @throws FileError that tells all that is wrong
 */
export async function checkIssuerOfFlags(
  { issuer, claimMappings, claimValidationRules }: StatedIssuer,
  kinds: FileKinds,
  text: (template: string) => string,
): Promise<void> {
  const { group, kind } = CONFIGURATION;
  const stated = { apiVersion: text(`${group}/v1beta1`), kind, jwt: [{ issuer, claimMappings, claimValidationRules }] };
  await kinds.parse(JSON.stringify(stated), 'the flags of OpenID Connect', CONFIGURATION);
}

/**
 * Determines the prefix of user names. Without the flag it is the issuer's address, so that users of different issuers cannot have the same name; e-mail
 * addresses need none, because they are unique everywhere. The value `-` means that there is no prefix.
 */
function usernamePrefix({ 'oidc-username-prefix': prefix, 'oidc-username-claim': claim, 'oidc-issuer-url': url }: OpenIdFlags): string {
  if (prefix === '-') return '';
  return prefix === '' && claim !== 'email' ? `${url}#` : prefix;
}
