/** Faults of the engine that move money elsewhere than events say, for the event ledger to find. */
import { fault } from "./contract-fault.ts";

export const LEDGER_FAULTS = [
  fault(
    "orders/fill",
    "fees of closing go to the insurance fund",
    'ledger.draw(availableAt, ledger.houseAccount(account.assetIndex, "fees"), feeMinor);',
    'ledger.draw(availableAt, ledger.houseAccount(account.assetIndex, "insurance"), feeMinor);',
  ),
  fault(
    "orders/fill",
    "fees of opening go to rounding",
    'ledger.draw(availableAt, ledger.houseAccount(assetIndex, "fees"), feeMinor);',
    'ledger.draw(availableAt, ledger.houseAccount(assetIndex, "rounding"), feeMinor);',
  ),
  fault(
    "orders/fill",
    "a trade tells of a wallet without its fee",
    "walletMinor: walletBeforeMinor + realizedPnlMinor - feeMinor,",
    "walletMinor: walletBeforeMinor + realizedPnlMinor,",
  ),
  fault(
    "orders/liquidation-fill",
    "the fund pays and does not tell",
    "insurancePaidMinor: fixMinor,",
    "insurancePaidMinor: 0n * fixMinor,",
  ),
  fault(
    "orders/liquidation-fill",
    "the liquidation fee goes to the exchange",
    "ledger.draw(available, insurance, liquidationFeeMinor);",
    'ledger.draw(available, ledger.houseAccount(asset, "fees"), liquidationFeeMinor);',
  ),
  fault(
    "prices/funding",
    "what rounding leaves goes to the insurance fund",
    'this.#market.rules.marginAsset.index, "rounding");',
    'this.#market.rules.marginAsset.index, "insurance");',
  ),
  fault(
    "prices/funding",
    "a receiver is told of a unit more",
    "      deltaMinor,\n      walletMinor: walletMinor(",
    "      deltaMinor: deltaMinor + (deltaMinor > 0n ? 1n : 0n),\n      walletMinor: walletMinor(",
  ),
  fault(
    "orders/positions",
    "a position that closes tells its opening fees as closing fees",
    "cumCloseFeeMinor: position.cumCloseFeeMinor,",
    "cumCloseFeeMinor: position.cumOpenFeeMinor,",
  ),
];
