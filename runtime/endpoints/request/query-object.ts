/** Query parameters as an object of a kind of options: what each is, its schema says. */
import type { Field, ScalarType } from '../../contract/descriptor.ts';
import type { ApiObject } from '../../contract/object.ts';
import { integerProblem, portNumberProblem } from '../../formats/integers.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import { integerOf, parseInt64 } from '../../schema/scalar/raw-number.ts';
import { ScalarError } from '../../schema/scalar/scalar-error.ts';
import { canonicalTime } from '../../schema/scalar/time.ts';
import { newBadRequest } from '../../status/status.ts';
import type { Query } from './request-info.ts';

/**
 * Decodes the parameters of a query as an object of a kind, with its defaults. Parameters that the kind does not have are ignored.
 * @throws StatusError BadRequest
 */
export function decodeQuery(query: Query, kind: Kind): ApiObject {
  const members: Record<string, unknown> = {};
  for (const { name, type } of kind.data.type.fields) {
    if (name === 'kind' || name === 'apiVersion' || !query.has(name)) continue;
    members[name] = parameter(query.all(name), type);
  }
  return kind.decode(members).object;
}

/** Decodes a parameter. If it is not a list, its first value counts. */
function parameter(texts: readonly string[], type: Field['type']): unknown {
  if (type.kind === 'list' && type.element.kind === 'scalar') {
    const { element } = type;
    if (element.scalar === 'int32') return texts.flatMap((text) => text.split(',')).map(port);
    return texts.map((text) => scalar(text, element));
  }
  if (type.kind !== 'scalar') throw new Error('a query holds no structs');
  return scalar(texts[0] ?? '', type);
}

function scalar(text: string, { scalar: name }: ScalarType): unknown {
  switch (name) {
    case 'string':
      return text;
    case 'boolean':
      return text !== '0' && text.toLowerCase() !== 'false';
    case 'int32':
      return integer(text, 32);
    case 'int64':
      return integer(text, 64);
    case 'time':
      return time(text);
    default:
      throw new Error(`a query holds no ${name}`);
  }
}

function integer(text: string, bits: 32 | 64): unknown {
  const problem = integerProblem(text, bits);
  if (problem !== undefined) throw newBadRequest(problem);
  return integerOf(parseInt64(text) as bigint);
}

/** A number of a list, which may share a parameter with others: 1.32 takes all such numbers for ports. */
function port(text: string): unknown {
  const problem = portNumberProblem(text);
  if (problem !== undefined) throw newBadRequest(`cannot convert to []int32: ${problem}`);
  return Number(text);
}

/** Older clients write `null` for a time that they do not have. */
function time(text: string): string | null {
  if (text === '' || text === 'null') return null;
  try {
    return canonicalTime(text);
  } catch (error) {
    if (error instanceof ScalarError) throw newBadRequest(error.message);
    throw error;
  }
}
