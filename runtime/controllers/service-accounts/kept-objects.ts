/** What pods of every namespace find there: the account that they run as by default, and the authority that they trust the server by. */
import type { NamespaceObject } from '../namespace-objects.ts';

export const DEFAULT_ACCOUNT: NamespaceObject = { resource: 'serviceaccounts', name: 'default', members: {}, repaired: () => undefined };

const AUTHORITY_KEY = 'ca.crt';
const DESCRIPTION = '${labelDomain}/description';

/**
 * @param authority PEM
 * @param text resolves identity placeholders
 */
export function rootCertificates(authority: string, text: (template: string) => string): NamespaceObject {
  const annotations = {
    [text(DESCRIPTION)]: 'The authorities by which clients inside of the cluster trust its API server, and nothing else.',
  };
  const data = { [AUTHORITY_KEY]: authority };
  return {
    resource: 'configmaps',
    name: text('${rootCertificateConfigMap}'),
    members: { metadata: { annotations }, data },
    repaired(object) {
      const { metadata } = object;
      const isDescribed = (metadata.annotations?.[text(DESCRIPTION)] ?? '') !== '';
      const isRight = isDescribed && object.data?.[AUTHORITY_KEY] === authority && Object.keys(object.data).length === 1;
      return isRight ? undefined : { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } }, data };
    },
  };
}
