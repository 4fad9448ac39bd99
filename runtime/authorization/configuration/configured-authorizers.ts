/**
 * The authorizers of the file of --authorization-config. The file is read again when it changes, and once a minute. Webhooks may be added,
 * removed and changed; other authorizers may only change their order. If the text is invalid, the old one stays in force.
 */
import type { AuthorizerConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { User } from '../../contract/request-context.ts';
import { FileError } from '../../files/file-error.ts';
import { readFileText } from '../../files/file-text.ts';
import { FileWatch } from '../../files/file-watch.ts';
import type { FollowedFiles } from '../../files/followed-files.ts';
import { type ConfigurationMetrics, configurationMetrics } from '../../observability/configuration-metrics.ts';
import type { Waiting } from '../../outbound/shared-answer.ts';
import type { AuthorizationFlags } from '../authorization-flags.ts';
import type { AccessAttributes, Authorizer, Decision } from '../authorizer.ts';
import { AuthorizerChain } from '../chain.ts';
import { CountedAuthorizer, decisionCounter } from '../counted-authorizer.ts';
import type { UserRules } from '../user-rules.ts';
import type { WebhookAuthorizer } from '../webhook/authorizer.ts';
import { type WebhookParts, webhookOfEntry } from '../webhook/create-webhook.ts';

export interface ConfiguredParts extends WebhookParts {
  readonly flags: AuthorizationFlags;
  readonly followedFiles: FollowedFiles;
}

/** Makes the authorizer of a mode whose settings are flags rather than members of the file. */
type ByMode = (mode: string) => Promise<Authorizer>;

interface Configured {
  readonly chain: AuthorizerChain;
  readonly webhooks: readonly WebhookAuthorizer[];
  /** types of the authorizers that are not webhooks, sorted */
  readonly fixedTypes: readonly string[];
}

const WANTED = { group: 'apiserver.config.${groupDomain}', kind: 'AuthorizationConfiguration' };
/** Milliseconds between two readings of the file. */
const RELOAD_INTERVAL = 60_000;
/** Milliseconds for which a replaced webhook is kept, so that questions under way get their answers. */
const LAST_ANSWERS = 60_000;

export class ConfiguredAuthorizers implements Authorizer {
  readonly #parts: ConfiguredParts;
  readonly #byMode: ByMode;
  readonly #metrics: ConfigurationMetrics;
  readonly #watch: FileWatch;
  #configured: Configured;

  /** @throws FileError with everything that is wrong with the file */
  static async open(parts: ConfiguredParts, byMode: ByMode): Promise<ConfiguredAuthorizers> {
    const file = parts.flags['authorization-config'];
    const text = await readFileText(file);
    return new ConfiguredAuthorizers(parts, byMode, text, await parse(text, parts, byMode));
  }

  private constructor(parts: ConfiguredParts, byMode: ByMode, text: string, configured: Configured) {
    this.#parts = parts;
    this.#byMode = byMode;
    this.#configured = configured;
    this.#metrics = configurationMetrics(parts.metrics, 'authorization');
    const file = parts.flags['authorization-config'];
    this.#watch = new FileWatch({
      file,
      text,
      interval: RELOAD_INTERVAL,
      followedFiles: parts.followedFiles,
      changed: (changed) => this.#reload(changed),
      failed: (error) => {
        this.#metrics.reloaded('failure');
        parts.log.error({ err: error, file }, '--authorization-config: the new text of the file is not used');
      },
    });
  }

  authorize(attributes: AccessAttributes, waiting?: Waiting): Decision | Promise<Decision> {
    return this.#configured.chain.authorize(attributes, waiting);
  }

  rules(user: User, namespace: string): Promise<UserRules> {
    return this.#configured.chain.rules(user, namespace);
  }

  close(): void {
    this.#watch.close();
    for (const webhook of this.#configured.webhooks) webhook.close();
  }

  async #reload(text: string): Promise<void> {
    const before = this.#configured;
    const file = this.#parts.flags['authorization-config'];
    const configured = await parse(text, this.#parts, this.#byMode);
    if (configured.fixedTypes.join() !== before.fixedTypes.join()) {
      for (const webhook of configured.webhooks) webhook.close();
      throw new FileError(file, [
        `only authorizers of type Webhook may be added and removed while the server runs: it has ${shown(before.fixedTypes)}, the new text ${shown(configured.fixedTypes)}`,
      ]);
    }
    this.#configured = configured;
    this.#metrics.reloaded('success');
    setTimeout(() => {
      for (const webhook of before.webhooks) webhook.close();
    }, LAST_ANSWERS).unref();
    this.#parts.log.info({ file }, '--authorization-config: the file has been read again');
  }
}

function shown(types: readonly string[]): string {
  return types.length === 0 ? 'none' : types.join(', ');
}

async function parse(text: string, parts: ConfiguredParts, byMode: ByMode): Promise<Configured> {
  const { flags, log } = parts;
  const file = flags['authorization-config'];
  const { object, warnings } = await (await parts.fileKinds()).parse(text, file, WANTED);
  for (const warning of warnings) log.warn({}, `--authorization-config: ${warning}`);
  const entries = (object as ApiObject).authorizers as AuthorizerConfiguration[];
  if (entries.some(({ type }) => type === 'ABAC') && flags['authorization-policy-file'] === '')
    throw new FileError(file, ["authorization-mode ABAC's authorization policy file not passed: --authorization-policy-file is needed"]);
  const authorizers: Authorizer[] = [];
  const webhooks: WebhookAuthorizer[] = [];
  const decisions = decisionCounter(parts.metrics);
  const add = (authorizer: Authorizer, { type, name }: AuthorizerConfiguration) =>
    authorizers.push(new CountedAuthorizer(authorizer, decisions, type, name));
  try {
    for (const [index, entry] of entries.entries()) {
      if (entry.type !== 'Webhook') {
        add(await byMode(entry.type), entry);
        continue;
      }
      const webhook = await webhookOfEntry(parts, entry, `authorizers[${index}]`, file);
      webhooks.push(webhook);
      add(webhook, entry);
    }
  } catch (error) {
    for (const webhook of webhooks) webhook.close();
    throw error;
  }
  const fixedTypes = entries.map(({ type }): string => type).filter((type) => type !== 'Webhook');
  return { chain: new AuthorizerChain(authorizers), webhooks, fixedTypes: fixedTypes.sort() };
}
