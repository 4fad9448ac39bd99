/**
 * The file of --authentication-config: the trusted issuers of tokens, and the paths of anonymous requests. It is read again when it changes, and once a
 * minute. If a new text is invalid, the old one stays in force; if it has an issuer that cannot be reached, the old one stays until that can be.
 * Requests under way end with the text that they began with. Who may be anonymous is what the first text says, as in 1.32: flags that exclude it are only looked
 * at when a server starts.
 */
import type { ApiObject } from '../../contract/object.ts';
import type { User } from '../../contract/request-context.ts';
import type { FileKinds } from '../../files/file-kinds.ts';
import { readFileText } from '../../files/file-text.ts';
import { FileWatch } from '../../files/file-watch.ts';
import type { FollowedFiles } from '../../files/followed-files.ts';
import { type ConfigurationMetrics, configurationMetrics } from '../../observability/configuration-metrics.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { issuersOf } from '../issuers/issuer-configuration.ts';
import { IssuerTokens } from '../issuers/issuer-tokens.ts';
import { Issuers } from '../issuers/issuers.ts';
import type { Outcome } from '../outcome.ts';

export interface ConfigurationFileOptions {
  readonly file: string;
  readonly kinds: FileKinds;
  /** issuers of this server's own tokens, which the file must not name */
  readonly ownIssuers: readonly string[];
  /** see `IssuerTokens` */
  readonly credentialKey: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly followedFiles: FollowedFiles;
  /** milliseconds after which unreachable issuers are tried again; absent: as in 1.32 */
  readonly pause?: number;
}

export interface AnonymousAccess {
  readonly enabled: boolean;
  /** absent: all */
  readonly paths?: ReadonlySet<string>;
}

interface Configured {
  readonly anonymous: AnonymousAccess | undefined;
  readonly issuers: Issuers;
}

const WANTED = { group: 'apiserver.config.${groupDomain}', kind: 'AuthenticationConfiguration' };
/** Milliseconds. */
const RELOAD_INTERVAL = 60_000;
const PAUSE = 10_000;

export class ConfigurationFile {
  /** undefined if the file did not say it: then the flag counts */
  readonly anonymous: AnonymousAccess | undefined;
  readonly #options: ConfigurationFileOptions;
  readonly #metrics: ConfigurationMetrics;
  readonly #watch: FileWatch;
  #configured: Configured;
  /** the new text, while an issuer in it cannot be reached */
  #awaited: Configured | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** @throws Error that names the file and everything that is wrong with it */
  static async open(options: ConfigurationFileOptions): Promise<ConfigurationFile> {
    const text = await readFileText(options.file);
    return new ConfigurationFile(options, text, await parse(text, options));
  }

  private constructor(options: ConfigurationFileOptions, text: string, configured: Configured) {
    const { file, log, metrics, followedFiles } = options;
    this.#metrics = configurationMetrics(metrics, 'authentication');
    this.#options = options;
    this.anonymous = configured.anonymous;
    this.#configured = configured;
    this.#watch = new FileWatch({
      file,
      text,
      interval: RELOAD_INTERVAL,
      followedFiles,
      changed: (changed) => this.#reload(changed),
      failed: (error) => {
        this.#metrics.reloaded('failure');
        log.error({ err: error }, '--authentication-config: the new text of the file is not used');
      },
    });
  }

  /** @returns undefined if the token is of another issuer */
  find(token: string): Promise<Outcome<User>> {
    return this.#configured.issuers.find(token);
  }

  close(): void {
    this.#watch.close();
    this.#drop();
    this.#configured.issuers.close();
  }

  async #reload(text: string): Promise<void> {
    this.#drop();
    const next = await parse(text, this.#options);
    this.#awaited = next;
    await this.#take(next);
  }

  /** @throws Error if an issuer cannot be reached. It is tried again, unless the file has changed by then. */
  async #take(next: Configured): Promise<void> {
    try {
      await next.issuers.ready();
    } catch (error) {
      if (this.#awaited !== next) return;
      this.#retry = setTimeout(() => void this.#take(next).catch(() => {}), this.#options.pause ?? PAUSE).unref();
      throw new Error('an issuer cannot be reached; it is tried again', { cause: error });
    }
    if (this.#awaited !== next) return;
    this.#awaited = undefined;
    const before = this.#configured.issuers;
    this.#configured = next;
    before.retire();
    this.#metrics.reloaded('success');
    this.#options.log.info({ file: this.#options.file }, '--authentication-config: the file has been read again');
  }

  /** Drops a text that is not in force yet. */
  #drop(): void {
    clearTimeout(this.#retry);
    this.#awaited?.issuers.close();
    this.#awaited = undefined;
  }
}

async function parse(
  text: string,
  { file, kinds, ownIssuers, credentialKey, log, metrics }: ConfigurationFileOptions,
): Promise<Configured> {
  const { object, warnings } = await kinds.parse(text, file, WANTED);
  for (const warning of warnings) log.warn({}, `--authentication-config: ${warning}`);
  const issuers = await issuersOf(object, file);
  const own = issuers.findIndex(({ issuer }) => ownIssuers.includes(issuer.url));
  if (own >= 0) throw new Error(`${file}: jwt[${own}].issuer.url: the tokens of this issuer are this server's own`);
  return {
    anonymous: anonymousAccess(object),
    issuers: new Issuers(issuers.map((issuer) => new IssuerTokens(issuer, metrics, credentialKey))),
  };
}

function anonymousAccess({ anonymous }: ApiObject): AnonymousAccess | undefined {
  if (anonymous === undefined) return undefined;
  const conditions = (anonymous.conditions ?? []) as { path: string }[];
  return { enabled: anonymous.enabled === true, ...(conditions.length > 0 && { paths: new Set(conditions.map(({ path }) => path)) }) };
}
