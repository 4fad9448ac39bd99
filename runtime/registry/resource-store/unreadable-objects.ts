/** Removes objects of one resource that cannot be read, whatever holds them. Watches end there: nobody can tell whether they had the object. */
import type { RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { OWN_WORK } from '../../contract/request-context.ts';
import { KeyNotFound, ValueDamaged } from '../../storage/errors.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ObjectEncoding } from './object-encoding.ts';
import type { ObjectWrites } from './object-writes.ts';
import type { ResourceReader } from './resource-reader.ts';
import { apiErrorOf, isOvertaken } from './storage-errors.ts';

export class UnreadableObjects {
  readonly #reader: ResourceReader;
  readonly #storage: Storage;
  readonly #encoding: ObjectEncoding;
  readonly #writes: ObjectWrites;

  constructor(reader: ResourceReader, storage: Storage, encoding: ObjectEncoding, writes: ObjectWrites) {
    this.#reader = reader;
    this.#storage = storage;
    this.#encoding = encoding;
    this.#writes = writes;
  }

  /** Removes one that was not written after a revision. One that is not there, or not any longer, is as good. */
  async expire(namespace: string, name: string, revision: number): Promise<void> {
    const current = this.#revisionOf(namespace, name);
    if (current === undefined || current > revision) return;
    await this.#erase(namespace, name, current).catch((error) => {
      if (!isOvertaken(error)) throw error;
    });
  }

  /**
   * @param admit asked with its kind and its name, for more is not known
   * @returns false: it can be read, or is not there. @throws StatusError Conflict
   */
  async delete(namespace: string, name: string, { request }: RuleContext, admit: (old: ApiObject) => Promise<void>): Promise<boolean> {
    const revision = this.#revisionOf(namespace, name);
    if (revision === undefined || (await this.#isReadable(namespace, name))) return false;
    await admit(this.#known(namespace, name));
    request.throwIfOver();
    try {
      await this.#erase(namespace, name, revision);
    } catch (error) {
      // It has gone, which is as good.
      if (!(error instanceof KeyNotFound)) throw apiErrorOf(error, this.#reader.resource.groupResource, name);
    }
    return true;
  }

  #revisionOf(namespace: string, name: string): number | undefined {
    return this.#storage.revisionOf(this.#reader.key(namespace, name));
  }

  async #isReadable(namespace: string, name: string): Promise<boolean> {
    try {
      const entry = await this.#reader.current(namespace, name);
      if (entry !== undefined) this.#reader.decodeEntry(entry);
      return true;
    } catch (error) {
      if (error instanceof ValueDamaged) return false;
      throw error;
    }
  }

  /** @throws Conflict, KeyNotFound and other errors of the store */
  async #erase(namespace: string, name: string, revision: number): Promise<void> {
    await this.#writes.erase(
      { key: this.#reader.key(namespace, name), revision },
      this.#encoding.of(this.#known(namespace, name)),
      OWN_WORK,
    );
  }

  #known(namespace: string, name: string): ApiObject {
    const { apiVersion, kind } = this.#reader.hub;
    return { apiVersion, kind, metadata: { name, ...(namespace !== '' && { namespace }) } };
  }
}
