import type { flagsData } from '../../../generated/flags.ts';
import type { Identity } from '../../contract/identity.ts';
import type { EgressSelector } from '../../egress/egress-selector.ts';
import type { OtherFigures } from '../../endpoints/handlers/pages/metrics.ts';
import type { FollowedFiles } from '../../files/followed-files.ts';
import type { LogLevels } from '../../observability/log-levels.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import type { ParsedFlags } from '../../server/flags/flags.ts';
import type { Log } from '../../server/log/log.ts';

/** @param prefix of keys, without a slash at its end. @returns the custom resource whose objects have these keys, or undefined */
export type FindStoredResource = (prefix: string) => Resource | undefined;

/** What a start of a server needs from the program around it. */
export interface Setup {
  readonly parsed: ParsedFlags<typeof flagsData>;
  readonly identity: Identity;
  readonly log: Log;
  /** files that are read again while the server runs */
  readonly followedFiles: FollowedFiles;
  /** a bearer token of the administrator; absent: only flags define tokens */
  readonly administratorToken?: string;
  /** custom resource definitions that are served and not stored, besides those of files; default none */
  readonly definitions?: readonly object[];
  /** reads the metrics of other processes that serve from the same store; absent: there are none */
  readonly otherFigures?: OtherFigures;
  /** Changes the log levels of all processes of the server; absent levels stay. Absent: nothing can change them. */
  readonly setLogLevels?: (levels: Partial<LogLevels>) => void;
  /** Is called with a text for people that says what the start does next. */
  readonly startProgress?: (doing: string) => void;
  /** Returns freed memory to the system after much was freed. Absent: the program around the server does that. */
  readonly giveBackMemory?: () => void;
  /** is called after this process has renewed the server's own certificates */
  readonly certificatesRenewed?: () => void;
  /** Ends this process at once, like a crash. Absent: the program around the server goes on. */
  readonly fail?: () => void;
  /** whether the store already contains what `prepareSystem` has made with the same flags; default false */
  readonly prepared?: boolean;
  /** Is called with the function that finds the resource of a key, once definitions are known. Absent: the store does not need it. */
  readonly resourcesKnown?: (find: FindStoredResource) => void;
  /** the ways through proxies to other servers, if the store has opened them already; absent: flags decide */
  readonly egress?: EgressSelector;
  /** identifies this start of the server; all its processes, one of which leads, have the same. Absent: this is the only process */
  readonly startId?: string;
  /** whether no other server can see the store, so that this one renews its identity lease only rarely; default false */
  readonly alone?: boolean;
}
