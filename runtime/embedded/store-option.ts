/** `memory`: gone with the server. A folder keeps its objects for the next server that is given it, and has one server at a time. */
export type StoreOption = 'memory' | { readonly directory: string };
