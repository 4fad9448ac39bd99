/** Bodies that do not say what they are: 1.32 shows how they begin. */
import type { Kind } from '../../registry/kinds/kind.ts';
import { utf8Text } from '../../schema/text/utf8-text.ts';
import { newBadRequest, StatusError } from '../../status/status.ts';

/** A body whose kind and version cannot be read. Its message is the problem; `of` has the one that 1.32 gives where an object was expected. */
export class UnrecognizedBodyError extends StatusError {
  constructor(problem: string) {
    super(newBadRequest(problem).status);
  }

  /** @param body all of it, as it was sent */
  of({ kind }: Kind, body: Buffer): StatusError {
    return newBadRequest(`the object provided is unrecognized (must be of type ${kind}): ${this.message} (${summary(body)})`);
  }
}

/** A body without a kind, where definitions have brought the path's. Where nothing is validated, 1.32 takes the kind of the path until it reads the object. */
export class MissingKindError extends UnrecognizedBodyError {
  readonly #version: string;

  /** @param shown the body. @param apiVersion what it says, or else that of the path */
  constructor(shown: string, apiVersion: string) {
    super(`Object 'Kind' is missing in '${shown}'`);
    this.#version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  }

  ignoring({ kind }: Kind): StatusError {
    return newBadRequest(`${kind} in version ${JSON.stringify(this.#version)} cannot be handled as a ${kind}: ${this.message}`);
  }
}

/** Makes the error for JSON, or for YAML converted to JSON, whose kind and version cannot be read. */
export function newUnreadableNames(problem: string): UnrecognizedBodyError {
  return new UnrecognizedBodyError(`couldn't get version/kind; json parse error: ${problem}`);
}

/** The most bytes of a body that a message shows. */
const SHOWN_BYTES = 30;
const OPENING_BRACE = 0x7b;

/** The beginning of a body: as it is where it looks like JSON, else in hexadecimal. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const beginning = body.subarray(0, SHOWN_BYTES);
  const shown = body[0] === OPENING_BRACE ? utf8Text(beginning) : beginning.toString('hex');
  return body.length > SHOWN_BYTES ? `${shown} ...` : shown;
}
