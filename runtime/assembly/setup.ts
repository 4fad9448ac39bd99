import type { flagsData } from '../../generated/flags.ts';
import type { Identity } from '../contract/identity.ts';
import type { EgressSelector } from '../egress/egress-selector.ts';
import type { OtherFigures } from '../endpoints/handlers/metrics.ts';
import type { FollowedFiles } from '../files/followed-files.ts';
import type { LogLevels } from '../observability/log-levels.ts';
import type { Resource } from '../registry/resource.ts';
import type { ParsedFlags } from '../server/flags.ts';
import type { Log } from '../server/log.ts';

/** @param prefix of keys, without a slash at its end. @returns the resource of a definition, or of a structural schema, whose objects have these keys */
export type FindStoredResource = (prefix: string) => Resource | undefined;

/** What a start of a server gets. */
export interface Setup {
  readonly parsed: ParsedFlags<typeof flagsData>;
  readonly identity: Identity;
  readonly log: Log;
  /** files that are read again while the server runs */
  readonly followedFiles: FollowedFiles;
  /** a bearer token of the administrator; absent: only flags name tokens */
  readonly administratorToken?: string;
  /** custom resource definitions that are served and not stored, besides those of files; default none */
  readonly definitions?: readonly object[];
  /** reads the metrics of other processes that serve from the same store; absent: there are none */
  readonly otherFigures?: OtherFigures;
  /** Changes how much all processes of the server log; absent levels stay as they are. Absent: nothing can change that. */
  readonly setLogLevels?: (levels: Partial<LogLevels>) => void;
  /** Called with what the start does next, for people. */
  readonly startProgress?: (doing: string) => void;
  /** Gives freed memory back to the system, after much was freed. Absent: the process is another program's, which looks after its memory. */
  readonly giveBackMemory?: () => void;
  /** Ends this process at once, as a crash would. Absent: the process is another program's, which goes on. */
  readonly fail?: () => void;
  /** whether the store begins with what `prepareSystem` has made with the same flags; default false */
  readonly prepared?: boolean;
  /** Called with what finds the resource of a key, once that is known. Absent: the store does not ask. */
  readonly resourcesKnown?: (find: FindStoredResource) => void;
  /** the proxies to other servers, where the store has made them already; absent: they are made of flags */
  readonly egress?: EgressSelector;
  /** identifies this start of the server; the same in all its processes, of which one at a time leads. Absent: this is the only process */
  readonly startId?: string;
  /** whether no other server can see the store, so that this one renews its identity lease rarely; default false */
  readonly alone?: boolean;
}
