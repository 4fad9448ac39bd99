import type { GroupVersionModule } from './kind.ts';

/** A group version whose kinds exist only in files, such as configurations, and are not served. */
export interface FileGroupVersionData {
  readonly group: string;
  readonly version: string;
  /** determines the order of the versions of a group: higher numbers come first */
  readonly versionPriority: number;
  readonly kinds: readonly FileKindData[];
  readonly load: () => Promise<GroupVersionModule>;
}

export interface FileKindData {
  /** the name in the schema */
  readonly name: string;
  /** the kind as files name it, with placeholders; absent if that is `name` */
  readonly kind?: string;
  /** the group of the newest version; absent if that is the same group */
  readonly hubGroup?: string;
  /** whether a file that names neither a kind nor a version has this kind; default false */
  readonly unnamed?: boolean;
  /** how members that the kind does not have are dropped: with a warning or silently; absent if a file with such members is refused */
  readonly unknownFields?: 'warn' | 'drop';
}
