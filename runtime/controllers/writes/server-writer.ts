/** What a kube-apiserver writes, and no controller manager: as the user, and as the owner of fields, that the server itself is in 1.32. */
import type { User } from '../../contract/request-context.ts';
import { SERVER_MANAGER } from '../../registry/resource-store/field-managers.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { ControllerWriter } from './controller-writer.ts';

const USER: User = { name: 'system:apiserver', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} };

export const serverWriter = (server: ControllerServer): ControllerWriter => new ControllerWriter(server, SERVER_MANAGER, USER);
