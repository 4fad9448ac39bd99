/** What a device plugin must say to be registered. */
import type { RegisterRequest } from '../../../generated/node-interfaces/device-plugins.ts';
import { isExtendedResource } from '../../formats/resource-names.ts';
import { InterfaceError } from '../grpc/interface-error.ts';

/** The versions of the interface, each with the cluster releases that it works with (specification: Device plugin API compatibility). */
const COMPATIBILITY: ReadonlyMap<string, string> = new Map([
  ['v1beta1', 'works with cluster versions 1.21 to 1.26 and is what this agent speaks'],
  ['v1alpha1', 'is not compatible with any of these'],
]);
const VERSION = 'v1beta1';

/** Most bytes of the path of a Unix socket. Plugins name its last part. */
const MAX_ENDPOINT = 107;

/** @param labelDomain names below it are the cluster's own. @throws InterfaceError that says what is wrong */
export function checkRegistration({ version, endpoint, resourceName }: RegisterRequest, labelDomain: string): void {
  if (version !== VERSION) {
    const table = [...COMPATIBILITY].map(([name, words]) => `${name} ${words}`).join('; ');
    throw refused(`requested API version "${version}" is not supported by the node agent. Supported version is "${VERSION}": ${table}`);
  }
  if (!isExtendedResource(resourceName, labelDomain))
    throw refused(
      `the ResourceName "${resourceName}" is invalid: it must be a name of the form vendor-domain/resource, outside of ${labelDomain}`,
    );
  const isName =
    endpoint !== '' && !/[/\0]/.test(endpoint) && endpoint !== '.' && endpoint !== '..' && Buffer.byteLength(endpoint) <= MAX_ENDPOINT;
  if (!isName)
    throw refused(`the Endpoint ${JSON.stringify(endpoint)} is invalid: it must be the name of a socket in the folder of this one`);
}

function refused(details: string): InterfaceError {
  return new InterfaceError('INVALID_ARGUMENT', details);
}
