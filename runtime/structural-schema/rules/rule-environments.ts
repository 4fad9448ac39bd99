/** What rules of schemas may use: new ones the libraries of release 1.31, those that were stored before all of 1.32, so that a rollback finds rules it knows. */
import { Environment } from '../../expressions/environment/environment.ts';
import { kubernetesLibraries } from '../../expressions/libraries/kubernetes.ts';
import { optionalOf, type Type } from '../../expressions/types/type.ts';

/** Tells what an expression may use besides the values that it is about. */
export type EnvironmentOf = (source: string, member: 'rule' | 'messageExpression') => Environment;

const environments = new Map<number, Environment>();

function ofRelease(minor: number): Environment {
  let environment = environments.get(minor);
  if (environment === undefined) {
    environment = new Environment({ libraries: kubernetesLibraries(minor), mixedLiterals: true });
    environments.set(minor, environment);
  }
  return environment;
}

export const newRules: EnvironmentOf = () => ofRelease(31);
export const storedRules: EnvironmentOf = () => ofRelease(32);

/** @param self the type of the values that rules are of. @param optionalOldSelf whether a rule runs where there was no value before, too */
export function withSelf(environment: Environment, self: Type, optionalOldSelf: boolean): Environment {
  return environment.extend({ variables: { self, oldSelf: optionalOldSelf ? optionalOf(self) : self } });
}
