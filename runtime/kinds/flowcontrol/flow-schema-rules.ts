/** What the lists in the rules of a flow schema hold. `*` matches everything, and stands alone. */
import type { FlowDistinguisherMethod } from '../../../generated/flowcontrol/v1/types.ts';
import { type FieldError, Notation, notSupported } from '../../contract/field-error.ts';
import { dnsLabel } from '../../formats/names.ts';
import { nonResourcePath } from '../../formats/paths.ts';
import { goQuote } from '../../go-text/quote.ts';
import { goStrings } from '../../go-text/values.ts';
import { NONE } from '../../validation/joined.ts';
import { eachItem, invalidAs } from '../findings.ts';

type Names = readonly string[] | null;

const ALL = '*';
/** in the order in which 1.32 shows them */
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const METHODS = ['ByNamespace', 'ByUser'];

const matchesAll = (names: Names): boolean => names?.includes(ALL) === true;

export const isAllOrListed = (names: Names): boolean => names === null || names.length <= 1 || !matchesAll(names);

export function knownVerbs(verbs: Names): readonly FieldError[] {
  if (verbs === null || matchesAll(verbs) || verbs.every((verb) => VERBS.includes(verb))) return NONE;
  return [notSupported('', new Notation(goStrings(verbs)), VERBS)];
}

/** 1.32 shows the method and not its type. */
export function knownMethod({ type }: FlowDistinguisherMethod): readonly FieldError[] {
  if (METHODS.includes(type)) return NONE;
  return [notSupported('.type', new Notation(`flowcontrol.FlowDistinguisherMethod{Type:${goQuote(type)}}`), METHODS)];
}

export function namespaceNames(names: Names): readonly FieldError[] {
  return eachListed(names, (name) =>
    dnsLabel(name).map((problem) => `each member of this list must be '*' or a DNS-1123 label; ${problem}`),
  );
}

export function urlPaths(paths: Names): readonly FieldError[] {
  return eachListed(paths, nonResourcePath);
}

function eachListed(names: Names, syntax: (name: string) => readonly string[]): readonly FieldError[] {
  return matchesAll(names) ? NONE : eachItem(names, '', (name, at) => invalidAs(syntax(name), at, name));
}
