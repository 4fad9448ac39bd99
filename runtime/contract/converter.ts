import type { ApiObject } from './object.ts';
import type { Waiting } from './request-context.ts';

/**
 * Brings objects of one resource into another of its versions: at once, or by asking somebody, who may take a while. It changes nothing but
 * labels and annotations of the metadata.
 */
export interface Converter {
  /**
   * @param objects of any versions of the resource, at least one; they may be changed
   * @param apiVersion the version that is wanted, such as `example.com/v1`
   * @param waiting whose end ends the conversion; absent where nobody in particular waits for it
   * @returns as many, in the same order
   * @throws StatusError, or a promise that rejects with it, for what the client is told
   */
  convert(objects: readonly ApiObject[], apiVersion: string, waiting?: Waiting): readonly ApiObject[] | Promise<readonly ApiObject[]>;
}
