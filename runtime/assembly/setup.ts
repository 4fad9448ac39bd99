import type { flagsData } from '../../generated/flags.ts';
import type { Identity } from '../contract/identity.ts';
import type { EgressSelector } from '../egress/egress-selector.ts';
import type { OtherFigures } from '../endpoints/handlers/metrics.ts';
import type { FollowedFiles } from '../files/followed-files.ts';
import type { LogLevels } from '../observability/log-levels.ts';
import type { Resource } from '../registry/resource.ts';
import type { ParsedFlags } from '../server/flags.ts';
import type { Log } from '../server/log.ts';

/** @param prefix of keys, without a slash at its end. @returns what definitions, or structural schemas, have there */
export type FindStoredResource = (prefix: string) => Resource | undefined;

/** What a start is told. */
export interface Setup {
  readonly parsed: ParsedFlags<typeof flagsData>;
  readonly identity: Identity;
  readonly log: Log;
  /** what is read again while it runs */
  readonly followedFiles: FollowedFiles;
  /** a bearer token of the administrator; absent: there is none besides those that flags name */
  readonly administratorToken?: string;
  /** custom resource definitions besides those of files, that are served and not stored; default none */
  readonly definitions?: readonly object[];
  /** figures of other processes that serve from the same store; absent: there are none */
  readonly otherFigures?: OtherFigures;
  /** has all processes of the server log so much; what is absent stays as it is. Absent: that cannot be changed */
  readonly setLogLevels?: (levels: Partial<LogLevels>) => void;
  /** hears what the start does, whenever that changes; absent: nobody asks */
  readonly startProgress?: (doing: string) => void;
  /** has memory that was freed go back to the system, after much was; absent: the process is another program's, which looks after that */
  readonly giveBackMemory?: () => void;
  /** ends this process at once, as a crash would. Absent: it is another program's, which goes on */
  readonly fail?: () => void;
  /** the store begins with what `prepareSystem` has made with the same flags; default false */
  readonly prepared?: boolean;
  /** hears how what is stored under a prefix of keys is found, once that is known; absent: the store does not ask */
  readonly resourcesKnown?: (find: FindStoredResource) => void;
  /** the ways to other servers, where the store has made them already; absent: they are made of the flags */
  readonly egress?: EgressSelector;
  /** of this start of the server, the same in all of its processes, of which one at a time leads; absent: this is the only one */
  readonly startId?: string;
  /** nobody else can see the store: that this server lives need not be said often; default false */
  readonly alone?: boolean;
}
