/** Environments of expressions about admission, by what is declared besides the objects, the request and the namespace. */
import { Environment } from '../../../expressions/environment/environment.ts';
import { AUTHORIZER, RESOURCE_CHECK } from '../../../expressions/libraries/authorizer/authorizer-values.ts';
import { kubernetesLibraries, NEW_EXPRESSIONS } from '../../../expressions/libraries/kubernetes.ts';
import { DYN, type StructType } from '../../../expressions/types/type.ts';
import { NAMESPACE, REQUEST } from './admission-types.ts';

export interface Declared {
  /** `params` */
  readonly params: boolean;
  /** `authorizer` */
  readonly authorizer: boolean;
}

const environments = new Map<string, Environment>();
let base: Environment | undefined;

/** @param variables what `variables` has; absent: it is not declared */
export function admissionEnvironment({ params, authorizer }: Declared, variables?: StructType): Environment {
  const key = `${params} ${authorizer}`;
  let environment = environments.get(key);
  if (environment === undefined) {
    base ??= new Environment({
      libraries: kubernetesLibraries(NEW_EXPRESSIONS),
      mixedLiterals: true,
      variables: { object: DYN, oldObject: DYN, request: REQUEST, namespaceObject: NAMESPACE },
    });
    environment = base.extend({
      variables: {
        ...(params && { params: DYN }),
        ...(authorizer && { authorizer: AUTHORIZER, 'authorizer.requestResource': RESOURCE_CHECK }),
      },
    });
    environments.set(key, environment);
  }
  return variables === undefined ? environment : environment.extend({ variables: { variables } });
}
