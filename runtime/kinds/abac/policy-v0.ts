/** The first form of policies, in which what is left out matches everything. There is no way back to it. */
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';

const EVERYTHING = '*';
const AUTHENTICATED = 'system:authenticated';

export const conversion: ConversionFunctions = { toHub, fromHub: (object) => object };

function toHub({ user, group, readonly, resource, namespace, ...rest }: ApiObject): ApiObject {
  const everybody = (!user && !group) || user === EVERYTHING || group === EVERYTHING;
  const spec = {
    ...(everybody ? { group: AUTHENTICATED } : { user, group }),
    readonly,
    apiGroup: EVERYTHING,
    resource: resource || EVERYTHING,
    namespace: namespace || EVERYTHING,
    ...(!resource && !namespace && { nonResourcePath: EVERYTHING }),
  };
  return { ...rest, spec };
}
