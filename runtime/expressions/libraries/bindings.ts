import type { Library } from '../environment/declarations.ts';
import { BINDING_MACROS } from '../syntax/bindings.ts';

/** The macro `cel.bind`, which 1.32 only has in expressions of device selectors. */
export const bindingsLibrary: Library = { name: 'cel.lib.ext.cel.bindings', since: Number.POSITIVE_INFINITY, macros: BINDING_MACROS };
