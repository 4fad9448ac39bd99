import type { ApiObject } from './object.ts';
import type { Waiting } from './request-context.ts';

/**
 * Converts objects of one resource to another of its versions, at once or by asking another program, which may take a while. Of the metadata, it may change
 * only labels and annotations.
 */
export interface Converter {
  /**
   * @param objects of any versions of the resource, at least one; they may be changed
   * @param apiVersion the version that is wanted, such as `example.com/v1`
   * @param waiting who waits for the conversion, and may give it up; absent if nobody does
   * @returns as many objects, in the same order; the promise rejects as this function throws
   * @throws StatusError with which the client is answered
   */
  convert(objects: readonly ApiObject[], apiVersion: string, waiting?: Waiting): readonly ApiObject[] | Promise<readonly ApiObject[]>;
}
