/** The flags of authentication, and which of them may be combined. */
import type { Identity } from '../../contract/identity.ts';
import type { DelegatingServerFlags } from '../../outbound/delegating-server.ts';
import type { OpenIdFlags } from '../issuers/issuer-configuration.ts';
import { type ProxyHeaderNames, USUAL_HEADERS } from '../proxy-headers.ts';

export interface AuthenticationFlags extends OpenIdFlags, DelegatingServerFlags, ProxyFlags, AccountTokenFlags {
  readonly 'token-auth-file': string;
  readonly 'anonymous-auth': boolean;
  readonly 'delegated-authentication': boolean;
  readonly 'authorization-mode': readonly string[];
  readonly 'authentication-config': string;
  readonly 'authentication-token-webhook-config-file': string;
  readonly 'authentication-token-webhook-version': string;
  /** milliseconds */
  readonly 'authentication-token-webhook-cache-ttl': number;
  readonly 'enable-bootstrap-token-auth': boolean;
}

/** Flags of authenticating proxies. */
export interface ProxyFlags {
  readonly 'requestheader-allowed-names': readonly string[];
  readonly 'requestheader-username-headers': readonly string[];
  readonly 'requestheader-uid-headers': readonly string[];
  readonly 'requestheader-group-headers': readonly string[];
  readonly 'requestheader-extra-headers-prefix': readonly string[];
}

/** Flags of service account tokens. */
export interface AccountTokenFlags {
  readonly 'service-account-key-file': readonly string[];
  readonly 'service-account-signing-key-file': string;
  readonly 'service-account-signing-endpoint': string;
  readonly 'service-account-issuer': readonly string[];
  readonly 'service-account-lookup': boolean;
  readonly 'service-account-jwks-uri': string;
  /** milliseconds */
  readonly 'service-account-max-token-expiration': number;
}

/**
 * @param given names of flags that stood on the command line
 * @throws Error that names the flag that is wrong or missing
 */
export function checkAuthenticationFlags(flags: AuthenticationFlags, given: ReadonlySet<string>): void {
  checkIssuers(flags['service-account-issuer']);
  checkKeysAddress(flags['service-account-jwks-uri']);
  checkLongestLife(flags['service-account-max-token-expiration']);
  checkSigner(flags);
  const openId = givenOpenIdFlag(given);
  if (openId === undefined || flags['authentication-config'] !== '') return;
  if (flags['oidc-issuer-url'] === '' || flags['oidc-client-id'] === '')
    throw new Error(`--${openId}: --oidc-issuer-url and --oidc-client-id need each other, and all other flags of OpenID Connect need both`);
}

const OPEN_ID_FLAGS = /^oidc-/;

/** @param given names of flags that stood on the command line */
export function givenOpenIdFlag(given: ReadonlySet<string>): string | undefined {
  return [...given].find((name) => OPEN_ID_FLAGS.test(name));
}

/** @throws Error for a name that looks like an address but is invalid, and for one that occurs twice */
function checkIssuers(issuers: readonly string[]): void {
  issuers.forEach((issuer, index) => {
    if (issuer === '') throw new Error('--service-account-issuer: a name is empty');
    if (issuer.includes(':') && URL.parse(issuer) === null)
      throw new Error(`--service-account-issuer: ${JSON.stringify(issuer)} is no valid address`);
    if (issuers.indexOf(issuer) < index) throw new Error(`--service-account-issuer: ${JSON.stringify(issuer)} is repeated`);
  });
}

function checkKeysAddress(address: string): void {
  if (address !== '' && URL.parse(address)?.protocol !== 'https:')
    throw new Error(`--service-account-jwks-uri: ${JSON.stringify(address)} is no https address`);
}

/** Milliseconds. */
const SHORTEST = 3_600_000;
const LONGEST = 2 ** 32 * 1_000;

function checkLongestLife(milliseconds: number): void {
  if (milliseconds !== 0 && (milliseconds < SHORTEST || milliseconds > LONGEST))
    throw new Error('--service-account-max-token-expiration: 0, or between 1 hour and 2^32 seconds is expected');
}

/** Texts that 1.32 takes for a path, or for the name of an abstract socket. */
const SOCKET = /^(?:(?:\/[^/ ]*)+|@(?:[\w-]+\.)*[\w-]+)$/;

function checkSigner(flags: AccountTokenFlags): void {
  const endpoint = flags['service-account-signing-endpoint'];
  if (endpoint === '') return;
  if (flags['service-account-signing-key-file'] !== '' || flags['service-account-key-file'].length > 0)
    throw new Error('--service-account-signing-endpoint excludes --service-account-signing-key-file and --service-account-key-file');
  if (!SOCKET.test(endpoint))
    throw new Error(`--service-account-signing-endpoint: ${JSON.stringify(endpoint)} is neither an absolute path nor @NAME of a socket`);
}

/**
 * The headers of authenticating proxies. If a flag names none, the usual ones count if the dialect says so, and in an aggregated server, as in 1.32.
 * There is no usual header for the uid.
 */
export function proxyHeaderNames(
  flags: ProxyFlags & Pick<AuthenticationFlags, 'delegated-authentication'>,
  { usualProxyHeaders }: Pick<Identity, 'usualProxyHeaders'>,
): ProxyHeaderNames {
  const hasUsual = usualProxyHeaders || flags['delegated-authentication'];
  const named = (given: readonly string[], usual: readonly string[]): readonly string[] => (given.length === 0 && hasUsual ? usual : given);
  return {
    username: named(flags['requestheader-username-headers'], USUAL_HEADERS.username),
    uid: flags['requestheader-uid-headers'],
    group: named(flags['requestheader-group-headers'], USUAL_HEADERS.group),
    extraPrefix: named(flags['requestheader-extra-headers-prefix'], USUAL_HEADERS.extraPrefix),
  };
}
