/** One fault of the contract engine, for the tables of faults. */
import type { PlantedFault } from "../planted-fault.ts";

const FOLDER = "engine/contract";

export function fault(file: string, name: string, original: string, faulty: string): PlantedFault {
  return { name, file: `${FOLDER}/${file}.ts`, original, faulty };
}
