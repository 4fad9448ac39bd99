/** The environments of Kubernetes, by release. */
import type { Library } from '../environment/declarations.ts';
import { cidrLibrary, ipLibrary } from './addresses/addresses.ts';
import { authorizerLibrary, authorizerSelectorsLibrary } from './authorizer/authorizer.ts';
import { twoVariableLibrary } from './comprehensions.ts';
import { durationsLibrary } from './durations.ts';
import { formatsLibrary } from './formats/formats.ts';
import { estimatesLibrary } from './kubernetes-estimates.ts';
import { listsLibrary } from './lists.ts';
import { literalArgumentsLibrary, uniformLiteralsLibrary } from './literals.ts';
import { optionalsLibrary } from './optionals.ts';
import { quantityLibrary } from './quantity/quantity.ts';
import { regexLibrary } from './regex.ts';
import { semverLibrary } from './semver.ts';
import { setsLibrary } from './sets.ts';
import { standardLibrary } from './standard/standard.ts';
import { stringsLibrary, stringsLibrary0 } from './strings/strings.ts';
import { urlsLibrary } from './urls.ts';

/** In the order in which the environments of 1.32 have them. */
const LIBRARIES: readonly Library[] = [
  standardLibrary,
  durationsLibrary,
  uniformLiteralsLibrary,
  urlsLibrary,
  regexLibrary,
  listsLibrary,
  authorizerLibrary,
  optionalsLibrary,
  quantityLibrary,
  literalArgumentsLibrary,
  stringsLibrary0,
  stringsLibrary,
  setsLibrary,
  ipLibrary,
  cidrLibrary,
  formatsLibrary,
  authorizerSelectorsLibrary,
  twoVariableLibrary,
  semverLibrary,
  estimatesLibrary,
];

/** In whose environment new expressions are compiled: the release before, which may have to read them after a downgrade. */
export const NEW_EXPRESSIONS = 31;
/** In whose environment expressions are compiled that are stored. */
export const STORED_EXPRESSIONS = 32;

export interface Gates {
  /** whether the gate AuthorizeWithSelectors is on; true without it */
  readonly authorizeWithSelectors?: boolean;
  /** whether calls of libraries are charged for what they do (StrictCostEnforcementForVAP, StrictCostEnforcementForWebhooks), and not a unit each; true without it */
  readonly strictCost?: boolean;
}

/**
 * The libraries in the environment of a release. Literals are held against each other by a library of these, so the environment that is made of them has
 * `mixedLiterals`.
 * @param minor of release 1.x
 */
export function kubernetesLibraries(minor: number, { authorizeWithSelectors = true, strictCost = true }: Gates = {}): readonly Library[] {
  const libraries = LIBRARIES.filter(
    (library) =>
      library.since <= minor &&
      minor <= (library.until ?? Number.POSITIVE_INFINITY) &&
      (library !== authorizerSelectorsLibrary || authorizeWithSelectors),
  );
  return strictCost ? libraries : libraries.map((library) => (library === standardLibrary ? library : withoutCosts(library)));
}

/** The language's own functions cost what they cost; each of the others a unit. */
function withoutCosts(library: Library): Library {
  const { functions = [] } = library;
  return {
    ...library,
    functions: functions.map(({ cost: _cost, costOfResult: _result, overloads, ...others }) => ({
      ...others,
      overloads: overloads.map(({ cost: _own, ...overload }) => overload),
    })),
  };
}
