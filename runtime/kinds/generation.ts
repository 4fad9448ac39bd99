import type { ApiObject } from '../contract/object.ts';

/** Whether an object is new, or asks for something else than before: what is doubtful in it is said then. */
export const hasNewGeneration = ({ metadata }: ApiObject, old: ApiObject | undefined): boolean =>
  metadata.generation !== old?.metadata.generation || old === undefined;
