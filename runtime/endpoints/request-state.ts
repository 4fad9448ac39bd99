import type { RegistrySnapshot } from '../registry/registry-snapshot.ts';
import type { User } from './api-server.ts';
import type { RequestInfo } from './request-info.ts';

/** What the chain knows of a request, for those that come later in it. */
export interface RequestState {
  requestId: string;
  info: RequestInfo;
  /** what was served when the request began */
  registry: RegistrySnapshot;
  /** who the request acts as, in everything that follows authentication */
  user: User;
  /** who asked, where that is somebody else */
  impersonator?: User;
}
