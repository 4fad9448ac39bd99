/** The types of an issuer of JSON web tokens as a configuration describes it. */

/** Where a part of a user comes from: either a claim, or an expression over all claims. */
export interface Mapping {
  readonly claim?: string;
  /** is put before the values of the claim */
  readonly prefix?: string;
  readonly expression?: string;
}

/** One issuer, in the form of `jwt[]` of the kind AuthenticationConfiguration. */
export interface StatedIssuer {
  readonly issuer: {
    readonly url: string;
    /** the address of the discovery document; absent for the usual one below the issuer's own address */
    readonly discoveryURL?: string;
    /** PEM text of the authorities of the issuer's certificate; absent for those of the system */
    readonly certificateAuthority?: string;
    /** the audiences of which a token must have at least one */
    readonly audiences: readonly string[];
  };
  readonly claimMappings: {
    readonly username: Mapping;
    readonly groups?: Mapping;
    readonly uid?: Mapping;
    readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[];
  };
  readonly claimValidationRules?: readonly {
    readonly claim?: string;
    readonly requiredValue?: string;
    readonly expression?: string;
    readonly message?: string;
  }[];
  readonly userValidationRules?: readonly { readonly expression: string; readonly message?: string }[];
}
