/**
 * What a definition that is being deleted says of itself when its objects have gone. From then on none is created, in whatever process: it would be there
 * when a later definition has the name.
 */
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
import type { CustomDefinition } from './definition.ts';
import { outlineOf } from './stored-definition.ts';

/** The condition of 1.32. */
export const EMPTIED = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
} as const;

const saysSo = ({ status }: CustomDefinition): boolean =>
  status?.conditions?.some(
    ({ type, status: stated, reason }) => type === EMPTIED.type && stated === EMPTIED.status && reason === EMPTIED.reason,
  ) === true;

/** @param value the stored definition, which must not change until the promise is resolved */
export async function isEmptied(value: Buffer): Promise<boolean> {
  return saysSo(await outlineOf(new StoredObject(value)));
}
