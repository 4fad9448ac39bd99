/** CBOR is loaded when somebody first asks for it: without its feature gate nobody can. */

type CborForms = typeof import('./cbor-documents.ts');

let loaded: CborForms | undefined;

export async function loadCborForms(): Promise<CborForms> {
  loaded ??= await import('./cbor-documents.ts');
  return loaded;
}

/** Returns the forms of CBOR for code that cannot wait. They are loaded before an answer in CBOR begins. */
export function cborForms(): CborForms {
  if (loaded === undefined) throw new Error('the forms of CBOR are not loaded');
  return loaded;
}
