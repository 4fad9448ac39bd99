/** Labels secrets with the day on which their token was used last, so that unused ones can be found and removed (specification: service account tokens). */
import type { ApiObject } from '../../contract/object.ts';
import type { Log } from '../../observability/log.ts';

/** The value is the day in UTC, such as 2026-11-22. */
const LAST_USED = '${labelDomain}/legacy-token-last-used';

const DAY = 24 * 60 * 60 * 1_000;

/** Sets a label of a secret. */
export type LabelSecret = (namespace: string, name: string, label: string, value: string) => Promise<void>;

export class LastUse {
  readonly #label: string;
  readonly #labelSecret: LabelSecret;
  readonly #log: Log;
  /** writes under way, by the secret's namespace and name; all requests for a secret share one */
  readonly #noting = new Map<string, Promise<void>>();

  /** @param text resolves identity placeholders */
  constructor(text: (template: string) => string, labelSecret: LabelSecret, log: Log) {
    this.#label = text(LAST_USED);
    this.#labelSecret = labelSecret;
    this.#log = log;
  }

  /**
   * Labels the secret once a day. The label may already have the next day, from a server whose clock is ahead.
   * @param secret as it is stored. @param now milliseconds since 1970
   * @returns undefined if the day is there already; else a promise, which never rejects, because a failure must not refuse the token
   */
  note({ metadata }: ApiObject, now: number): Promise<void> | undefined {
    const noted = metadata.labels?.[this.#label];
    const today = day(now);
    if (noted === today || noted === day(now + DAY)) return undefined;
    const { namespace = '', name = '' } = metadata;
    const key = `${namespace}/${name}`;
    let noting = this.#noting.get(key);
    if (noting === undefined) {
      noting = this.#labelSecret(namespace, name, this.#label, today)
        .catch((error) => this.#log.error({ err: error, namespace, name }, 'the use of a token could not be noted in its secret'))
        .finally(() => this.#noting.delete(key));
      this.#noting.set(key, noting);
    }
    return noting;
  }
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
