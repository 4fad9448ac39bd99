/** Environments of expressions about admission, by what is declared besides the objects, the request and the namespace. */
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { Environment } from '../../../expressions/environment/environment.ts';
import { AUTHORIZER, RESOURCE_CHECK } from '../../../expressions/libraries/authorizer/authorizer-values.ts';
import { type Gates, kubernetesLibraries, NEW_EXPRESSIONS, STORED_EXPRESSIONS } from '../../../expressions/libraries/kubernetes.ts';
import { DYN, type StructType, type Type } from '../../../expressions/types/type.ts';
import { NAMESPACE, REQUEST } from './admission-types.ts';

export interface Declared {
  /** `params` */
  readonly params: boolean;
  /** `authorizer` */
  readonly authorizer: boolean;
}

/** In whose environment expressions are compiled: that of new ones, or that of stored ones, which an earlier or a later server may have taken. */
export interface AdmissionRelease {
  /** of release 1.x */
  readonly minor: number;
  readonly gates: Gates;
}

export const NEW: AdmissionRelease = { minor: NEW_EXPRESSIONS, gates: {} };
export const newUnder = ({ featureEnabled }: Pick<RuleContext, 'featureEnabled'>): AdmissionRelease =>
  featureEnabled('AuthorizeWithSelectors') ? NEW : { ...NEW, gates: { authorizeWithSelectors: false } };
export const stored = (gates: Gates): AdmissionRelease => ({ minor: STORED_EXPRESSIONS, gates });

/** What `object`, `oldObject` and `params` are declared to be: anything, or objects of one kind. */
export interface ObjectTypes {
  readonly object: Type;
  readonly params: Type;
}

const ANYTHING: ObjectTypes = { object: DYN, params: DYN };
const environments = new Map<string, Environment>();

/** @param variables what `variables` has; absent: it is not declared */
export function admissionEnvironment(
  { params, authorizer }: Declared,
  { minor, gates }: AdmissionRelease,
  variables?: StructType,
  types: ObjectTypes = ANYTHING,
): Environment {
  const { authorizeWithSelectors = true, strictCost = true } = gates;
  const base = kept(`${minor} ${authorizeWithSelectors} ${strictCost}`, () => baseEnvironment(minor, gates));
  const add = (): Environment =>
    base.extend({
      variables: {
        object: types.object,
        oldObject: types.object,
        ...(params && { params: types.params }),
        ...(authorizer && { authorizer: AUTHORIZER }),
        // 1.32 checks policies against kinds without it
        ...(authorizer && types === ANYTHING && { 'authorizer.requestResource': RESOURCE_CHECK }),
      },
    });
  const key = `${minor} ${authorizeWithSelectors} ${strictCost} ${params} ${authorizer}`;
  const environment = types === ANYTHING ? kept(key, add) : add();
  return variables === undefined ? environment : environment.extend({ variables: { variables } });
}

function kept(key: string, make: () => Environment): Environment {
  let environment = environments.get(key);
  if (environment === undefined) {
    environment = make();
    environments.set(key, environment);
  }
  return environment;
}

const baseEnvironment = (minor: number, gates: Gates): Environment =>
  new Environment({
    libraries: kubernetesLibraries(minor, gates),
    mixedLiterals: true,
    variables: { request: REQUEST, namespaceObject: NAMESPACE },
  });
