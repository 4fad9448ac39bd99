/** Names of time zones. */
import { type FieldError, invalid } from '../../contract/field-error.ts';

/** Abbreviations and folders that the ICU library knows besides the names of the IANA time zone database. */
const ICU_ONLY = new Set('ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '));

/** @returns what is wrong with the name, undefined when nothing is. Names are told apart by case. */
export function timeZoneError(name: string): string | undefined {
  if (name === '' || name === 'Local' || isKnown(name)) return undefined;
  return `unknown time zone ${name}`;
}

function isKnown(name: string): boolean {
  if (!/^[A-Z]/.test(name) || ICU_ONLY.has(name) || name.startsWith('SystemV/')) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export function validateTimeZone(name: string | undefined, path: string): FieldError[] {
  if (name === undefined) return [];
  if (name === '') return [invalid(path, name, 'timeZone must be nil or non-empty string')];
  if (!name.split('/').every(isComponent)) return [invalid(path, name, `unknown time zone ${name}`)];
  const error = timeZoneError(name);
  return [
    ...(name.toLowerCase() === 'local'
      ? [invalid(path, name, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')]
      : []),
    ...(error === undefined ? [] : [invalid(path, name, error)]),
  ];
}

const isComponent = (part: string): boolean => part !== '.' && part !== '..' && /^(?!-)[A-Za-z._0-9+-]{1,14}$/.test(part);
