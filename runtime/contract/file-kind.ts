import type { GroupVersionModule } from './kind.ts';

/** A group version whose kinds only files have, such as configurations: nothing of it is served. */
export interface FileGroupVersionData {
  readonly group: string;
  readonly version: string;
  /** order of versions in a group: higher first */
  readonly versionPriority: number;
  readonly kinds: readonly FileKindData[];
  readonly load: () => Promise<GroupVersionModule>;
}

export interface FileKindData {
  /** the name in the schema */
  readonly name: string;
  /** the kind as files name it, with placeholders; absent: `name` */
  readonly kind?: string;
  /** group of the newest version, where that has another group */
  readonly hubGroup?: string;
  /** true: a file that names neither kind nor version is of this kind */
  readonly unnamed?: boolean;
  /** what happens to members that the kind does not have: they are dropped, with a warning or without; absent: the file is refused */
  readonly unknownFields?: 'warn' | 'drop';
}
