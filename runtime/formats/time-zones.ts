/** Names of time zones. */
import { NOTHING } from './messages.ts';

/** Abbreviations and folders that ICU knows but the IANA time zone database does not. */
const ICU_ONLY = new Set('ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '));

/** @returns the error of a name; undefined if it is valid. Names are case-sensitive, and must not lead out of the folder of time zones. */
export function timeZoneError(name: string): string | undefined {
  if (name === '' || name === 'Local' || isKnown(name)) return undefined;
  if (/^[/\\]|\.\./.test(name)) return 'time: invalid location name';
  return `unknown time zone ${name}`;
}

function isKnown(name: string): boolean {
  if (!/^[A-Z]/.test(name) || ICU_ONLY.has(name) || name.startsWith('SystemV/')) return false;
  try {
    const { timeZone: resolved } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // ICU takes names in any case. It resolves a name that is no alias to itself, as the database writes it.
    return resolved === name || resolved.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** Accepts a name of the IANA time zone database. */
export function timeZone(value: string): readonly string[] {
  if (value === '') return ['timeZone must be nil or non-empty string'];
  if (!value.split('/').every(isComponent)) return [`unknown time zone ${value}`];
  const messages =
    value.toLowerCase() === 'local' ? ['timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'] : [];
  const error = timeZoneError(value);
  if (error !== undefined) messages.push(error);
  return messages.length === 0 ? NOTHING : messages;
}

const isComponent = (part: string): boolean => part !== '.' && part !== '..' && /^(?!-)[A-Za-z._0-9+-]{1,14}$/.test(part);
