/** The namespace of an object that is written, which is that of its path. */
import type { ApiObject } from '../contract/object.ts';
import { flatText } from '../schema/text/flat-text.ts';
import { newBadRequest } from '../status/status.ts';
import type { ResourceRequest } from './resource-request.ts';

/** Sets the namespace of the path on an object. @throws StatusError BadRequest if the object has another one */
export function requireNamespace(request: ResourceRequest, object: ApiObject): void {
  const { info, resource } = request;
  if (resource.data.scope === 'Cluster') {
    delete object.metadata.namespace;
    return;
  }
  const sent = object.metadata.namespace ?? '';
  if (sent !== '' && sent !== info.namespace)
    throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (sent === '') object.metadata.namespace = flatText(info.namespace);
}
