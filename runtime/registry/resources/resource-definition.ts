/** Resources that come, change and go while the server runs. */
import type { Converter } from '../../contract/converter.ts';
import type { GroupVersionModule, ResourceData } from '../../contract/kind.ts';
import type { OpenapiSource } from '../../contract/openapi-source.ts';

/**
 * One resource in all its versions, with its kinds. It is never changed: another definition of the same group and resource takes its place, and
 * everything that was made of the one before goes with it.
 */
export interface ResourceDefinition {
  readonly group: string;
  /** plural */
  readonly name: string;
  /** names of its kinds: its own and that of its lists */
  readonly kinds: readonly string[];
  /** served ones */
  readonly versions: readonly DefinedVersion[];
  /** all versions in their order, where some are not served: what is asked about each request may be asked for in any of them */
  readonly all?: readonly Pick<DefinedVersion, 'version' | 'resource'>[];
  /** the version that is stored, where none is served: its objects still go with their definition */
  readonly unserved?: Pick<DefinedVersion, 'version' | 'resource'>;
  /** Kinds of a version, whether it is served or not; called when one of them is first used. @throws Error for a version that it does not have */
  readonly load: (version: string) => Promise<GroupVersionModule>;
  /**
   * Stands between its versions, each of which then has objects, constraints, columns and selectable fields of its own; its kinds state no conversion.
   * Absent where they do, or where there is one version.
   */
  readonly converter?: Converter;
  /** the stored object that defines the resource; absent if none does */
  readonly definedBy?: DefiningObject;
  /** an object that stands for the resource in watches: they go on when a definition replaces this one that has the same object; absent if they end */
  readonly watched?: object;
}

/** An object of the store that defines a resource. */
export interface DefiningObject {
  readonly key: string;
  /** another one under the same key defines another resource, which has none of the objects of this one */
  readonly uid: string;
  /** Tells whether its last object has gone and none may be created any more, which holds to its end. @param value of one that is being deleted */
  isEmptied(value: Buffer): boolean | Promise<boolean>;
}

export interface DefinedVersion {
  readonly version: string;
  /** all versions have the same `storage`, whose version is that of the hub */
  readonly resource: ResourceData;
  readonly openapi: OpenapiSource;
}
