/**
 * Assets: calls of the operator plane. Made from the operator plane's own table of calls, to
 * which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { FundsCalls } from "./funds.ts";

export type SetAssetInput = {
  readonly asset: string;
  readonly coinId: number;
  readonly name: string;
  readonly scale: number;
};

export type SetAssetAnswer = SetAssetInput;

export type GetAssetInput = { readonly asset: string };

export type GetAssetAnswer = SetAssetInput;

export type ListAssetsInput = { readonly after?: string; readonly limit?: number };

export type ListAssetsAnswer = {
  readonly items: readonly SetAssetInput[];
  readonly next: string | null;
};

export abstract class AssetsCalls extends FundsCalls {
  /** List an asset or change it; its scale is fixed once it was used. */
  setAsset(input: SetAssetInput, options?: CallOptions): Promise<SetAssetAnswer> {
    return this.call("PUT", "/operator/v1/assets/{asset}", input, options);
  }

  /** One asset. */
  getAsset(input: GetAssetInput, options?: CallOptions): Promise<GetAssetAnswer> {
    return this.call("GET", "/operator/v1/assets/{asset}", input, options);
  }

  /** All assets, in order of name. */
  listAssets(input: ListAssetsInput = {}, options?: CallOptions): Promise<ListAssetsAnswer> {
    return this.call("GET", "/operator/v1/assets", input, options);
  }
}
