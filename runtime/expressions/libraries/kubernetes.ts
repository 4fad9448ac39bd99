/** The CEL environments of Kubernetes releases. */
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

/** in the order in which the environments of 1.32 are built */
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

/** New expressions are compiled in the environment of the previous release, which must be able to read them after a downgrade. */
export const NEW_EXPRESSIONS = 31;
/** Stored expressions are compiled in the environment of this release. */
export const STORED_EXPRESSIONS = 32;

export interface Gates {
  /** whether the feature gate AuthorizeWithSelectors is on; default: true */
  readonly authorizeWithSelectors?: boolean;
  /**
   * whether library calls are charged by what they do (feature gates StrictCostEnforcementForVAP and StrictCostEnforcementForWebhooks)
   * instead of one unit each; default: true
   */
  readonly strictCost?: boolean;
}

/**
 * The libraries in the environment of a release. One of them checks that elements of literals have one type, so the environment must have
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

/** Removes all costs from a library that is not part of CEL itself, so that each call costs one unit. */
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
