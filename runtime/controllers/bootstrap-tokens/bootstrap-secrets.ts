/** Finds the secrets with tokens of new nodes for the controllers. */
import { BOOTSTRAP_SECRET_TYPE, endOf } from '../../authentication/bootstrap-tokens.ts';
import type { ApiObject } from '../../contract/object.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { type Change, prefixEnd } from '../../storage/storage.ts';
import type { ControllerServer } from '../controller/controller-server.ts';

export class BootstrapSecrets {
  readonly #server: ControllerServer;
  readonly #prefix: string;
  readonly #type: string;

  constructor(server: ControllerServer) {
    this.#server = server;
    this.#prefix = server.identity.text('secrets/${systemNamespace}/');
    this.#type = server.identity.text(BOOTSTRAP_SECRET_TYPE);
  }

  /** Whether a change may be of one: cheap, and true of all of them, whatever their names. */
  mayBe({ key, value }: Pick<Change, 'key' | 'value'>): boolean {
    return key.startsWith(this.#prefix) && value.includes(this.#type);
  }

  /** @returns those that are there now and are not going */
  all(): ApiObject[] {
    const start = this.#prefix;
    const found: ApiObject[] = [];
    for (const { value } of this.#server.storage.range({ start, end: prefixEnd(start) })) {
      if (!value.includes(this.#type)) continue;
      const secret = new StoredObject(value).parse();
      if (secret.type === this.#type && secret.metadata.deletionTimestamp === undefined) found.push(secret);
    }
    return found;
  }
}

/** Milliseconds until a token ends, a day at most, for timers cannot be set much further; undefined where it has no end. @param now milliseconds since 1970 */
export function untilExpiration(secret: ApiObject, now: number): number | undefined {
  const end = endOf(secret);
  return end === Number.POSITIVE_INFINITY ? undefined : Math.max(0, Math.min(end - now, DAY));
}

const DAY = 24 * 60 * 60 * 1_000;
