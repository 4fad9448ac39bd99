/** What a kube-apiserver writes, and no controller manager: as the user, and as the owner of fields, that the server itself is in 1.32. */
import type { User } from '../../contract/request-context.ts';
import { SERVER_MANAGER } from '../../registry/resource-store/field-managers.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { ControllerWriter } from './controller-writer.ts';

const USER: User = { name: 'system:apiserver', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} };

/** @param manager owner of the fields that it changes */
export const serverWriter = (server: ControllerServer, manager = SERVER_MANAGER): ControllerWriter =>
  new ControllerWriter(server, manager, USER);
