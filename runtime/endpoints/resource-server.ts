/** What handlers of resources use of the server that they answer for, by what they do. */
import type { Admission } from '../admission/request/attributes.ts';
import type { TokenIssuer } from '../authentication/service-accounts/token-issuer.ts';
import type { AuthenticateToken } from '../authentication/token-answer.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Grants } from '../authorization/grants.ts';
import type { RuleContext } from '../contract/kind-rules.ts';
import type { RequestContext } from '../contract/request-context.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { DerivedForms } from '../registry/lists/derived-forms.ts';
import type { FieldManagers } from '../registry/resource-store/field-managers.ts';
import type { ObjectLookup } from '../registry/stored-objects/object-lookup.ts';
import type { WatchHub } from '../registry/watch/watch-hub.ts';
import type { RelayServer } from '../relay/relay-server.ts';
import type { Storage } from '../storage/storage.ts';
import type { AnswerServer } from './answers/respond.ts';
import type { SharedRuns } from './answers/shared-items.ts';
import type { ByteBudget } from './bodies/byte-budget.ts';
import type { LongRequests } from './long-body.ts';
import type { MeasuredRequests } from './request/measured-requests.ts';

export interface WriteServer {
  readonly admission: Admission;
  readonly authorizer: Authorizer;
  readonly grants: Grants;
  readonly objects: ObjectLookup;
  /** who owns which fields of the objects of each resource */
  readonly fieldManagers: FieldManagers;
  /** What rules may ask. @param request absent where no client asks */
  ruleContext(dryRun: boolean, request?: RequestContext): RuleContext;
}

export interface ListServer {
  readonly derivedForms: DerivedForms;
  readonly listBudget: ByteBudget;
  /** the budget of lists that go through a file */
  readonly spoolBudget: ByteBudget;
  /** the folder on a disk for answers that are too large for the memory until they can be sent; only the owner of the process may read them */
  readonly spoolDirectory: string;
  /** items that lists under way have made, which other lists use, too */
  readonly sharedRuns: SharedRuns;
}

export interface WatchServer {
  readonly watchHub: WatchHub;
  /** seconds; a watch that asks for no time ends at a random one between this and twice it, so that clients spread; 0: it does not end */
  readonly minWatchSeconds: number;
}

export interface TokenServer {
  /** whose token it is, for those who ask */
  readonly authenticateToken: AuthenticateToken;
  /** names of this API, one of which a token must be for */
  readonly apiAudiences: readonly string[];
  readonly serviceAccounts: TokenIssuer;
}

export interface BodyServer {
  /** the budget of bodies that are being received */
  readonly bodyBudget: ByteBudget;
  /** answers requests that are much work on another thread; absent if this thread answers all */
  readonly longRequests?: LongRequests | undefined;
}

export interface ResourceServer extends AnswerServer, WriteServer, ListServer, WatchServer, TokenServer, RelayServer, BodyServer {
  readonly storage: Storage;
  readonly measured: MeasuredRequests;
  readonly metrics: Pick<Metrics, 'counter'>;
  readonly log: Log;
  readonly featureEnabled: (gate: string) => boolean;
}
