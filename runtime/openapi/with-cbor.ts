/** Says in a document that answers, watches and applies may be in CBOR, where the feature gate CBORServingAndStorage is on: as in 1.32 all that has a binary form. */

const CONTENT = String.raw`\{\s*"schema":\s*\{[^{}]*\}\s*\}`;
const BINARY = String.raw`,\s*"application/vnd\.`;
/** Media types stand in their order, so that these come right before the binary one. */
const ANSWERS = new RegExp(
  String.raw`"application/json":\s*(${CONTENT})(,\s*"application/json;stream=watch":\s*${CONTENT})?(?=${BINARY})`,
  'g',
);
const APPLY = new RegExp(String.raw`"application/apply-patch\+yaml":\s*(${CONTENT})`, 'g');

/** @param text a generated document, as JSON text */
export const withCbor = (text: string): string =>
  text.replaceAll(ANSWERS, answers).replaceAll(APPLY, '"application/apply-patch+cbor":$1,$&');

function answers(json: string, content: string, stream: string | undefined): string {
  const sequence = stream === undefined ? '' : `"application/cbor-seq":${content},`;
  return `"application/cbor":${content},${sequence}${json}`;
}
